# SPDX-License-Identifier: MIT
"""Programs for arm64 that tests build and run under `lull exec`: the folder of tools/arm64-root.sh, the compiler."""
import shutil
import subprocess


def absent(root):
    """Why the tests cannot run; None: they can."""
    if not (root / "complete").exists():
        return f"no arm64 programs: tools/arm64-root.sh {root}"
    missing = [p for p in ("qemu-aarch64-static", "clang-19", "ld.lld-19") if shutil.which(p) is None]
    return f"no {', '.join(missing)}" if missing else None


def compiler(root, tmp):
    """The words of a compiler for arm64; headers of Vulkan and SPIR-V are the host's."""
    include = tmp / "include"
    include.mkdir(exist_ok=True)
    for name in ("vulkan", "vk_video", "spirv"):
        if not (include / name).exists():
            (include / name).symlink_to(f"/usr/include/{name}")
    return ["clang-19", "--target=aarch64-linux-gnu", f"--sysroot={root}", f"--ld-path={shutil.which('ld.lld-19')}", "-D_GNU_SOURCE",
            "-I", str(include)]


def build(words):
    subprocess.run([str(w) for w in words], check=True)
