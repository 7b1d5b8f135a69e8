#!/bin/bash
# with_slurm.sh COMMAND...: runs the command beside a real Slurm of one node, this machine, and ends with its exit status.
#
# Slurm (Debian, Ubuntu: slurm-wlm and munge) keeps configuration, key, sockets, state and logs in a new folder under
# $TMPDIR, so that a Slurm that is already here is not disturbed and root is not needed. Nothing is left running, also
# after a signal; the logs are shown if Slurm does not start. Without accounting, as small clusters are.
set -u

for program in munged slurmctld slurmd sbatch srun setpriv setsid; do
    PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null || {
        echo "with_slurm.sh: $program was not found: install Slurm (Debian, Ubuntu: apt install slurm-wlm munge)." >&2
        exit 69
    }
done
PATH=$PATH:/usr/sbin:/sbin
folder=$(mktemp -d "${TMPDIR:-/tmp}/slurm-XXXXXX")
user=$(id -un) host=$(hostname -s)
export SLURM_CONF=$folder/slurm.conf

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])'; }

configure() {
    mkdir -m 700 "$folder/munge" "$folder/state" "$folder/spool" "$folder/bin"
    # The executor plugin takes SLURM_CONF, as every SLURM_*, from the environment in which it calls srun.
    printf '#!/bin/sh\nSLURM_CONF=%s exec %s "$@"\n' "$SLURM_CONF" "$(command -v srun)" >"$folder/bin/srun"
    chmod +x "$folder/bin/srun"
    head -c 128 /dev/urandom >"$folder/munge/key" && chmod 600 "$folder/munge/key"
    cat >"$SLURM_CONF" <<CONF
ClusterName=fedatlas
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=batch_sched_delay=0,sched_interval=1
ReturnToService=2
KillWait=5
$(slurmd -C | head -n 1) NodeAddr=127.0.0.1 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
}

daemons=()
# In a session of its own: a signal to this script's group must not end it before the jobs are cancelled.
daemon() {
    setsid setpriv --pdeathsig TERM "$@" </dev/null >>"$folder/daemons.log" 2>&1 &
    daemons+=($!)
}

stop() {
    trap - EXIT
    if [ ${#daemons[@]} = 3 ]; then
        scancel --user "$user" 2>/dev/null
        for _ in $(seq 300); do [ -z "$(squeue --noheader 2>/dev/null)" ] && break || sleep 0.1; done
    fi
    for pid in "${daemons[@]}"; do kill "$pid"; done 2>/dev/null
    wait
    rm -rf "$folder"
}

start() {
    daemon munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
        --pid-file="$folder/munge/pid" --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
    for _ in $(seq 100); do [ -S "$folder/munge/socket" ] && break || sleep 0.1; done
    daemon slurmctld -D
    daemon slurmd -D
    for _ in $(seq 300); do
        [ "$(sinfo --noheader --format %T 2>/dev/null)" = idle ] && return
        sleep 0.1
    done
    echo "with_slurm.sh: Slurm did not start; its logs:" >&2
    tail -n 30 "$folder"/*.log "$folder"/munge/log >&2
    return 1
}

trap 'exit 143' TERM
trap 'exit 130' INT
trap stop EXIT
configure
start || exit 70
PATH=$folder/bin:$PATH
"$@" &
command=$! asked= status=0
trap 'asked=143; kill -TERM $command 2>/dev/null' TERM
trap 'asked=130; kill -TERM $command 2>/dev/null' INT
while kill -0 "$command" 2>/dev/null; do wait "$command"; status=$?; done
exit "${asked:-$status}"
