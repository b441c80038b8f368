# SPDX-License-Identifier: MIT
"""arm64 programs under `lull exec`, by qemu-aarch64-static: TAP. Arguments: lull, folder of the programs of tests/shim, folder of arm64 programs
(tools/arm64-root.sh), the compiler that builds one more.

Without the folder all of it is skipped, which the sum at the end of `make test` names; with LULL_NEED_ARM64 set in the environment that is a failure.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import arm64_tools  # noqa: E402
import tap  # noqa: E402
from tap import case  # noqa: E402

lull, build, root = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
here = pathlib.Path(__file__).resolve().parent
tmp = pathlib.Path(tempfile.mkdtemp(prefix="lull-arm64-"))
ENV = {k: v for k, v in os.environ.items() if k not in ("VK_ICD_FILENAMES", "VK_DRIVER_FILES", "LULL_ARM64", "LD_LIBRARY_PATH")}
ENV.update(TMPDIR=str(tmp), XDG_RUNTIME_DIR=str(tmp), LULL_ARM64=str(root), MESA_SHADER_CACHE_DISABLE="true")


def run(*args, **env):
    r = subprocess.run([lull, "exec", *map(str, args)], capture_output=True, text=True, timeout=300, check=False, env={**ENV, **env})
    r.said = r.stdout + r.stderr
    return r


why = arm64_tools.absent(root)
if why is not None and "LULL_NEED_ARM64" not in os.environ:
    print(f"1..0 # SKIP {why}")
    sys.exit(0)
case("arm64 programs are there", why is None, why)
if why is not None:
    tap.end()

# Which programs they are, and what is said where one cannot run.
info = root / "usr/bin/vulkaninfo"
p = run(info, "--summary", LULL_ARM64=str(tmp))
case("without the folder there is a word on how to get it", p.returncode == 127 and "tools/arm64-root.sh" in p.stderr
     and str(tmp) in p.stderr, p.said)
p = run(info, "--summary", PATH=str(tmp))
case("without the emulator, too", p.returncode == 127 and "qemu-user-static" in p.stderr, p.said)
p = run("--names", tmp, "--", info)
case("--names has what the program says", p.returncode == 0 and any(f.suffix == ".names" for f in pathlib.Path(tmp).iterdir()), p.said)

# RADV
for suite, name in (("backports", "NAVI31"), ("bookworm", "GFX1100")):
    p = run(info, "--summary", VK_ICD_FILENAMES=f"/icd/{suite}/radeon.json")
    case(f"vulkaninfo lists {suite}'s RADV on gfx1100", p.returncode == 0 and f"RADV {name}" in p.stdout
         and "deviceID           = 0x744c" in p.stdout, p.said)
    case(f"{suite}: nothing is said of static programs", "static" not in p.stderr, p.stderr)
p = run("qemu-aarch64-static", "-L", root, info, "--summary", VK_ICD_FILENAMES="/icd/backports/radeon.json")
case("the same by an emulator that was named", p.returncode == 0 and "RADV NAVI31" in p.stdout and "static" not in p.stderr, p.said)
p = run("qemu-aarch64-static", "-B", "0x100000000000", "-L", root, info, "--summary", VK_ICD_FILENAMES="/icd/backports/radeon.json")
case("an emulator with a guest base gets no GPU, and a word on it", p.returncode != 0 and "guest base" in p.stderr, p.said)

# A program of our own, which computes.
compute = tmp / "vk_compute"
texels = tmp / "vk_texels"
images = tmp / "vk_images"
for program in (compute, texels, images):
    arm64_tools.build([*arm64_tools.compiler(root, tmp), here / f"{program.name}.c", "-o", program, root / "usr/lib/aarch64-linux-gnu/libvulkan.so.1"])
p = run(compute, "RADV", build / "square.spv", "compute")
case("a compute shader, by an arm64 program under arm64 RADV", p.returncode == 0 and p.stdout == "ok\n", p.said)

# Turnip.
for gpu, suite in (("a630", "backports"), ("a660", "backports"), ("a740", "backports"), ("a630", "bookworm"), ("a660", "bookworm")):
    p = run("--gpu", gpu, "--", "vulkaninfo", "--summary", VK_ICD_FILENAMES=f"/icd/{suite}/freedreno.json")
    case(f"vulkaninfo lists {suite}'s Turnip on {gpu}", p.returncode == 0 and f"Turnip Adreno (TM) {gpu[1:]}" in p.stdout, p.said)
    p = run("--gpu", gpu, "--", compute, "Turnip", build / "square.spv", "graphics", VK_ICD_FILENAMES=f"/icd/{suite}/freedreno.json")
    case(f"a compute shader, {suite} on {gpu}", p.returncode == 0 and p.stdout == "ok\n", p.said)
    p = run("--gpu", gpu, "--", texels, "Turnip", build / "image.spv", VK_ICD_FILENAMES=f"/icd/{suite}/freedreno.json")
    case(f"an image that a shader writes and reads, {suite} on {gpu}", p.returncode == 0 and p.stdout == "ok\n", p.said)
    p = run("--gpu", gpu, "--", images, "Turnip", "graphics", VK_ICD_FILENAMES=f"/icd/{suite}/freedreno.json")
    case(f"images that are copied, cleared and scaled, {suite} on {gpu}", p.returncode == 0 and p.stdout == "ok\n", p.said)
p = run("--gpu", "a630", "--", "vulkaninfo", LULL_ARM64=str(tmp))
case("without the folder an Adreno has no programs", p.returncode == 127 and "tools/arm64-root.sh" in p.stderr, p.said)
p = run("--gpu", "a999", "--", "vulkaninfo")
case("there are not all chips", p.returncode == 2 and "a630, a660 and a740" in p.stderr, p.said)
case("nothing is left behind", not list(tmp.glob("lull-??????")), list(tmp.iterdir()))
shutil.rmtree(tmp)
tap.end()
