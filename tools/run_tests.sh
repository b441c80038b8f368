#!/bin/sh
# SPDX-License-Identifier: MIT
# run_tests.sh BUILD: all tests; ends with "N passed, N failed, N skipped" over all cases.
set -u
build=$1
meson test -C "$build" --print-errorlogs
status=$?
python3 "$(dirname "$0")/count_tests.py" "$build/meson-logs/testlog.json" || status=1
exit $status
