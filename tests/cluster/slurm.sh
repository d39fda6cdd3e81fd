#!/usr/bin/env bash
# The shards of a run over a real Slurm: three nodes on this machine, with daemons that listen to this machine alone.
#
#   tests/cluster/slurm.sh PROGRAM [SCENARIO [REPLICATIONS]]
#
# Installs Debian's packages if they are missing and this is root. A task is cancelled, one is killed, a node is lost
# with its tasks, and the merged result must be the same, byte for byte, as that of one process. All that it started is stopped at the end,
# by process id. Where Slurm can't be had it says so and passes.
set -euo pipefail
program=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
scenario=$(realpath "${2:-$here/campaign.ron}")
replications=${3:-}

skip() { echo "slurm: skipped: $*"; exit 0; }
fail() { echo "slurm: FAILED: $*" >&2; tail -n 5 "$work"/*.log >&2 || true; exit 1; }

[ "$(uname)" = Linux ] || skip "this is not Linux"
if ! command -v sbatch slurmctld slurmd munged >/dev/null 2>&1; then
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 || skip "Slurm is not on this machine, and can't be installed"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends slurm-wlm munge; } \
        >/dev/null 2>&1 || skip "Slurm can't be installed"
fi
[ "$(id -u)" = 0 ] || skip "the daemons need to be started by root"

work=$(mktemp -d)
pids=()
stop() {
    for pid in "${pids[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
    rm -rf "$work"
}
trap stop EXIT
host=$(hostname)

# Authentication, with a key of its own.
dd if=/dev/urandom of="$work/munge.key" bs=1024 count=1 2>/dev/null
chmod 400 "$work/munge.key"
chmod 755 "$work"
munged --foreground --force --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munge.pid" \
    --log-file="$work/munged.log" --seed-file="$work/munge.seed" >/dev/null 2>&1 &
pids+=($!)
disown

port=$((20000 + $$ % 20000))
cat >"$work/slurm.conf" <<END
ClusterName=trial
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1,defer
SlurmdTimeout=5
KillWait=2
ReturnToService=2
MailProg=/bin/true
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName=n[1-3] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 3))] CPUs=1
PartitionName=all Nodes=n[1-3] Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$work/slurm.conf"
mkdir -p "$work/state"
for _ in $(seq 50); do [ -S "$work/munge.socket" ] && break; sleep 0.1; done
slurmctld -D >"$work/slurmctld.log" 2>&1 &
pids+=($!)
disown
start_node() {
    slurmd -D -N "$1" >>"$work/slurmd-$1.log" 2>&1 &
    pids+=($!)
    eval "node_$1=$!"
    disown
}
for node in n1 n2 n3; do start_node "$node"; done
for _ in $(seq 100); do
    [ "$(sinfo -h -N -t idle 2>/dev/null | wc -l)" = 3 ] && break
    sleep 0.2
done
[ "$(sinfo -h -N -t idle 2>/dev/null | wc -l)" = 3 ] || fail "the nodes did not come up: $(sinfo -N 2>&1)"
echo "slurm: $(sinfo --version), three nodes are up"

set -- "$scenario"
[ -z "$replications" ] || set -- "$@" --replications "$replications"
"$program" run "$@" --out "$work/single" --quiet
"$program" submit "$@" --engine slurm --shards 6 --out "$work/spread"
"$program" submit "$@" --engine slurm --shards 6 --out "$work/spread" 2>"$work/again.txt" && fail "it was submitted twice"
grep -q "was submitted already" "$work/again.txt" || fail "$(cat "$work/again.txt")"

# The process of a task on a node, once there is one.
task_on() {
    for _ in $(seq 100); do
        pid=$(pgrep -f "run --shard [0-9]*/6 --out $work/spread" | while read -r pid; do
            tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qx "SLURMD_NODENAME=$1" && echo "$pid" && break
        done) || true
        [ -n "$pid" ] && echo "$pid" && return
        sleep 0.05
    done
}
for _ in $(seq 600); do
    ls "$work"/spread.blocks/*.jsonl >/dev/null 2>&1 && break
    sleep 0.1
done
"$program" status "$work/spread"
# Between two tasks a node is idle for a moment.
for _ in $(seq 100); do
    cancelled=$(squeue -h -w n3 -t R -o %F_%K)
    [ -n "$cancelled" ] && break
    sleep 0.05
done
[ -n "$cancelled" ] || fail "no task ran on n3: $(squeue 2>&1)"
scancel "$cancelled"
echo "slurm: cancelled task $cancelled (scancel)"

victim=$(task_on n1)
[ -n "$victim" ] || fail "no task ran on n1: $(squeue 2>&1)"
kill -9 "$victim"
echo "slurm: killed a task (kill -9)"

victim=$(task_on n2)
[ -n "$victim" ] || fail "no task ran on n2: $(squeue 2>&1)"
step=$(ps -o ppid= -p "$victim" | tr -d ' ')
kill -9 "$node_n2" "$step" "$victim" 2>/dev/null || true
echo "slurm: lost node n2 with its task"
for _ in $(seq 150); do
    [ -n "$(sinfo -h -N -n n2 -t down 2>/dev/null)" ] && break
    sleep 0.2
done
echo "slurm: the queue has noticed: $(sinfo -h -N -n n2 -o '%N %T')"
start_node n2

for _ in $(seq 1500); do
    [ -z "$(squeue -h 2>/dev/null)" ] && break
    sleep 0.2
done
[ -z "$(squeue -h)" ] || fail "jobs are still in the queue: $(squeue)"
"$program" status "$work/spread" || true
if [ ! -e "$work/spread/results.json" ]; then
    # Tasks that were cancelled or killed are not queued again by Slurm: those failed by themselves.
    grep -q "missing" "$work/spread.blocks/logs/merge.log" || fail "the merge did not say what is missing"
    tail -n 2 "$work/spread.blocks/logs/merge.log"
    "$program" submit --missing --engine slurm --out "$work/spread"
    for _ in $(seq 1500); do
        [ -z "$(squeue -h 2>/dev/null)" ] && break
        sleep 0.2
    done
fi
[ -e "$work/spread/results.json" ] || fail "there is no result: $(cat "$work/spread.blocks/logs/merge.log")"
diff -r "$work/single" "$work/spread" || fail "the results differ"
"$program" status "$work/spread"
echo "slurm: passed: the same bytes as on one machine"
