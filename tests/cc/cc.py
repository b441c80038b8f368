#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull cc: outputs, as LLVM's tools read them, and refusals. cc.py LULL."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull = sys.argv[1]


def run(*args, stdin=None):
    r = subprocess.run([lull, "cc", *map(str, args)], capture_output=True, text=True, input=stdin)
    return r.returncode, r.stdout, r.stderr


def tool(*args):
    return subprocess.run([*map(str, args)], capture_output=True, text=True).stdout


shader = """
define amdgpu_cs void @main(ptr addrspace(1) inreg %p, <3 x i32> %id) {
  %x = extractelement <3 x i32> %id, i32 0
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %x
  store i32 %x, ptr addrspace(1) %q
  ret void
}
"""

with tempfile.TemporaryDirectory() as tmp:
    d = pathlib.Path(tmp)
    ll = d / "a.ll"
    ll.write_text(shader)
    # What llvm-readelf says of the machine and the system: LLVM's own reading.
    for cpu, triple, system in [("gfx1100", None, "AMDGPU - PAL"), ("gfx1030", "amdgcn--amdpal", "AMDGPU - PAL"),
                            ("gfx900", "amdgcn-amd-amdpal", "AMDGPU - PAL")]:
        status, out, err = run(ll, f"-mcpu={cpu}", *([f"-mtriple={triple}"] if triple else []), "-o", d / "a.elf")
        head = tool("llvm-readelf-19", "-h", d / "a.elf") if status == 0 else ""
        case(f"object for {cpu}, {triple}", status == 0 and out + err == "" and cpu in head and system in head, err + head)
    hsa = d / "hsa.ll"
    hsa.write_text(shader.replace("amdgpu_cs", "amdgpu_kernel").replace("inreg %p, <3 x i32> %id", "%p")
                   .replace("%x = extractelement <3 x i32> %id, i32 0", "%x = add i32 0, 1"))
    status, out, err = run(hsa, "-mtriple=amdgcn-amd-amdhsa", "-O0")
    head = tool("llvm-readelf-19", "-hn", d / "hsa.elf") if status == 0 else ""
    case("amdhsa object, named after the input", status == 0 and "AMDGPU - HSA" in head and "amdhsa.kernels" in head,
         err + head)
    status, out, err = run(ll, "--emit=asm", "-o", "-")
    case("assembly to stdout", status == 0 and "global_store_b32" in out and "main:" in out, err + out)
    status, out, err = run(ll, "--emit=ll", "-o", "-")
    case("IR to stdout", status == 0 and "define amdgpu_cs void @main" in out and '"target-cpu"="gfx1100"' in out,
         err + out)
    status, out, err = run(ll, "--emit=bc", "-o", d / "a.bc")
    status2, out, err2 = run(d / "a.bc", "--emit=asm", "-o", "-")
    case("bitcode out and in", status == 0 and status2 == 0 and "global_store_b32" in out, err + err2)
    status, out, err = run("-", "--emit=asm", stdin=shader)
    case("standard input", status == 0 and "global_store_b32" in out, err)
    first = run(ll, "-o", d / "1.elf")
    second = run(ll, "-o", d / "2.elf")
    case("same input, same bytes", first[0] == second[0] == 0
         and (d / "1.elf").read_bytes() == (d / "2.elf").read_bytes())

    # The front end's IR: LLVM's assembler takes it, the calls that lull's passes lower and the variables that LLVM's promote are
    # in it, and what is compiled of it is what is compiled of the shader.
    comp, spv, ir = d / "k.comp", d / "k.spv", d / "k.ll"
    comp.write_text("""#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer B { uint b[]; };
layout(push_constant) uniform P { uint k; };
void main() { uint s = 0; for (uint i = 0; i < k; i++) s += b[i]; b[gl_GlobalInvocationID.x] = s; }
""")
    subprocess.run(["glslangValidator", "-V", comp, "-o", spv], check=True, stdout=subprocess.DEVNULL)
    for source in (comp, spv):
        status, out, err = run("--emit-ir", source)
        r = subprocess.run(["llvm-as-19", "-o", "/dev/null"], input=out, capture_output=True, text=True)
        case(f"the front end's IR of {source.name}", status == 0 and err == "" and r.returncode == 0 and "@lull.buffer.desc(i32 0, i32 0" in out
             and "@lull.push.constant(i32 0)" in out and "%s = alloca i32" in out, (status, out, err, r.stderr))
    status, out2, err = run("--emit-ir", "--printf", "--relocatable", spv, "-o", ir)
    case("... into a file, whatever the passes are", status == 0 and out2 + err == "" and ir.read_text() == out, (status, out2, err))
    got = run(ir, "--relocatable", "-o", d / "k1.elf"), run(spv, "--relocatable", "-o", d / "k2.elf")
    case("... and the same code of it", got[0][0] == got[1][0] == 0 and (d / "k1.elf").read_bytes() == (d / "k2.elf").read_bytes(), got)
    status, out, err = run("--emit-ir", ll, "-o", d / "none.ll")
    case("no front end for IR", status == 2 and "a.ll" in err and "--emit-ir" in err and not (d / "none.ll").exists(), (status, err))

    text = ll.read_bytes()
    for args in (("-o", ll), ("-o", d / "3.elf", "--printf", "--printf-strings", ll)):
        got = run(ll, *args)
        case(f"the input stays: {args[-2]}", got[0] == 2 and "input and output" in got[2] and ll.read_bytes() == text, got)

    # A copy of lull-cc that asks for a library that is nowhere; its name has the same length.
    here = pathlib.Path(lull).resolve().parent
    program = pathlib.Path(os.environ["LULL_CC"]) if "LULL_CC" in os.environ else here / "lull-cc"
    data = program.read_bytes()
    name = re.search(rb"\0(libLLVM[^\0]*)\0", data)[1]
    broken, gone = d / "lull-cc", b"libNOPE" + name[7:]
    broken.write_bytes(data.replace(b"\0" + name + b"\0", b"\0" + gone + b"\0"))
    broken.chmod(0o755)
    r = subprocess.run([lull, "cc", ll, "-o", d / "4.elf"], capture_output=True, text=True, env={**os.environ, "LULL_CC": str(broken)})
    case("without LLVM", r.returncode == 3 and r.stdout == "" and not (d / "4.elf").exists()
         and re.fullmatch(rf"lull cc: .*missing: {re.escape(gone.decode())}: .*\n", r.stderr) is not None, r)

    def refused(name, text, wants, *args, want=3):
        bad, out = d / "bad.ll", d / "bad.elf"
        bad.write_text(text)
        status, said, err = run(bad, "-o", out, *args)
        case(name, status == want and said == "" and not out.exists() and all(w in err for w in wants)
             and len(err.splitlines()) <= 2 and not list(d.glob("bad.elf*")), (status, said, err))

    refused("no IR", "hello\n", ["bad.ll:1:1"])
    refused("empty bitcode", "BC\xc0\xde", ["bad.ll"])
    refused("wrong type", "define void @f() {\n  ret i32\n}\n", ["bad.ll:3:1"])
    refused("not valid", "define void @f() {\n  %x = add i32 %x, 1\n  ret void\n}\n", ["bad.ll", "not valid"])
    refused("unknown processor", shader, ["gfx77"], "-mcpu=gfx77")
    refused("unknown feature", shader, ["+nonsense"], "-mattr=+nonsense")
    refused("other target", 'target triple = "x86_64-pc-linux-gnu"\n' + shader, ["x86_64"])
    refused("two processors", 'define void @f() "target-cpu"="gfx900" {\n ret void\n}\n'
            'define void @g() "target-cpu"="gfx1100" {\n ret void\n}\n', ["'f'", "gfx900", "'g'", "gfx1100"])
    # LLVM crashes on this one.
    refused("shaders on amdhsa", shader, ["'main'", "amdhsa"], "-mtriple=amdgcn-amd-amdhsa")
    dying = d / "dying-cc"
    dying.write_text("#!/bin/sh\nkill -SEGV $$\n")
    dying.chmod(0o755)
    r = subprocess.run([lull, "cc", str(ll)], capture_output=True, text=True, env={**os.environ, "LULL_CC": str(dying)})
    case("LLVM's own failure", r.returncode == 3 and "LLVM failed on this input" in r.stderr, r.stderr)
    r = subprocess.run([lull, "cc", str(ll)], capture_output=True, text=True, env={**os.environ, "LULL_CC": str(d / "none")})
    case("lull-cc is not there", r.returncode == 3 and "lull-cc" in r.stderr, r.stderr)
    refused("unknown option", shader, ["-O9"], "-O9", want=2)
    refused("no such format", shader, ["--emit"], "--emit=exe", want=2)
    status, out, err = run(d / "none.ll")
    case("no such file", status == 3 and "none.ll" in err, err)
    status, out, err = run(ll, "-o", d / "no" / "such" / "dir.elf")
    case("no such folder", status == 3 and "dir.elf" in err, err)
    status, out, err = run()
    case("nothing given", status == 2, err)

end()
