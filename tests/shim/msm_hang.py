# SPDX-License-Identifier: MIT
"""What a hang on an Adreno of `lull exec` leaves behind, for programs and for the user: TAP. Arguments: lull, folder of the programs of
tests/shim, source folder, lull-run-arm64, folder of arm64 programs. What is expected is what the planted hang is.
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import arm64_tools  # noqa: E402
import tap  # noqa: E402
from tap import case  # noqa: E402

lull, hang, source, host, root = sys.argv[1], pathlib.Path(sys.argv[2]) / "msm_hang", pathlib.Path(sys.argv[3]), sys.argv[4], pathlib.Path(sys.argv[5])
tmp = pathlib.Path(tempfile.mkdtemp(prefix="lull-hang-"))
ENV = {k: v for k, v in os.environ.items() if k not in ("VK_ICD_FILENAMES", "VK_DRIVER_FILES", "LD_LIBRARY_PATH")}
ENV.update(TMPDIR=str(tmp), XDG_RUNTIME_DIR=str(tmp), LULL_ARM64=str(root), MESA_SHADER_CACHE_DISABLE="true")
VA = 0x100000000


def run(*args, **more):
    r = subprocess.run([lull, *map(str, args)], capture_output=True, text=True, timeout=200, check=False, env=ENV, **more)
    r.said = r.stdout + r.stderr
    return r


def page(dump):
    r = run("crash", "show", "--json", dump)
    return json.loads(r.stdout) if r.returncode in (0, 1) and r.stdout else {"said": r.said}


def place(p, key="in"):
    return (int(p.get(key, {}).get("address", "0"), 16), p.get(key, {}).get("packet"))


def sections(data):
    at, out = 0, []
    while at + 8 <= len(data):
        kind, size = struct.unpack_from("<II", data, at)
        out.append((kind, data[at + 8:at + 8 + size]))
        at += 8 + size
    return out, at == len(data)


# A program finds the dump as on a machine, and frees it.
p = run("exec", "--gpu", "a660", "--", hang)
want = ["submit: 0", "there: 1", "failing_device: ../../../platform/soc@0/5000000.gpu", "begins: ---", "written: 1", "still there: 0"]
case("a program finds the dump in sysfs and frees it", p.stdout.splitlines() == want, p.said)
p = run("exec", "--gpu", "a630", "--", hang, "rd")
case("a program reads debugfs's rd", p.stdout.splitlines() == ["submit: 0", "GPU 630, then section 14"], p.said)
into = tmp / "captured"
into.mkdir()
first = "ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0"  # the shim comes before the library of a sanitized lull
p = run("exec", "--gpu", "a660", "--", "sh", "-c", f"{hang} wait && {first} {lull} capture devcoredump --wait --timeout 60 --out {into}")
got = page(into / "devcd1-1.devcore") if (into / "devcd1-1.devcore").exists() else {}
case("lull capture devcoredump takes it there", p.returncode == 0 and ", freed" in p.stdout and place(got) == (VA + 4, "CP_WAIT_REG_MEM"), (p.said, got))

# The user gets dumps and submits.
dumps, rd = tmp / "dumps", tmp / "all.rd"
dumps.mkdir()
p = run("exec", "--gpu", "a740", "--crash-dir", dumps, "--rd", rd, "--", hang, "wait")
got = page(dumps / "devcd1.devcore") if (dumps / "devcd1.devcore").exists() else {}
case("--crash-dir: a wait that never ends", p.returncode == 0 and "devcd1.devcore" in p.stderr and os.listdir(dumps) == ["devcd1.devcore"] and
     place(got) == (VA + 4, "CP_WAIT_REG_MEM"), (p.said, got))
parts, whole = sections(rd.read_bytes())
kinds = [k for k, _ in parts]
case("--rd: who, buffers, contents, stream", whole and kinds == [13, 14, 2, 3, 12, 6] and parts[1][1] == struct.pack("<Q", 0x43050A01) and
     parts[2][1].rstrip(b"\0").startswith(b"msm_hang/") and parts[3][1] == struct.pack("<III", 0, 4096, 1) and len(parts[4][1]) == 4096 and
     parts[5][1] == struct.pack("<III", 0, 8, 1), (kinds, parts[:4]))
p = run("rd", "show", "--summary", rd)
case("lull rd show reads it", p.returncode == 0 and "8 dwords at 0x100000000" in p.stdout, p.said)
for words, status, text in ((("--gpu", "a660", "--crash-dir", tmp / "nowhere"), 3, "nowhere"), (("--crash-dir", dumps), 2, "--gpu"),
                            (("--gpu", "a660", "--rd", tmp / "no/file"), 3, "no/file")):
    p = run("exec", *words, "--", hang, "wait")
    case(f"refused: {' '.join(map(str, words[-2:-1]))}", p.returncode == status and text in p.stderr, (p.returncode, p.said))

# Turnip, with a shader that never ends.
why = arm64_tools.absent(root)
if why is not None and "LULL_NEED_ARM64" not in os.environ:
    tap.skip(f"Turnip: {why}")
    tap.end()
LOOP = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer B { uint v[]; };
void main() { uint n = 0; while (v[64] == 0u) { n++; v[gl_GlobalInvocationID.x] = n; } }
"""
(tmp / "loop.comp").write_text(LOOP)
subprocess.run(["glslangValidator", "-V", "--quiet", tmp / "loop.comp", "-o", tmp / "loop.spv"], check=True)
for gpu in ("a630", "a740"):
    into = tmp / gpu
    into.mkdir()
    p = run("exec", "--gpu", gpu, "--longest", "2000", "--crash-dir", into, "--rd", into / "all.rd", "--", host, "cases", "Turnip",
            input=f"loop\t{tmp / 'loop.spv'}\t--groups\t1\t--bind\t0.0=zeros:512\n")
    got = page(into / "devcd1.devcore") if (into / "devcd1.devcore").exists() else {}
    shader = run("rd", "show", into / "all.rd").stdout
    case(f"{gpu}: an endless loop under Turnip is named", "device lost" in p.stdout and place(got)[1] == "CP_EXEC_CS", (p.said, got))
    case(f"{gpu}: at the dispatch of the capture", f"at 0x{place(got)[0]:x}" in shader, (place(got), shader[-2000:]))
tap.end()
