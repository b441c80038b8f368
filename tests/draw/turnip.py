# SPDX-License-Identifier: MIT
"""Draws by an arm64 program under Turnip on the Adreno of `lull exec`: pictures as on lavapipe, and as they must be by Vulkan's rules. TAP.
Arguments: lull, draw_scenes, the same for arm64, folder of arm64 programs (tools/arm64-root.sh); then names, or parts of them.

All scenes of run.py on one chip, some also by tiles (TU_DEBUG=gmem) and on the others. refused_turnip.txt says what is not drawn.
"""
import fnmatch
import os
import pathlib
import sys
import tempfile
import types

sys.path[:0] = [str(pathlib.Path(__file__).parent), *(str(pathlib.Path(__file__).resolve().parents[1] / p) for p in ("", "shim"))]
import arm64_tools  # noqa: E402
import counters  # noqa: E402,F401
import random_state  # noqa: E402
import rules  # noqa: E402,F401
import run  # noqa: E402
import scenes  # noqa: E402
import tap  # noqa: E402

lull, program, arm64, root = sys.argv[1], sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4])
SOME = ("triangle", "perspective", "clipped", "indexed_u8", "restart_u16", "instanced", "divisor", "triangle_fan_flat_last", "line_strip", "points",
        "point_coord", "polygon_line", "cull_back_cw", "facing_ccw", "depth_D16_UNORM", "depth_bias", "depth_bounds", "texture_nearest", "texture_linear",
        "derivatives", "three_targets", "scratch_pixel", "random_0", "random_1", "random_2", "random_3")
RUNS = (("a660", "sysmem", None), ("a660", "gmem", SOME), ("a630", "sysmem", SOME), ("a740", "sysmem", SOME))
RANDOM = 12


def listed():
    """[(pattern, what is said of it)]"""
    rows = [line.split("|") for line in (run.HERE / "refused_turnip.txt").read_text().splitlines() if line and line[0] != "#"]
    return [(pattern.strip(), why.strip()) for patterns, why in rows for pattern in patterns.split(",")]


def command(chip):
    return [lull, "exec", "--gpu", chip, "--", arm64, "Turnip"]


def environment(mode):
    return {"LULL_ARM64": str(root), "MESA_SHADER_CACHE_DISABLE": "true", "VK_ICD_FILENAMES": "/icd/backports/freedreno.json", "TU_DEBUG": mode,
            "XDG_RUNTIME_DIR": tempfile.gettempdir()}


def draw(folder, todo, chip, mode, wanted):
    for p in (folder / "out").iterdir():
        p.unlink()
    found = run.draw(command(chip), folder, todo, environment(mode))
    for s in todo:
        verdict = (*found[s.name], run.results(folder, s.name))
        run.report(s, f"{chip}, {mode}", wanted[s.name], verdict, False)


def refusals(folder, rows, refused):
    """What is refused says so."""
    for pattern, why in rows:
        names = [s.name for s in refused if fnmatch.fnmatch(s.name, pattern) and reason(rows, s.name) == why]
        if why.startswith("soon: ") or not names:
            continue
        _, log, _ = run.once([*command("a660"), folder / "out", folder / f"{names[0]}.scene"], {**os.environ, **environment("sysmem")})
        tap.case(f"{names[0]} is refused: {why}", why in log, log)


def reason(rows, name):
    return next((why for pattern, why in rows if fnmatch.fnmatch(name, pattern)), None)


def main():
    os.environ.pop("VK_DRIVER_FILES", None)
    os.environ.pop("LD_LIBRARY_PATH", None)
    rows = listed()
    random_state.add(RANDOM)
    asked = [s for s in scenes.SCENES if len(sys.argv) == 5 or any(n in s.name for n in sys.argv[5:])]
    todo = [s for s in asked if reason(rows, s.name) is None]
    refused = [s for s in asked if reason(rows, s.name) is not None]
    for s in refused:
        tap.skip(f"{s.name}: {reason(rows, s.name)}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "out").mkdir()
        run.write(folder, asked)
        wanted = run.reference(types.SimpleNamespace(program=program), folder, todo)
        for chip, mode, names in RUNS:
            draw(folder, [s for s in todo if names is None or s.name in names], chip, mode, wanted)
        refusals(folder, rows, refused)
    tap.end()


why_not = arm64_tools.absent(root)
if why_not is not None and "LULL_NEED_ARM64" not in os.environ:
    print(f"1..0 # SKIP {why_not}")
    sys.exit(0)
tap.case("arm64 programs are there", why_not is None, why_not)
if why_not is not None:
    tap.end()
main()
