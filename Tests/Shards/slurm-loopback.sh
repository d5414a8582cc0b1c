#!/usr/bin/env bash
# A Slurm cluster of two nodes on this machine's loopback, for Tests/Shards/check.py. Needs root, and Slurm and MUNGE from Debian:
# apt-get install slurmctld slurmd slurm-client munge.
#
#     slurm-loopback.sh start FOLDER CONTROLLER NODE1 NODE2    three free ports; returns when both nodes are idle
#     slurm-loopback.sh stop FOLDER
#
# Then: export SLURM_CONF=FOLDER/slurm.conf
set -euo pipefail
mkdir -p "$2"
folder=$(realpath "$2")
export SLURM_CONF=$folder/slurm.conf

start() {
    local host
    host=$(hostname -s)
    mkdir -p "$folder"/{state,spool,log}
    cat >"$SLURM_CONF" <<-END
		ClusterName=loop
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=$1
		AuthType=auth/munge
		AuthInfo=socket=$folder/munge.socket
		SlurmUser=root
		SlurmdUser=root
		StateSaveLocation=$folder/state
		SlurmdSpoolDir=$folder/spool/%n
		SlurmctldPidFile=$folder/slurmctld.pid
		SlurmdPidFile=$folder/slurmd-%n.pid
		SlurmctldLogFile=$folder/log/slurmctld.log
		SlurmdLogFile=$folder/log/slurmd-%n.log
		ProctrackType=proctrack/pgid
		TaskPlugin=task/none
		SlurmdParameters=config_overrides
		ReturnToService=2
		SchedulerType=sched/backfill
		SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		MpiDefault=none
		NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$2 CPUs=4 RealMemory=8192 State=UNKNOWN
		NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$3 CPUs=4 RealMemory=8192 State=UNKNOWN
		PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	END
    # A daemon of its own, with a key that is thrown away: nothing of the machine's own MUNGE is used or changed.
    head -c 128 /dev/urandom >"$folder/munge.key"
    chmod 600 "$folder/munge.key"
    munged --force --socket "$folder/munge.socket" --key-file "$folder/munge.key" --pid-file "$folder/munged.pid" \
        --log-file "$folder/log/munged.log" --seed-file "$folder/munge.seed" 2>/dev/null
    slurmctld -f "$SLURM_CONF"
    slurmd -N n1 -f "$SLURM_CONF"
    slurmd -N n2 -f "$SLURM_CONF"
    for _ in $(seq 300); do
        if [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 2 ]; then return; fi
        sleep 0.1
    done
    echo "the nodes are not idle after 30 seconds:" >&2
    tail -n 5 "$folder"/log/*.log >&2
    return 1
}

stop() {
    local name
    for name in slurmd-n1 slurmd-n2 slurmctld munged; do
        if [ -f "$folder/$name.pid" ]; then kill "$(cat "$folder/$name.pid")" 2>/dev/null || true; fi
    done
}

case $1 in
    start) start "${@:3}" ;;
    stop) stop ;;
    *) echo "usage: slurm-loopback.sh start FOLDER CONTROLLER NODE1 NODE2, or slurm-loopback.sh stop FOLDER" >&2 && exit 64 ;;
esac
