#!/usr/bin/env bash
# The shards of a run over a real HyperQueue: a server and three workers on this machine.
#
#   tests/cluster/hyperqueue.sh PROGRAM [SCENARIO [REPLICATIONS]]
#
# The package from PyPI has server and workers inside; its client for Python submits. A task is killed, what is missing
# is submitted again, and the merged result must be the same, byte for byte, as that of one process. Where HyperQueue
# can't be had it says so and passes.
set -euo pipefail
program=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
scenario=$(realpath "${2:-$here/campaign.ron}")
replications=${3:-}

skip() { echo "hyperqueue: skipped: $*"; exit 0; }
fail() { echo "hyperqueue: FAILED: $*" >&2; exit 1; }

work=$(mktemp -d)
server=
stop() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap stop EXIT
command -v python3 >/dev/null 2>&1 || skip "there is no Python"
python3 -m venv "$work/python" >/dev/null 2>&1 || skip "Python has no venv"
"$work/python/bin/pip" install --quiet hyperqueue >/dev/null 2>&1 || skip "the package can't be installed"
export GRIDLOOM_PYTHON="$work/python/bin/python3" HQ_SERVER_DIR="$work/server"
mkdir "$work/server"
"$GRIDLOOM_PYTHON" - <<'END' &
import os, signal, threading
from hyperqueue.cluster import LocalCluster, WorkerConfig
with LocalCluster(server_dir=os.environ["HQ_SERVER_DIR"]) as cluster:
    for _ in range(3):
        cluster.start_worker(WorkerConfig(cores=1))
    over = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: over.set())
    over.wait()
END
server=$!
disown
for _ in $(seq 100); do
    [ -n "$(ls "$work/server" 2>/dev/null)" ] && break
    sleep 0.1
done

set -- "$scenario"
[ -z "$replications" ] || set -- "$@" --replications "$replications"
"$program" run "$@" --out "$work/single" --quiet
# The merge has spoken, the first time or once more.
merged() {
    for _ in $(seq 1500); do
        [ "$(grep -c "^error\|^Written" "$work/spread.blocks/logs/merge.log" 2>/dev/null)" = "$1" ] && return
        sleep 0.2
    done
    fail "the merge did not come to an end: $(cat "$work"/spread.blocks/logs/*.log)"
}
"$program" submit "$@" --engine hyperqueue --shards 4 --out "$work/spread"
for _ in $(seq 600); do
    ls "$work"/spread.blocks/*.jsonl >/dev/null 2>&1 && break
    sleep 0.1
done
"$program" status "$work/spread"
victim=$(pgrep -n -f "run --shard [0-9]*/4 --out $work/spread") || fail "no task runs"
kill -9 "$victim"
echo "hyperqueue: killed a task (kill -9)"
merged 1
"$program" status "$work/spread"
if [ ! -e "$work/spread/results.json" ]; then
    "$program" submit --missing --engine hyperqueue --out "$work/spread"
    merged 2
fi
diff -r "$work/single" "$work/spread" || fail "the results differ"
"$program" status "$work/spread"
echo "hyperqueue: passed: the same bytes as on one machine"
