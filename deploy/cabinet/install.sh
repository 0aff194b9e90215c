#!/bin/sh
# Turns a fresh Debian 12 into a cabinet. Run as root in the folder of this file, with the program beside it:
#
#   ./install.sh TERMINAL
#
# Nothing is started: first write /etc/croupier/cabinet.toml and enrol the keys (docs/cabinet.md).
set -eu
terminal=${1:?Usage: ./install.sh TERMINAL}
case $terminal in *[!0-9]*) echo "TERMINAL is the number of the terminal on the floor." >&2; exit 2 ;; esac
[ "$(id -u)" = 0 ] || { echo "Run this as root." >&2; exit 1; }
[ -x ./croupier ] || { echo "The program is missing: put croupier beside this file." >&2; exit 1; }
cd "$(dirname "$0")"

apt-get update -q
apt-get install -y -q cage chromium fonts-noto-cjk
getent group gpio > /dev/null || groupadd --system gpio
id croupier-cabinet > /dev/null 2>&1 || useradd --system --user-group --home-dir /var/lib/croupier-cabinet croupier-cabinet
id croupier-kiosk > /dev/null 2>&1 || useradd --system --user-group --create-home --home-dir /home/croupier-kiosk croupier-kiosk

install -m 0755 croupier /usr/bin/croupier
install -d -m 0750 -g croupier-cabinet /etc/croupier
[ -e /etc/croupier/cabinet.toml ] || install -m 0640 -g croupier-cabinet cabinet.toml /etc/croupier/cabinet.toml
printf 'TERMINAL=%s\n' "$terminal" > /etc/croupier/kiosk.env
install -d -m 0755 /etc/chromium/policies/managed
install -m 0644 chromium-policy.json /etc/chromium/policies/managed/croupier.json
install -m 0644 70-croupier.rules /etc/udev/rules.d/70-croupier.rules
install -m 0644 croupier-cabinet.service croupier-kiosk.service /etc/systemd/system/
udevadm control --reload
systemctl daemon-reload
systemctl enable croupier-cabinet.service croupier-kiosk.service
systemctl set-default multi-user.target
echo "Installed. Write /etc/croupier/cabinet.toml, enrol the keys, and restart."
