#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pipelines linked per second, against ld.lld on objects of the same size that it can link (no relocations).

link.py LULL BENCH_LINK [RESULTS.jsonl]: a primitive and a pixel shader of llc-19, each with 16 descriptors. In the library: one
process, processor time. Commands: their CPU time, from the start to the end of the process, the best of five batches of 20, lull and
ld.lld alternating; files in memory (/dev/shm) where that is there: most of the time of a file on disk is the file system's."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

lull, bench = sys.argv[1], sys.argv[2]
out = open(sys.argv[3], "a", encoding="utf-8") if len(sys.argv) > 3 else None
N = 16
BATCH = 20


def shader(stage, relocations):
    """Sums the first dword of N buffers and exports it."""
    body = "".join(f"""  %o{i} = {f'call i32 @llvm.amdgcn.reloc.constant(metadata !{i})' if relocations else f'add i32 0, {16 * i}'}
  %z{i} = zext i32 %o{i} to i64
  %a{i} = add i64 %t, %z{i}
  %p{i} = inttoptr i64 %a{i} to ptr addrspace(4)
  %v{i} = load volatile i32, ptr addrspace(4) %p{i}
  %s{i + 1} = add i32 %s{i}, %v{i}
""" for i in range(N))
    notes = "".join(f'!{i} = !{{!"doff_0_{i}_b"}}\n' for i in range(N))
    return f"""target triple = "amdgcn-amd-amdpal"
declare i32 @llvm.amdgcn.reloc.constant(metadata)
declare void @llvm.amdgcn.exp.f32(i32, i32, float, float, float, float, i1, i1)
define amdgpu_{stage} void @_amdgpu_{stage}_main(i32 inreg %tab) {{
  %t = zext i32 %tab to i64
  %s0 = add i32 0, 0
{body}  %f = bitcast i32 %s{N} to float
  call void @llvm.amdgcn.exp.f32(i32 0, i32 15, float %f, float 0.0, float 0.0, float 1.0, i1 true, i1 true)
  ret void
}}
{notes if relocations else ""}"""


def batch(command):
    """Commands in a second of their CPU time."""
    seconds = 0
    for _ in range(BATCH):
        with subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as p:
            _, status, used = os.wait4(p.pid, 0)
            p.returncode = os.waitstatus_to_exitcode(status)
        if p.returncode != 0:
            sys.exit(f"link: {command[0]}: status {p.returncode}")
        seconds += used.ru_utime + used.ru_stime
    return BATCH / seconds


with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
    work = pathlib.Path(folder)
    objects = {True: [], False: []}
    for relocations in (True, False):
        for stage in ("gs", "ps"):
            ll, obj = work / f"{stage}.ll", work / f"{stage}{int(relocations)}.elf"
            ll.write_text(shader(stage, relocations))
            subprocess.run(["llc-19", "-mtriple=amdgcn-amd-amdpal", "-mcpu=gfx1100", "-filetype=obj", ll, "-o", obj], check=True)
            objects[relocations].append(obj)
    layout = work / "layout.json"
    layout.write_text(json.dumps({"nodes": [{"type": "table", "set": 0, "nodes": [
        {"type": "buffer", "binding": i} for i in range(N)]}]}))
    r = subprocess.run([bench, "2", layout, *objects[True]], capture_output=True, text=True, check=True)
    folded, plain = map(float, r.stdout.split())
    ours = [lull, "link", *objects[True], "--layout", layout, "-o", work / "p.elf"]
    peer = ["ld.lld-19", "-r", *objects[False], "-o", work / "q.elf"]
    rates = [0.0, 0.0]
    for _ in range(5):
        rates = [max(rates[0], batch(ours)), max(rates[1], batch(peer))]
print(f"link, in the library: {folded:.0f} pipelines a second on one core ({N} descriptors in each of two shaders), {plain:.0f} with --no-fold")
print(f"link, as a command: {rates[0]:.0f} a second of CPU time; ld.lld-19 -r on the same shaders without relocations {rates[1]:.0f}: "
      f"ratio {rates[0] / rates[1]:.1f}")
if out:
    json.dump({"name": "link", "library": folded, "library_no_fold": plain, "command": rates[0], "lld": rates[1]}, out)
    out.write("\n")
