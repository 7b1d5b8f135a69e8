"""Kernels of notebooks that start warm."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path
from typing import Any, cast

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import LocalProvisioner
from traitlets import Unicode

from fedatlas.warm.client import WarmProcess, start
from fedatlas.warm.protocol import Request

# Its parent is the server, which is nothing to watch: the lease ends the kernel.
NO_PARENT = "--IPKernelApp.parent_handle=1"


class WarmProvisioner(LocalProvisioner):
    """Starts a kernel in a warm process, or as ever where there can be none."""

    preload = Unicode(help="a Python file that the server of such kernels runs first, for its imports").tag(config=True)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        process = self._start(cmd, kwargs) if self.preload else None
        if process is None:
            return await super().launch_kernel(cmd, **kwargs)
        self.process = cast(subprocess.Popen[bytes], process)  # which it has the face of
        self.pid = self.pgid = process.pid
        return self.connection_info

    def _start(self, cmd: list[str], options: dict[str, Any]) -> WarmProcess | None:
        python, *arguments = cmd
        folder = str(options.get("cwd") or Path.cwd())
        request = Request([*arguments, NO_PARENT], dict(options["env"]), folder, signal.SIGKILL)
        return start(python, request, self.preload)
