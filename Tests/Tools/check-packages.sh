#!/usr/bin/env bash
# check-packages.sh [DIST [ROOT]]: installs the Debian package of DIST (dist) in a Debian 12 without Swift and checks there, as
# another user than root: the quickstart, the manual, completion in bash and zsh, and the tarball. Then it removes the package and
# checks that nothing is left. It checks the bill of materials with CycloneDX's library from PyPI. ROOT is a folder for the
# Debian, which is made if it is empty, and kept; otherwise the folder is temporary. Needs root, debootstrap, devscripts, Debian's
# registry and about 2 minutes.
set -euo pipefail
dist=$(realpath "${1:-dist}")
root=${2:+$(realpath -m "$2")}

# The checks run in namespaces of their own: their mounts and processes end with them, however they end.
if [ -z "${WAYBILL_CHECK_INSIDE:-}" ]; then
    if [ -z "$root" ]; then
        root=$(mktemp -d)
        chmod 755 "$root"
        trap 'rm -rf --one-file-system "$root"' EXIT
    fi
    export WAYBILL_CHECK_INSIDE=1
    timeout --foreground --kill-after=10 1200 unshare --mount --pid --fork --kill-child "$(realpath "$0")" "$dist" "$root"
    exit
fi

# expect WHAT EXPECTED FOUND: fails if the two differ.
expect() {
    if [ "$2" != "$3" ]; then
        printf 'failed: %s\nexpected: %s\nfound: %s\n' "$@" >&2
        exit 1
    fi
    echo "passed: $1"
}

# inside [USER]: runs the commands on standard input in the Debian, as USER (root).
inside() {
    local user=${1:-root}
    chroot "$root" setpriv --reuid "$user" --regid "$user" --init-groups --reset-env \
        env LANG=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive bash -euo pipefail
}

# files: lists the files of the Debian, apart from caches, logs and home folders.
files() {
    inside <<<'find / -xdev -regex "/\(proc\|tmp\|root\|home\|var/\(cache\|log\|lib/\(apt\|dpkg\)\)\)" -prune -o -print | sort'
}

deb=$(find "$dist" -name "waybill_*_$(dpkg --print-architecture).deb")
tarball=$(find "$dist" -name "waybill-*-linux-$(uname -m).tar.gz")
# shellcheck disable=SC2012 # the names are ours
expect "one package and one tarball in $dist" 2 "$(ls "$deb" "$tarball" | wc -l)"
(cd "$dist" && sha256sum --check --quiet SHA256SUMS)
echo "passed: checksums"

cyclonedx=11.12.0
tools=$("$(dirname "$0")/python-with.sh" "cyclonedx-python-lib[json-validation]==$cyclonedx")
expect "the bill of materials" "None" "$("$tools/bin/python" - "$dist"/waybill-*.cdx.json <<'PYTHON'
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
print(JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read()))
PYTHON
)"
expect "a licence of each component" "" "$("$tools/bin/python" - "$dist"/waybill-*.cdx.json <<'PYTHON'
import json, sys
print(*[c["name"] for c in json.load(open(sys.argv[1]))["components"] if not c.get("licenses")])
PYTHON
)"
version=$(dpkg-deb --field "$deb" Version | tr '~' -)

# Fortify needs C code that calls the functions that it checks, which Waybill's does not; Debian's own curl has no CFI either.
unpacked=$(mktemp -d)
dpkg-deb --extract "$deb" "$unpacked"
hardening-check --nofortify --nocfprotection "$unpacked/usr/bin/waybill"
rm -r "$unpacked"
echo "passed: a position-independent executable with full RELRO"

if ! [ -x "$root/usr/bin/dpkg" ]; then
    log=$(debootstrap --variant=minbase bookworm "$root" 2>&1) || { echo "$log" >&2; exit 1; }
fi
mount -t proc proc "$root/proc"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
cp /etc/resolv.conf "$root/etc/resolv.conf"

inside <<'COMMANDS'
apt-get -qq update
apt-get -qq install --no-install-recommends man-db zsh bash-completion >/dev/null 2>&1
apt-get -qq autoremove --purge waybill >/dev/null 2>&1 || true
id user >/dev/null 2>&1 || useradd --create-home user
COMMANDS
before=$(files)
cp "$deb" "$root/tmp/waybill.deb"
cp "$tarball" "$root/tmp/waybill.tar.gz"
inside <<<'apt-get -qq install /tmp/waybill.deb >/dev/null 2>&1; rm /tmp/waybill.deb'
expect "no Swift" "" "$(inside <<<'find / -xdev -name "libswift*" -o -xdev -name swiftc')"
expect "the version" "$version" "$(inside user <<<'waybill --version | grep -o "[0-9][^ ]*$"')"
expect "the quickstart" "passed" "$(inside user <<'COMMANDS'
cd
rm -rf waybill-results
waybill run /usr/share/doc/waybill/examples/quickstart.yaml --mock >log || cat log
sed -n 's/^ *"outcome": "\([a-z]*\)".*/\1/p' waybill-results/latest/run.json | sort -u
COMMANDS
)"
expect "man waybill" "1" "$(inside user <<<'man waybill | grep -c "^EXIT STATUS"')"
expect "man waybill-run" "1" "$(inside user <<<'man waybill-run | grep -c -e "^ *--jobs"')"
expect "apropos" "waybill-resume(1)" "$(inside user <<<'apropos --exact waybill-resume | sed "s/ (1).*/(1)/"')"

# As in a terminal: bash-completion loads the file by the name of the command.
expect "completion in bash" "report resume run runs" "$(inside user <<'COMMANDS'
set +eu
source /usr/share/bash-completion/bash_completion
_completion_loader waybill
function=$(complete -p waybill | sed 's/.* -F \([^ ]*\).*/\1/')
COMP_WORDS=(waybill r) COMP_CWORD=1 COMP_LINE="waybill r" COMP_POINT=9
"$function" waybill r waybill
printf '%s\n' "${COMPREPLY[@]}" | sed 's/ *$//' | sort | paste -sd ' '
COMMANDS
)"
# zsh completes only in a terminal: zpty is one. The line editor reads keys from the time at which it prints the prompt.
expect "completion in zsh" "report resume run runs" "$(inside user <<'COMMANDS'
cat >/tmp/waybill.zsh <<'ZSH'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'autoload -Uz compinit; compinit -u -d /tmp/waybill.dump; PS1=ready$((1+1))'
zpty -r shell out '*ready2*'
zpty -w -n shell $'waybill r\t'
zpty -w shell $'\025print done$((1+1))'
zpty -r shell out '*done2*'
zpty -d shell
print -r -- $out
ZSH
timeout 20 zsh -f /tmp/waybill.zsh | grep -o "^r[a-z]* *--" | sed 's/ *--//' | sort | paste -sd ' '
COMMANDS
)"
expect "the tarball" "$version" "$(inside user <<'COMMANDS'
rm -rf /tmp/waybill-*
tar --extract --gzip --file /tmp/waybill.tar.gz --directory /tmp
/tmp/waybill-*/bin/waybill --version | grep -o "[0-9][^ ]*$"
cmp /tmp/waybill-*/bin/waybill /usr/bin/waybill
COMMANDS
)"
# With all that was installed for it, even if another package would suggest it.
inside <<'COMMANDS'
apt-get -qq purge waybill >/dev/null 2>&1
apt-get -qq autoremove --purge -o APT::AutoRemove::RecommendsImportant=false -o APT::AutoRemove::SuggestsImportant=false \
    >/dev/null 2>&1
COMMANDS
expect "nothing is left" "" "$(comm -13 <(echo "$before") <(files))"
inside <<<'rm -rf /tmp/waybill* /home/user/waybill-results'
echo "$(basename "$deb"): $(stat --format %s "$deb") bytes"
