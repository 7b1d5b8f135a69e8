#!/bin/sh
# Prints the Python for the workflow environment (the first of 3.11 to 3.13, python3.11 before others), or says in one
# sentence what to install: TensorFlow Federated needs Python 3.11, everything else 3.11 to 3.13.

version() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }
complain() { echo "fedatlas: $1" >&2; exit 1; }

install="install it (Debian, Ubuntu: apt install python3.11 python3.11-venv; Fedora: dnf install python3.11; \
anywhere: uv python install 3.11) and run the same command again."
managed="${UV_PYTHON_INSTALL_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/uv/python}"
found= eleven=
for python in python3.11 python3 python python3.12 python3.13 "$managed"/cpython-3.11*/bin/python3.11; do
    case "$(version "$python")" in
        3.11) eleven=yes; found=${found:-$(command -v "$python")} ;;
        3.1[23]) found=${found:-$(command -v "$python")} ;;
        ?*) old="$old $(version "$python")" ;;
    esac
done
[ -n "$found" ] || complain "no Python 3.11 to 3.13 was found (only:${old:- none}): Python 3.11 is needed; $install"
[ -n "$eleven" ] || complain "TensorFlow Federated needs Python 3.11, but only $(version "$found") was found: $install"
"$found" -c 'import ensurepip, venv' 2>/dev/null ||
    complain "$found has no venv module: install it (Debian, Ubuntu: apt install python$(version "$found")-venv) \
and run the same command again."
echo "$found"
