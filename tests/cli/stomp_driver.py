#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull stomp --via-driver: a program that takes Turnip's variables as Mesa's document has them, and Turnip.
stomp_driver.py LULL LULL_RUN_ARM64 ARM64.

The program does not draw: it fails if the registers that a driver would fill with garbage are those that the case names."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shim"))
import arm64_tools  # noqa: E402
from tap import case, end, skip  # noqa: E402

lull, host, root = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2], pathlib.Path(sys.argv[3])
keep = tempfile.TemporaryDirectory()
tmp = pathlib.Path(keep.name)
# The range is two hexadecimal numbers, both in it; flags: cmdbuf if there are none, renderpass, inverse. Source: docs/drivers/freedreno.rst,
# vulkan/tu_device.cc of Mesa 25.0.7. $1: cmdbuf or renderpass, when these registers count. $2...: sets, of which one must be all garbage.
DRIVER = r"""#!/bin/sh
[ -n "$TU_DEBUG_STALE_REGS_RANGE" ] || exit ${CLEAN:-0}
first=$((${TU_DEBUG_STALE_REGS_RANGE%,*})) last=$((${TU_DEBUG_STALE_REGS_RANGE#*,})) flags=${TU_DEBUG_STALE_REGS_FLAGS:-cmdbuf} inverse=0
case ",$flags," in *,inverse,*) inverse=1;; esac
case ",$flags," in *,$1,*) ;; *) exit 0;; esac
shift
for set; do
    all=1
    for reg in $(echo $set | tr , ' '); do
        in=$(( reg >= first && reg <= last ))
        [ $((in != inverse)) = 1 ] || all=0
    done
    [ $all = 0 ] || exit 1
done
exit 0
"""
(tmp / "program").write_text(DRIVER)
(tmp / "program").chmod(0o755)


def found(args, program, **more):
    env = {**os.environ, **more}
    r = subprocess.run([lull, "stomp", "--via-driver", "--json", *args, "--", tmp / "program", *program], capture_output=True, text=True, timeout=200, env=env)
    try:
        return r.returncode, [x["offset"] for x in json.loads(r.stdout)["registers"]]
    except ValueError:
        return r.returncode, r.stderr


for what, args, program, want in (
        ("a register", [], ["cmdbuf", "0x880e"], (1, ["0x880e"])),
        ("the first of the range", [], ["cmdbuf", "0x0c00"], (1, ["0x0c00"])),
        ("the last of the range", [], ["cmdbuf", "0xbe01"], (1, ["0xbe01"])),
        ("behind the range", [], ["cmdbuf", "0xbe02"], (0, [])),
        ("in a range", ["--range", "0x880e,0x880f"], ["cmdbuf", "0x880f"], (1, ["0x880f"])),
        ("two together", [], ["cmdbuf", "0x8090,0xa009"], (1, ["0x8090", "0xa009"])),
        ("two neighbours together", [], ["cmdbuf", "0x8090,0x8091"], (1, ["0x8090", "0x8091"])),
        ("three together", [], ["cmdbuf", "0x8090,0x880e,0xa009"], (1, ["0x8090", "0x880e", "0xa009"])),
        ("five together", [], ["cmdbuf", "0x8090,0x8091,0x880e,0x9000,0xa009"], (1, ["0x8090", "0x8091", "0x880e", "0x9000", "0xa009"])),
        ("two that fail alone", [], ["cmdbuf", "0x8090", "0xa009"], (1, ["0x8090"])),
        ("one alone, or two together", [], ["cmdbuf", "0x8090,0x880e", "0xa009"], (1, ["0x8090", "0x880e"])),
        ("none", [], ["cmdbuf"], (0, [])),
        ("of a render pass", ["--flags", "renderpass"], ["renderpass", "0x8c2c"], (1, ["0x8c2c"])),
        ("of both", ["--flags", "cmdbuf,renderpass"], ["renderpass", "0x8c2c"], (1, ["0x8c2c"])),
        ("of a render pass, not asked for", [], ["renderpass", "0x8c2c"], (0, [])),
        ("by a command", ["--while", 'test "$STATUS" = 1'], ["cmdbuf", "0x880e"], (1, ["0x880e"]))):
    got = found(args, program)
    case(what, got == want, (got, want))
got = found([], ["cmdbuf", "0x880e"], TU_DEBUG_STALE_REGS_RANGE="0x1,0x2", TU_DEBUG_STALE_REGS_FLAGS="renderpass")
case("variables that are set already", got == (1, ["0x880e"]), got)
got = found([], ["cmdbuf", "0x880e"], CLEAN="1")
case("fails anyway", got[0] == 3 and "fails with no garbage, too" in got[1], got)
for args in (["--memory"], ["--flags", "inverse"]):
    got = found(args, ["cmdbuf", "0x880e"])
    case(f"wrong: {args}", got[0] == 2 and "--memory and the flag inverse are of lull's own" in got[1], got)
r = subprocess.run([lull, "stomp", "--via-driver", "--range", "0x8800,0x8810", "--", tmp / "program", "cmdbuf", "0x8803,0x880e"], capture_output=True, text=True)
case("in words", r.returncode == 1 and r.stdout.startswith("passes  with no garbage\nfails (exit status 1)  0x8800 to 0x8810\n") and
     "\npasses  all but 0x8803 to 0x880e\n" in r.stdout and "fails with garbage in these together, and no fewer of them:\n  0x8803 " in r.stdout, r.stdout)

# Turnip itself on the model: a capture of each run tells which registers it filled, and the run is wrong if VFD_ADD_OFFSET is among them.
SHADER = """#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { uint v[]; } o;
void main() { o.v[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x; }
"""
why = arm64_tools.absent(root)
if why is not None:
    skip(why)
else:
    (tmp / "s.comp").write_text(SHADER)
    subprocess.run(["glslangValidator", "-V", "--quiet", tmp / "s.comp", "-o", tmp / "s.spv"], check=True, capture_output=True)
    env = {k: v for k, v in os.environ.items() if k not in ("VK_DRIVER_FILES", "LD_LIBRARY_PATH")}
    env.update(LULL_ARM64=str(root), VK_ICD_FILENAMES="/icd/backports/freedreno.json", MESA_SHADER_CACHE_DISABLE="true", TMPDIR=str(tmp),
               XDG_RUNTIME_DIR=str(tmp))
    wrong = f'{lull} cffdump {tmp}/run.rd | grep -q "VFD_ADD_OFFSET: .*0xfffffffc"'
    r = subprocess.run([lull, "stomp", "--via-driver", "--json", "--range", "0xa008,0xa00b", "--while", wrong, "--", lull, "exec", "--gpu", "a660", "--rd",
                        tmp / "run.rd", "--", host, "run", tmp / "s.spv", "--groups", "1", "--bind", "0.0=zeros:256", "--vulkan-device", "Turnip"],
                       capture_output=True, text=True, timeout=280, env=env)
    got = [x["offset"] for x in json.loads(r.stdout)["registers"]] if r.stdout else r.stderr
    case("Turnip fills what it is told to", r.returncode == 1 and got == ["0xa009"], (r.returncode, got, r.stderr))
end()
