#!/bin/bash
# SPDX-License-Identifier: MIT
# check_format.sh: ends with 1 where clang-format 14 with .clang-format would change a file. Headers of the kernel are not ours.
set -eu
cd "$(dirname "$0")/.."
git ls-files -z -- '*.c' '*.h' ':!src/uapi' | xargs -0 clang-format --dry-run -Werror
