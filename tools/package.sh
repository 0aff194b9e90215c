#!/usr/bin/env bash
# A Debian package of the program that was built: package.sh VERSION ARCHITECTURE FILE. The files are those of deploy/, where each
# is explained; what runs at the installation is in deploy/debian.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$1 architecture=$2 file=$3
: "${SOURCE_DATE_EPOCH:=315532800}"
export SOURCE_DATE_EPOCH
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
put() { install -D -m "$1" "$2" "$tree/$3"; }

put 0755 target/release/croupier usr/bin/croupier
put 0644 deploy/croupier.service usr/lib/systemd/system/croupier.service
put 0640 docs/croupier.example.toml etc/croupier/croupier.toml
put 0644 target/release/croupier.cdx.json usr/share/doc/croupier/croupier.cdx.json
put 0644 LICENSE-MIT usr/share/doc/croupier/copyright
for page in CHANGELOG.md docs/*.md; do put 0644 "$page" "usr/share/doc/croupier/$(basename "$page")"; done
for example in deploy/nats-server.conf deploy/nats-server.service deploy/prometheus/croupier.rules.yml \
    deploy/grafana/croupier.json deploy/cabinet/*; do
    mode=0644
    [ ! -x "$example" ] || mode=0755
    put "$mode" "$example" "usr/share/doc/croupier/examples/${example#deploy/}"
done

mkdir "$tree/DEBIAN"
sed -e "s/@VERSION@/$version/; s/@ARCHITECTURE@/$architecture/" \
    -e "s/@SIZE@/$(du -sk --apparent-size --exclude=DEBIAN "$tree" | cut -f1)/" deploy/debian/control > "$tree/DEBIAN/control"
echo /etc/croupier/croupier.toml > "$tree/DEBIAN/conffiles"
install -m 0755 deploy/debian/postinst deploy/debian/prerm deploy/debian/postrm "$tree/DEBIAN/"
find "$tree" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --build "$tree" "$file" > /dev/null
