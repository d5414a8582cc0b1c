#!/usr/bin/env bash
# Runs a manifest in N shards with Slurm: a job for what comes before the shards, an array job with a task for each shard,
# and a job that merges the shards and runs what comes after them.
#
#     submit.sh MANIFEST FOLDER N [ARGUMENT…]
#
# FOLDER is for the results; all nodes must see it, and the manifest, at the same path. The arguments are those of
# `waybill run`, such as --env staging. README.md describes what happens when a job fails.
set -euo pipefail

if [ $# -lt 3 ]; then
    echo "usage: submit.sh MANIFEST FOLDER N [ARGUMENT…]" >&2
    exit 64
fi
manifest=$(realpath "$1")
mkdir -p "$2/log"
folder=$(realpath "$2")
count=$3
shift 3
cd "$(dirname "${BASH_SOURCE[0]}")"

# Submits a job and prints its number. A job that waits for one that has failed is cancelled; otherwise it would wait forever.
submit() {
    local name=$1
    shift
    sbatch --parsable --kill-on-invalid-dep=yes --job-name "waybill-$name" --output "$folder/log/$name-%j.txt" "$@"
}

before=$(submit before before.sbatch "$manifest" "$folder" "$@")
shards=$(submit shard --dependency "afterok:$before" --array "1-$count" --output "$folder/log/shard-%a-%A.txt" \
    shard.sbatch "$folder" "$count")
merge=$(submit merge --dependency "afterok:$shards" merge.sbatch "$folder")
echo "submitted $before (before), $shards ($count shards), $merge (merge); the results will be in $folder/merged"
