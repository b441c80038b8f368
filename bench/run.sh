#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD [RESULTS.jsonl]: speed of the interpreters by instruction (interp.py, ir3.py), then of the model
# against native C for the same work (bench.py), nine shaders on one thread and on all (nine.py), and against lavapipe for the same shaders (vulkan.py) and draws (draws.py),
# instrumented shaders against plain ones (records.py); then
# of command streams in words (cff.py); what else is read and printed as text (texts.py); then what a printf costs (printf.py);
# what compiling a shader's code costs (jit.py); what a wave and a call cost that do nothing (launch.c), and a submission of an empty command buffer, on lavapipe, too (submit.c);
# what breakpoints cost (breaks.py);
# then shaders compiled (compile.py) and pipelines linked (link.py); then the virtual driver with many buffers (buffers.c); then steps of the debugger (steps.py);
# what checks cost (checks.py).
set -eu
build=$1
here=$(dirname "$0")
out=${2:-$build/bench.jsonl}
rm -f "$out"
python3 "$here/interp.py" "$build/bench/bench_code" "$out"
echo
python3 "$here/ir3.py" "$build/bench/bench_ir3" "$out"
echo
python3 "$here/bench.py" "$build/lull" "$out"
echo
python3 "$here/nine.py" "$build/lull" "$here/../tests/vulkan/shaders" "$out"
echo
python3 "$here/vulkan.py" "$build/lull" "$here/../tests/vulkan/shaders" "$out"
echo
python3 "$here/records.py" "$build/lull" "$here/../tests/vulkan/shaders" "$build/src/cli/lull-run-arm64" "$out"
echo
python3 "$here/draws.py" "$build/lull" "$build/tests/draw/draw_scenes" "$out"
echo
python3 "$here/cff.py" "$build/lull" "$here/../../shared/traces" "$out"
echo
python3 "$here/texts.py" "$build/lull" "$here/../tests" "$here/../../shared/traces" "$out"
echo
if [ -x "$build/bench/bench_jit" ]; then
    python3 "$here/jit.py" "$build/lull" "$build/bench/bench_jit" "$here/../tests/vulkan/shaders" "$out"
    echo
fi
"$build/bench/bench_launch"
"$build/lull" exec "$build/bench/bench_submit"
"$build/bench/bench_submit" cpu
echo
python3 "$here/printf.py" "$build/lull" "$build/bench/printf_count" "$out"
echo
python3 "$here/breaks.py" "$build/lull" "$out"
echo
python3 "$here/compile.py" "$build/lull-cc" "$build/bench/compile_radv" "$here/../tests/vulkan/shaders" "$out"
echo
python3 "$here/link.py" "$build/lull" "$build/bench/bench_link" "$out"
echo
"$build/bench/bench_buffers" 10000
echo
python3 "$here/steps.py" "$build/lull" "$out"
echo
LEVELS=-O2 python3 "$here/checks.py" "$build/lull" 3 "$out"
