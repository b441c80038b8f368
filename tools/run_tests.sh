#!/bin/sh
# SPDX-License-Identifier: MIT
# run_tests.sh BUILD: all tests of a build but those of the suite `long` (tests/meson.build), with LONG=1 those, too.
# Fetches the newer RADV and programs for arm64 into BUILD. Names what was skipped and which drivers ran; ends with
# "N passed, N failed, N skipped" over all cases.
set -u
build=$1
tools=$(dirname "$0")
status=0
rm -f "$build/meson-logs/testlog.json"
python3 "$tools/radv.py" get "$build/radv"
# With the folder there is a shim for arm64 to build.
"$tools/arm64-root.sh" "$build/arm64" >/dev/null && ninja -C "$build" --quiet || echo "no arm64 programs: their tests are skipped (with LULL_NEED_ARM64 set they fail)"
if [ "${LONG:-0}" = 0 ]; then
    echo "left out: $(meson test -C "$build" --no-rebuild --list --suite long 2>/dev/null | grep -c /) tests that take minutes, more of the same; LONG=1 runs them"
    set -- --no-suite long
else
    set --
fi
# What a busy machine takes longer for is no failure; what never ends is.
meson test -C "$build" --print-errorlogs --timeout-multiplier 3 "$@" || status=1
python3 "$tools/count_tests.py" "$build/meson-logs/testlog.json" || status=1
exit $status
