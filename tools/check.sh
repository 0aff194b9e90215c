#!/usr/bin/env bash
# Format, lints and tests of what changed since a commit (HEAD, or the one named): each changed crate by itself, and the
# pages. It is what to run after a changed line; crates that depend on a changed one are left to `make test`.
set -euo pipefail
cd "$(dirname "$0")/.."
since=${1:-HEAD}
git rev-parse --quiet --verify "$since^{commit}" > /dev/null || { echo "$since is not a commit." >&2; exit 2; }
changed=$({ git diff --name-only "$since"; git ls-files --others --exclude-standard; } | sort -u)
cargo=${CARGO:-cargo}

# What the whole workspace is built from changes every crate.
if grep -qE '^(Cargo\.toml|Cargo\.lock|rustfmt\.toml)$' <<< "$changed"; then
    echo 'The workspace itself changed: run make test for all of it.' >&2
fi
crates=()
for crate in $(sed -n 's|^crates/\([^/]*\)/.*|\1|p' <<< "$changed" | sort -u); do
    [ ! -e "crates/$crate/Cargo.toml" ] || crates+=(-p "$crate")
done
# Rulebooks and scenarios are read by these.
! grep -q '^rulebooks/' <<< "$changed" || crates+=(-p rulebook)
! grep -q '^scenarios/' <<< "$changed" || crates+=(-p scenarios)

if [ ${#crates[@]} -gt 0 ]; then
    "$cargo" fmt --all --check
    "$cargo" clippy "${crates[@]}" --all-targets -- -D warnings
    "$cargo" test "${crates[@]}" --no-fail-fast
fi
if grep -q '^web/' <<< "$changed"; then
    (cd web && npm run check && npm run lint && npm test)
fi
if [ ${#crates[@]} = 0 ] && ! grep -q '^web/' <<< "$changed"; then
    echo "No crate and no page changed since $since."
fi
