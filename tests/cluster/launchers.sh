#!/usr/bin/env bash
# The examples of guide/cluster.md, word by word, with the launchers that are on this machine or can be installed from
# PyPI: each result must be the same, byte for byte, as that of one process.
#
#   tests/cluster/launchers.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$program" "$work/bin/gridloom"
export PATH="$work/bin:$PATH"

# The files that the page shows.
awk -v folder="$work" '/^```/ { if (file) { close(file); file = "" } else if (NF == 2) { file = folder "/" $2; printf "" > file; next } }
    file { print > file }' "$root/guide/cluster.md"
cd "$work"
gridloom run study.ron --out single --quiet

compare() {
    diff -r single result || { echo "$1: FAILED: the results differ" >&2; exit 1; }
    rm -rf result result.blocks done
    echo "$1: passed: the same bytes as on one machine"
}

if command -v parallel >/dev/null 2>&1 && parallel --version 2>/dev/null | grep -q GNU; then
    bash with-parallel.sh
    compare "GNU parallel"
else
    echo "GNU parallel: skipped: it is not on this machine"
fi

if ! command -v python3 >/dev/null 2>&1; then
    echo "Python, Dask, Snakemake: skipped: there is no Python"
    exit 0
fi
python3 with-python.py
compare Python
python3 -m venv python >/dev/null 2>&1 || { echo "Dask, Snakemake: skipped: Python has no venv"; exit 0; }
if python/bin/pip install --quiet distributed >/dev/null 2>&1; then
    python/bin/python3 with-dask.py
    compare Dask
else
    echo "Dask: skipped: the package can't be installed"
fi
if python/bin/pip install --quiet snakemake >/dev/null 2>&1; then
    PATH="$work/python/bin:$PATH" snakemake --cores 2 --quiet all >snakemake.log 2>&1 || { cat snakemake.log >&2; exit 1; }
    compare Snakemake
else
    echo "Snakemake: skipped: the package can't be installed"
fi
