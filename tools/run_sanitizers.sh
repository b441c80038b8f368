#!/bin/sh
# SPDX-License-Identifier: MIT
# run_sanitizers.sh BUILD: tests with AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer, all but those of the
# suites style, long and plain (tests/meson.build), with LONG=1 also of those but style. Fetches programs for arm64; ends as run_tests.sh does.
set -u
build=$1
shift $#
tools=$(dirname "$0")
status=0
mkdir -p "$build"
rm -f "$build/meson-logs/testlog.json"
"$tools/arm64-root.sh" "$build/arm64" >/dev/null || echo "no arm64 programs: their tests are skipped (with LULL_NEED_ARM64 set they fail)"
[ -f "$build/build.ninja" ] ||
    meson setup "$build" -Db_sanitize=address,undefined -Db_lundef=false >/dev/null || exit
ninja -C "$build" --quiet || exit
# A call that fails, a leak or undefined behaviour ends the test with an error. Allocations that the
# sanitizer refuses must come back as NULL, as malloc's do.
export ASAN_OPTIONS="${ASAN_OPTIONS-allocator_may_return_null=1:detect_stack_use_after_return=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS-print_stacktrace=1:halt_on_error=1}"
[ "${LONG:-0}" != 0 ] || set -- --no-suite long --no-suite plain
meson test -C "$build" --print-errorlogs --no-suite style "$@" --timeout-multiplier 8 || status=1
python3 "$tools/count_tests.py" "$build/meson-logs/testlog.json" || status=1
exit $status
