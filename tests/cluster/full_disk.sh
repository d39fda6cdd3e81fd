#!/usr/bin/env bash
# Shards of a run on a disk that is full: the error is told, nothing is lost, and once there is room the same commands
# give the same result, byte for byte, as one process on a large disk.
#
#   tests/cluster/full_disk.sh PROGRAM
#
# The disk is in memory, so this must be root; where it can't be mounted the test says so and passes.
set -euo pipefail
program=$(realpath "$1")
scenario=$(cd "$(dirname "$0")" && pwd)/campaign.ron
work=$(mktemp -d)
disk=$work/disk

skip() { echo "full disk: skipped: $*"; exit 0; }
fail() { echo "full disk: FAILED: $*" >&2; exit 1; }
stop() {
    mountpoint -q "$disk" && umount "$disk"
    rm -rf "$work"
}
trap stop EXIT

mkdir "$disk"
mount -t tmpfs -o size=60k tmpfs "$disk" 2>/dev/null || skip "a small disk can't be mounted"
"$program" run "$scenario" --out "$work/single" --quiet

# Ends with status 1 and the reason, and leaves no file that looks whole.
full() {
    local status=0
    "$@" >"$work/output.txt" 2>&1 || status=$?
    [ "$status" = 1 ] || fail "$*: status $status: $(cat "$work/output.txt")"
    grep -q "No space left on device" "$work/output.txt" || fail "$*: $(cat "$work/output.txt")"
}
full "$program" run "$scenario" --out "$disk/result" --quiet
[ ! -e "$disk/result" ] || fail "half a result: $(ls -R "$disk")"
rm -rf "${disk:?}"/*
full "$program" run "$scenario" --shard 1/2 --out "$disk/result" --quiet
cat "$work/output.txt"
"$program" status "$disk/result" | tee "$work/status.txt"
grep -q "failed: shard 1/2" "$work/status.txt" || fail "status does not tell it"

mount -o remount,size=64m "$disk"
for shard in 1 2; do "$program" run "$scenario" --shard "$shard/2" --out "$disk/result" --quiet; done
"$program" merge "$disk/result" --quiet
diff -r "$work/single" "$disk/result" || fail "the results differ"
echo "full disk: passed: the same bytes as on a large one"
