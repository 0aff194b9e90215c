#!/bin/bash
# Others verify a log that the program made: Go's x/mod (Debian's packages) and proofbundle (PyPI). Each must also refuse what was
# changed. What is missing is fetched into target/others; nothing is installed.
#   tools/others.sh PROGRAM
set -euo pipefail
program=$(realpath "${1:-target/debug/croupier}")
top=$(cd "$(dirname "$0")/.." && pwd)
place=$top/target/others
mkdir -p "$place"

if [ ! -x "$place/python/bin/proofbundle" ]; then
	python3 -m venv --clear "$place/python"
	"$place/python/bin/python" -m pip install --quiet --disable-pip-version-check proofbundle==6.3.1
fi
go=$place/go/usr/lib/go-1.19
if [ ! -x "$go/bin/go" ]; then
	mkdir -p "$place/go" && cd "$place/go"
	packages=(golang-1.19-go golang-1.19-src golang-golang-x-mod-dev golang-golang-x-xerrors-dev)
	apt-get download -q "${packages[@]}" 2> /dev/null || { [ "$(id -u)" = 0 ] && apt-get update -q && apt-get download -q "${packages[@]}"; }
	for package in *.deb; do dpkg -x "$package" .; done
	rm ./*.deb
fi
verify() {
	GO111MODULE=off GOFLAGS=-mod=mod GOROOT=$go GOPATH=$place/go/usr/share/gocode GOCACHE=$place/cache CGO_ENABLED=0 \
		"$go/bin/go" run "$top/tools/others/main.go" "$@"
}

work=$(mktemp -d)
witness=
trap '[ -z "$witness" ] || kill "$witness" 2> /dev/null || true; rm -rf "$work"' EXIT
cd "$work"

# A floor that is started twice, so that its log grows.
for head in old new; do
	"$program" pipe --demo --data floor < /dev/null > /dev/null
	"$program" log head --data floor > "$head.note"
done
"$program" log head --key --data floor > floor.vkey
"$program" log export --data floor --to mirror > /dev/null
old=$(sed -n 2p old.note)
"$program" log prove since "$old" --data floor > growth
"$program" log prove record 5 --data floor > five.tlog-proof
# Entry 4 of the first tile of entries: two bytes of length before each.
tail -c +$((4 * 35 + 3)) mirror/tile/entries/000*/* 2> /dev/null | head -c 33 > entry || true
[ -f mirror/tile/entries/000 ] && tail -c +$((4 * 35 + 3)) mirror/tile/entries/000 | head -c 33 > entry
test "$(stat -c %s entry)" = 33

# A witness, which is asked with nothing but curl.
"$program" witness keygen regulator.example/w --key w.key --state w.state > w.vkey
echo "log $(cat floor.vkey)" > logs.txt
"$program" --json witness run --key w.key --state w.state --policy logs.txt --listen 127.0.0.1:0 > said &
witness=$!
for _ in $(seq 100); do [ -s said ] && break; sleep 0.1; done
address=$(sed -E 's/.*"address": ?"([^"]+)".*/\1/' said)
{ printf 'old 0\n\n'; cat new.note; } > request
curl -sf --data-binary @request "$address/add-checkpoint" > cosignature
cat five.tlog-proof cosignature > cosigned.tlog-proof

verify floor.vkey mirror five.tlog-proof entry old.note growth
check=("$place/python/bin/proofbundle" verify-proof cosigned.tlog-proof --payload-file entry --log-vkey "$(cat floor.vkey)"
	--witness-vkey "$(cat w.vkey)" --threshold 1)
"${check[@]}" > /dev/null
echo "proofbundle: record 5, the log's signature, a cosignature"

refused() { if "$@" > /dev/null 2>&1; then echo "accepted: $*" >&2; exit 1; fi; }
# Another entry, another proof, another root, no witness.
printf 'x' | dd of=entry bs=1 seek=9 conv=notrunc status=none
refused verify floor.vkey mirror five.tlog-proof entry old.note growth
refused "${check[@]}"
tail -c +$((5 * 35 + 3)) mirror/tile/entries/000*/* 2> /dev/null | head -c 33 > entry || true
refused "${check[@]}"
sed -i '3s/^./&x/; 3s/^\(..\)./\1/' old.note
refused verify floor.vkey mirror five.tlog-proof entry old.note growth
cp five.tlog-proof cosigned.tlog-proof
refused "${check[@]}"
echo 'Others agree, and refuse what was changed.'
