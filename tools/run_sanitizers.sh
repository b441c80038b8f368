#!/bin/sh
# SPDX-License-Identifier: MIT
# run_sanitizers.sh BUILD: all tests but the style checks, with AddressSanitizer, LeakSanitizer and
# UndefinedBehaviorSanitizer. Not those of the suite `once`, which take minutes and run code that others run here.
set -eu
build=$1
mkdir -p "$build"
rm -f "$build/meson-logs/testlog.json"
[ -f "$build/build.ninja" ] ||
    meson setup "$build" -Db_sanitize=address,undefined -Db_lundef=false >/dev/null
ninja -C "$build" --quiet
# A call that fails, a leak or undefined behaviour ends the test with an error. Allocations that the
# sanitizer refuses must come back as NULL, as malloc's do.
export ASAN_OPTIONS="${ASAN_OPTIONS-allocator_may_return_null=1:detect_stack_use_after_return=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS-print_stacktrace=1:halt_on_error=1}"
meson test -C "$build" --print-errorlogs --no-suite style --no-suite once --timeout-multiplier 4
