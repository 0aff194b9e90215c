#!/usr/bin/env bash
# The program as it is delivered: target/release/croupier, its bill of materials, a Debian package, and the hashes of all three.
# The same sources, compiler and C compiler give the same bytes, on any machine and in any folder: no path of this machine and
# no time of the build is in them. A test laboratory builds the program again and compares the hashes.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo=${CARGO:-cargo}
root=$PWD
home=${CARGO_HOME:-$HOME/.cargo}
sources=$(rustc --print sysroot)/lib/rustlib/src/rust
commit=$(rustc --version --verbose | sed -n 's/^commit-hash: //p')
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
# The time of everything in the package: that of the last commit, or 1980 in sources without a history.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || echo 315532800)}
export SOURCE_DATE_EPOCH

# Paths of this machine get names that are the same everywhere. The later of two that match counts.
RUSTFLAGS="--remap-path-prefix=$home=/cargo --remap-path-prefix=$sources=/rustc/$commit --remap-path-prefix=$root=/croupier"
CFLAGS="-ffile-prefix-map=$home=/cargo -ffile-prefix-map=$root=/croupier"
export RUSTFLAGS CFLAGS CARGO_INCREMENTAL=0
"$cargo" build --release --locked --bin croupier
unset RUSTFLAGS CFLAGS
"$cargo" run --quiet --locked -p supply -- sbom target/release/croupier.cdx.json

architecture=$(dpkg --print-architecture 2> /dev/null || true)
package=croupier_${version}_$architecture.deb
files=(croupier croupier.cdx.json)
if [ -n "$architecture" ]; then
    tools/package.sh "$version" "$architecture" "target/release/$package"
    files+=("$package")
else
    echo 'There is no dpkg here: no Debian package was made.' >&2
fi
cd target/release
sha256sum "${files[@]}" | tee croupier.sha256
