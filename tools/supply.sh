#!/usr/bin/env bash
# What is known to be bad in what the program is made of, where that can be looked up. ADVISORY_DB names a copy of the RustSec
# database; npm's own registry is asked for the packages of the pages. Where there is no such data, the script says so, and
# that is no failure. Licences, bans and sources are checked by a test of the crate supply.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -n "${ADVISORY_DB:-}" ]; then
    "${CARGO:-cargo}" run --quiet -p supply -- check --advisories "$ADVISORY_DB"
else
    echo 'RustSec: ADVISORY_DB names no copy of the database; not checked.' >&2
fi
report=$(cd web && timeout 30 npm audit --json 2> /dev/null || true)
case $report in
    *'"auditReportVersion"'*)
        # The pages are built from these packages and ship what is left of them: high and critical ones are failures.
        node -e '
            const { metadata: { vulnerabilities: found } } = JSON.parse(require("fs").readFileSync(0, "utf8"));
            const bad = found.high + found.critical;
            console.error(`npm audit: ${found.total} known, ${bad} of them high or critical.`);
            process.exit(bad > 0 ? 1 : 0);' <<< "$report"
        ;;
    *) echo 'npm audit: the registry here has no advisories; not checked.' >&2 ;;
esac
