#!/usr/bin/env bash
# What the program is made of: licences, bans and sources as deny.toml has them, and what is known to be bad where that can be
# looked up. ADVISORY_DB names a copy of the RustSec database; npm's own registry is asked for the packages of the pages. Where
# there is no such data, that is said, and it is no failure.
set -euo pipefail
cd "$(dirname "$0")/.."
check=(check)
if [ -n "${ADVISORY_DB:-}" ]; then check+=(--advisories "$ADVISORY_DB"); fi
"${CARGO:-cargo}" run --quiet -p supply -- "${check[@]}"
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
