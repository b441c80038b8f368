#!/bin/sh
# SPDX-License-Identifier: MIT
# run_threads.sh BUILD: the tests of what runs on several threads, with ThreadSanitizer.
set -eu
build=$1
[ -f "$build/build.ninja" ] ||
    meson setup "$build" -Db_sanitize=thread -Db_lundef=false -Doptimization=0 -Ddebug=false >/dev/null
ninja -C "$build" --quiet tests/test_gpu_again tests/test_gpu_share tests/test_vdrm_threads
export TSAN_OPTIONS="${TSAN_OPTIONS-halt_on_error=1}"
meson test -C "$build" --no-rebuild --print-errorlogs --timeout-multiplier 4 gpu_again gpu_share vdrm_threads
