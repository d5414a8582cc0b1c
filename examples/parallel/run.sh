#!/usr/bin/env bash
# Runs a manifest in N shards on several machines with GNU parallel over SSH, then merges the shards here and runs what comes
# after them. The same command again continues a run that has failed.
#
#     run.sh MANIFEST FOLDER N HOST… [-- ARGUMENT…]
#
# The arguments are those of `waybill run`, such as --env staging. README.md describes what the hosts need.
set -euo pipefail

if [ $# -lt 4 ]; then
    echo "usage: run.sh MANIFEST FOLDER N HOST… [-- ARGUMENT…]" >&2
    exit 64
fi
manifest=$(realpath "$1")
mkdir -p "$2"
cd "$2"
count=$3
shift 3
hosts=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    hosts+=${hosts:+,}$1
    shift
done
shift || true
secrets=(${WAYBILL_ENV_FILE:+--env-file "$WAYBILL_ENV_FILE"})

# The hosts get this copy, and use it by the same relative path.
[ -f manifest.yaml ] || cp "$manifest" manifest.yaml
waybill run manifest.yaml --phase before --out before --resume "${secrets[@]}" "$@"

# The folder of a shard goes to its host and comes back, also if the shard fails: then another host continues it.
for ((shard = 1; shard <= count; shard++)); do mkdir -p "shards/$shard"; done
parallel --sshlogin "$hosts" --jobs 1 --retries 3 --joblog joblog --resume-failed \
    --workdir "waybill/$(basename "$PWD")" --basefile manifest.yaml --basefile before \
    --transferfile 'shards/{}' --return 'shards/{}' \
    waybill resume before --shard "{}/$count" --out 'shards/{}' --quiet "${secrets[@]}" \
    ::: $(seq "$count")

# The merged run gets its name when it is complete. It is not merged again: that would forget which of the steps after the
# shards have run.
if ! [ -d merged ]; then
    rm -rf merged.new
    waybill merge shards/* --out merged.new --quiet
    mv merged.new merged
fi
waybill resume merged "${secrets[@]}"
