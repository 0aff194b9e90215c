#!/usr/bin/env bash
# Fuzzes every target for FUZZ_SECONDS (60), or those that are named:
#
#   fuzz/run.sh                # all
#   fuzz/run.sh feed journal   # some
#
# It needs the usual toolchain and a C++ compiler, and no nightly one: coverage comes from LLVM's own pass, which the stable
# compiler can be asked for. The address sanitizer does need nightly and would find little: `unsafe` is forbidden here.
# What is found is kept in fuzz/target/corpus; the seeds in fuzz/corpus are only read. An input that breaks a target is in
# fuzz/target/broken, and is run again by giving its file: fuzz/target/…/release/feed FILE
set -euo pipefail
cd "$(dirname "$0")"
seconds=${FUZZ_SECONDS:-60}
target=$(rustc -vV | awk '/^host:/ { print $2 }')
flags='--cfg fuzzing -C passes=sancov-module'
for option in level=4 inline-8bit-counters pc-table trace-compares; do
    flags+=" -C llvm-args=-sanitizer-coverage-$option"
done
# Named, so that build scripts and macros are compiled without it.
RUSTFLAGS=$flags CARGO_TARGET_DIR=target ${CARGO:-cargo} build --quiet --locked --release --target "$target"
mkdir -p target/broken
if [ $# -eq 0 ]; then set -- $(cd targets && ls | sed "s/[.]rs$//"); fi
for name in "$@"; do
    mkdir -p "target/corpus/$name"
    seeds=("corpus/$name")
    if [ "$name" = rulebook ]; then seeds+=(../rulebooks); fi
    printf '── %s: ' "$name"
    # More than it ever needs is an error too.
    if ! "target/$target/release/$name" "target/corpus/$name" "${seeds[@]}" -max_total_time="$seconds" -timeout=10 \
        -rss_limit_mb=2048 -artifact_prefix="target/broken/$name-" -print_final_stats=1 > "target/$name.log" 2>&1; then
        echo 'broken'
        tail -40 "target/$name.log"
        exit 1
    fi
    awk '/number_of_executed_units/ { runs = $2 } /cov:/ { for (i = 1; i < NF; i++) if ($i == "cov:") cov = $(i + 1) }
        END { printf "%d runs, %d places reached, nothing broken\n", runs, cov }' "target/$name.log"
done
