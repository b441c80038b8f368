# SPDX-License-Identifier: MIT
"""A case of table.py as words of `lull run`."""
import subprocess

import random_shader


def spirv(shaders, work, case):
    """SPIR-V of the case's shader: of a file, or made by random_shader.py ("random:SEED"). Compiled once for all
    runs; tests/cli/vk_run.py sees lull compile."""
    source, out = shaders / case.shader, work / "shader.spv"
    if case.shader.startswith("random:"):
        source = work / "random.comp"
        source.write_text(random_shader.Shader(int(case.shader[7:])).text())
    hlsl = ["-D", "-S", "comp", "-e", "main"] if source.suffix == ".hlsl" else []
    version = "spv1.0" if source.suffix == ".spvasm" and "\n; spv1.0\n" in source.read_text() else "spv1.5"
    tool = ["spirv-as", "--target-env", version] if source.suffix == ".spvasm" else \
        ["glslangValidator", "--quiet", "-V", *hlsl, "--target-env", "vulkan1.3", *(a for a in case.args if str(a)[:2] in ("-D", "-I"))]
    r = subprocess.run([*tool, source, "-o", out], capture_output=True, text=True, check=False)
    return out if r.returncode == 0 else source  # lull says what is wrong with it


def words(shaders, work, case):
    """(Words of the shader and what it works on, those of what is expected on all devices.)"""
    args = [spirv(shaders, work, case), "--groups", case.groups, *(a for a in case.args if str(a)[:2] not in ("-D", "-I"))]
    for place, content in case.binds.items():
        if isinstance(content, bytes):
            (work / f"{place}.in").write_bytes(content)
            content = f"file:{work / (place + '.in')}"
        args += ["--buffer" if place[0].isalpha() else "--bind", f"{place}={content}"]
    for tolerance in case.tolerance:
        args += ["--tolerance", tolerance]
    expect = []
    for place, data in case.want.items():
        (work / f"{place}.want").write_bytes(data)
        expect += ["--expect", f"{place}={work / (place + '.want')}"]
    return args, expect
