#!/bin/sh
# SPDX-License-Identifier: MIT
# run_tests.sh BUILD: all tests, plain (not with PLAIN=0) and then with ASan and UBSan (built in BUILD-sanitize; not
# with SANITIZE=0). Names what was skipped and which drivers ran; ends with "N passed, N failed, N skipped" over all
# cases.
set -u
build=$1
tools=$(dirname "$0")
status=0
rm -f "$build/meson-logs/testlog.json"
python3 "$tools/radv.py" get "$build/radv"
# With the folder there is a shim for arm64 to build.
"$tools/arm64-root.sh" "$build/arm64" >/dev/null && ninja -C "$build" --quiet || echo "no arm64 programs: their tests are skipped (with LULL_NEED_ARM64 set they fail)"
logs=
if [ "${PLAIN:-1}" != 0 ]; then
    meson test -C "$build" --print-errorlogs || status=1
    logs=$build/meson-logs/testlog.json
fi
if [ "${SANITIZE:-1}" != 0 ]; then
    [ ! -d "$build/arm64" ] || [ -e "$build-sanitize/arm64" ] || { mkdir -p "$build-sanitize" && ln -s "$(realpath "$build/arm64")" "$build-sanitize/arm64"; }
    "$tools/run_sanitizers.sh" "$build-sanitize" || status=1
    logs="$logs $build-sanitize/meson-logs/testlog.json"
fi
# shellcheck disable=SC2086
python3 "$tools/count_tests.py" $logs || status=1
exit $status
