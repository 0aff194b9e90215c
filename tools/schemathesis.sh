#!/usr/bin/env bash
# Runs schemathesis against the demonstration: nothing may answer with 5xx or with a status that the document does not name.
#
#   tools/schemathesis.sh PROGRAM
#
# EXAMPLES: cases for each operation (10; `make test-deep` takes 300). MOST: seconds for each run (45). PHASES: of schemathesis.
# WHO: the people it signs in as, besides nobody.
set -euo pipefail

program=${1:?the program to test}
examples=${EXAMPLES:-10}
most=${MOST:-45}
phases=${PHASES:-examples,fuzzing}
who=${WHO:-administrator1 manager1}
version=4.32.5
venv=target/schemathesis

command -v python3 > /dev/null || { echo 'python3 is missing: schemathesis cannot be run' >&2; exit 1; }
if ! "$venv/bin/st" --version 2> /dev/null | grep -qF "$version"; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet "schemathesis==$version"
fi

folder=$(mktemp -d)
"$program" --json serve --demo --listen 127.0.0.1:0 --data "$folder/data" > "$folder/address" 2> "$folder/log" &
host=$!
trap 'kill "$host" 2> /dev/null || true; wait "$host" 2> /dev/null || true; rm -rf "$folder"' EXIT
for _ in $(seq 200); do
  [ -s "$folder/address" ] && break
  kill -0 "$host" 2> /dev/null || { cat "$folder/log" >&2; exit 1; }
  sleep 0.05
done
base=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["address"])' < "$folder/address")

# Sessions end by themselves when a case signs out or changes a password, so those operations are for nobody.
# Feeds are WebSockets, which schemathesis does not speak; a plain GET there is answered as one that is no upgrade.
# One worker: with more, Python 3.11 fails now and then when it parses ("AST constructor recursion depth mismatch"), which
# schemathesis counts as an error of an operation.
run() {
  local name=$1; shift
  printf '\n── schemathesis as %s\n' "$name"
  "$venv/bin/st" run "$base/openapi.json" --url "$base" \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance \
    --phases "$phases" --max-time "$most" --max-examples "$examples" --workers 1 --seed 5 --no-color \
    --suppress-health-check all --warnings off "$@"
}

for login in $who; do
  cookie=$(curl -sf -D - -o /dev/null -H 'Content-Type: application/json' \
    -d "{\"login\":\"$login\",\"password\":\"demonstration\"}" "$base/api/v1/floors/demo/session" |
    sed -n 's/^set-cookie: \([^;]*\).*/\1/ip' | tr -d '\r')
  run "$login" -H "Cookie: $cookie" -H 'X-Croupier: 1' --exclude-path-regex '/feed/|/session|/sessions$|/staff/.*/password'
done
# Last: nobody signs in wrongly so often that the host then refuses this address for a while.
run nobody --exclude-path-regex /feed/
kill -0 "$host" || { echo 'the host has ended' >&2; cat "$folder/log" >&2; exit 1; }
