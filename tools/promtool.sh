#!/usr/bin/env bash
# The rules for Prometheus: whether it takes them, and whether each alert is raised when it should be and only then.
set -euo pipefail
cd "$(dirname "$0")/.."
promtool=${PROMTOOL:-target/prometheus/usr/bin/promtool}
[ -x "$promtool" ] || promtool=$(command -v promtool)
"$promtool" check rules deploy/prometheus/croupier.rules.yml
"$promtool" test rules deploy/prometheus/croupier.rules.test.yml
