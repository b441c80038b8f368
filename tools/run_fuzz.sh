#!/bin/bash
# SPDX-License-Identifier: MIT
# run_fuzz.sh [TARGET...]: libFuzzer with ASan and UBSan, built by clang in build-fuzz.
# Each target (default: all of tests/fuzz/) runs FUZZ_SECONDS (60) on its corpus. New inputs go to
# build-fuzz/found/TARGET, inputs that crash, leak or hang to build-fuzz/crashes; exit 1 if there are any.
set -u
cd "$(dirname "$0")/.." || exit 3
build=${FUZZ_BUILD:-build-fuzz}
seconds=${FUZZ_SECONDS:-60}
tools/install_packages.sh packages.txt && tools/install_packages.sh packages-fuzz.txt || exit 3
if [ ! -f "$build/build.ninja" ]; then
    CC=clang meson setup "$build" -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false >/dev/null || exit 3
fi
ninja -C "$build" --quiet || exit 3
export UBSAN_OPTIONS=${UBSAN_OPTIONS-print_stacktrace=1:halt_on_error=1}
export ASAN_OPTIONS=${ASAN_OPTIONS-allocator_may_return_null=1}
mkdir -p "$build/crashes" "$build/found"

targets=("$@")
if [ $# = 0 ]; then
    for c in tests/fuzz/corpus/*/; do
        targets+=("$(basename "$c")")
    done
fi
# Each in a process of its own, as many at once as there are processors.
fuzz() {
    local t=$1 exe=$build/tests/fuzz/fuzz_$1 corpus=tests/fuzz/corpus/$1 log=$build/found/$1.log runs
    mkdir -p "$build/found/$t"
    if "$exe" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix="$build/crashes/$t-" "$build/found/$t" "$corpus" >"$log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        echo "fuzz_$t: $runs runs in $seconds s, nothing found"
    else
        # One write, so that the lines of two targets do not mix.
        echo "failed: fuzz_$t: see $log
$(grep -E 'ERROR: |runtime error: |SUMMARY: |Test unit written| in [a-z_]+ .*\.\./(src|tests)/' "$log" | head -n 16 | sed 's/^/failed:   /')"
        return 1
    fi
}

for t in "${targets[@]}"; do
    if [ ! -x "$build/tests/fuzz/fuzz_$t" ] || [ ! -d "tests/fuzz/corpus/$t" ]; then
        echo "fuzz_$t: no such target or no corpus" >&2
        exit 2
    fi
done
export -f fuzz
export build seconds
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -n 1 bash -c 'fuzz "$1"' fuzz | tee "$build/found/summary"
passed=$(grep -c ', nothing found$' "$build/found/summary")
echo "$passed passed, $((${#targets[@]} - passed)) failed, 0 skipped"
[ "$passed" = ${#targets[@]} ]
