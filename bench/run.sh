#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD [RESULTS.jsonl]: speed of the model against native C; see bench.py.
set -eu
build=$1
shift
exec python3 "$(dirname "$0")/bench.py" "$build/lull" "$@"
