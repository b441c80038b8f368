#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws on lull's virtual GPU: pictures as on lavapipe, and as they must be by Vulkan's rules.

run.py LULL DRAW_SCENES [--radv FOLDER] [--seed N] [--random N] [--keep FOLDER] [NAME...]: TAP, a line for each scene and driver. Scenes: scenes.py
and rules.py; what lavapipe lacks is drawn there, too, but only checked by the scene's own rule. With --radv also on the RADV that tools/radv.py put into
FOLDER. --random: so many random states (random_state.py); 24 if not given, 1000 make a long run. NAME: scenes whose names contain it. --keep: scenes, shaders and results stay there.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).resolve().parents[2] / "tools"),
                str(pathlib.Path(__file__).resolve().parents[1])]
import compare  # noqa: E402
import counters  # noqa: E402,F401
import radv  # noqa: E402
import random_state  # noqa: E402
import rules  # noqa: E402
import scenes  # noqa: E402
import shaders  # noqa: E402
import tap  # noqa: E402

HERE = pathlib.Path(__file__).parent
SECONDS = 600  # for one run of the program
LAVAPIPE = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
SHADER = re.compile(rf"(?m)^({'|'.join(shaders.STAGES)}) (?!none)(\S+)$")
TARGET = re.compile(r"(?m)^(target|depth) (\S+)")


def options():
    p = argparse.ArgumentParser()
    p.add_argument("lull")
    p.add_argument("program")
    p.add_argument("--radv")
    p.add_argument("--seed", default="0")
    p.add_argument("--random", type=int, default=24)
    p.add_argument("--keep", type=pathlib.Path)
    p.add_argument("names", nargs="*")
    return p.parse_intermixed_args()


def write(folder, todo):
    """Scenes and shaders into @folder."""
    needed = set()
    for s in todo:
        needed |= {f"{name}.{stage}" for stage, name in SHADER.findall(s.text)}
        (folder / f"{s.name}.scene").write_text(SHADER.sub(r"\1 \2.\1.spv", s.text))
    why = shaders.make(folder, needed)
    if why:
        sys.exit(f"Bail out! {why}")


def once(command, env):
    """Lines of one run, and how it ended."""
    try:
        r = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=env, check=False)
        return r.stdout, r.stderr, f"status {r.returncode}"
    except subprocess.TimeoutExpired as e:
        return (e.stdout or b"").decode(), (e.stderr or b"").decode(), f"no end after {SECONDS} s"


def draw(command, folder, todo, more):
    """{name: (verdict, why)} of all scenes; the program starts again behind one that it dies of."""
    found, left = {}, [s.name for s in todo]
    out = folder / "out"
    env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0", **more}
    while left:
        text, log, end = once([*command, out, *(folder / f"{name}.scene" for name in left)], env)
        for name, verdict, why in re.findall(r"(?m)^(\S+) (ok|lacks|failed)(?:: (.*))?$", text):
            found[name] = verdict, why
        refused = re.findall(r"ring \S+ (\S+: .*)", log)
        left = [name for name in left if name not in found]
        if left:
            found[left[0]] = "failed", f"the program ended there: {end}"
            left = left[1:]
        for name, (verdict, why) in found.items():
            if verdict == "failed" and refused and "draws" not in why:
                found[name] = verdict, f"{why}; the log: {'; '.join(sorted(set(refused))[:4])}"
    return found


def results(folder, name):
    return {p.name[len(name) + 1:]: p.read_bytes() for p in (folder / "out").glob(f"{name}.*")}


def driver(o, folder, todo, label, more):
    """What the model's driver gives: {name: (verdict, why, results)}."""
    if (folder / "out").exists():
        for p in (folder / "out").iterdir():
            p.unlink()
    found = draw([o.lull, "exec", "--seed", o.seed, "--", o.program, "RADV"], folder, todo, more)
    return {name: (*verdict, results(folder, name)) for name, verdict in found.items()}


def formats(text):
    """{what: format} of a scene's results."""
    found, n = {}, 0
    for word, name in TARGET.findall(text):
        found[f"target{n}" if word == "target" else "stencil" if name == "S8_UINT" else "depth"] = name
        n += word == "target"
        if name == "D32_SFLOAT_S8_UINT":
            found["stencil"] = "S8_UINT"
    return found


def judge(s, want, got):
    """What is wrong with the results @got; @want: lavapipe's, or None."""
    size = re.search(r"(?m)^size (\d+) (\d+)", s.text)
    width, height = map(int, size.groups()) if size else (64, 64)
    if s.want:
        why = s.want(got)
        if why:
            return why
    of = formats(s.text)
    for what in sorted(want or ()):
        if what in s.loose:
            continue
        if what not in got:
            return f"no {what}"
        if what not in of:
            same = got[what] == want[what]
            why = "" if same else f"{got[what][:100]!r}, expected {want[what][:100]!r}"
        else:
            step = s.step.get(what) if isinstance(s.step, dict) else s.step
            why = compare.picture(of[what], want[what], got[what], width, height, s.edge, step, s.mixed)
        if why:
            return f"{what}: {why}"
    return ""


def refused(label):
    """Names that are listed as not drawn with that driver."""
    rows = [line.split() for line in (HERE / "refused.txt").read_text().splitlines() if line and line[0] != "#"]
    return {row[0] for row in rows if len(row) == 1 or row[1] == label}


def report(s, label, reference, found, listed):
    verdict, why, got = found
    name = f"{s.name} ({label})"
    if verdict == "lacks":
        return tap.skip(f"{name}: this driver has {why}")
    if verdict == "ok":
        ref_verdict, ref_why, want = reference
        if ref_verdict != "ok" and not s.want:
            return tap.skip(f"{name}: lavapipe has no answer: {ref_why}")
        why = judge(s, want if ref_verdict == "ok" else None, got)
    if why and listed:
        return tap.skip(f"{name}: not right yet, as refused.txt says")
    if listed:
        return tap.case(name, False, "it is drawn: take its line out of refused.txt")
    return tap.case(name, why == "", why)


def reference(o, folder, todo):
    """lavapipe's results; its own rules hold there, too."""
    found = draw([o.program, "llvmpipe"], folder, todo, {"VK_DRIVER_FILES": LAVAPIPE, "VK_ICD_FILENAMES": LAVAPIPE})
    all_of = {name: (*verdict, results(folder, name)) for name, verdict in found.items()}
    for s in todo:
        verdict, why, got = all_of[s.name]
        if verdict != "lacks" and (verdict != "ok" or s.want):
            why = why if verdict != "ok" else s.want(got)
            tap.case(f"{s.name} (lavapipe)", why == "", why)
    return all_of


def same_picture(name, want, got):
    """Two scenes of one picture, on one driver."""
    why = want[1] or got[1] or compare.picture("R8G8B8A8_UNORM", want[2]["target0"], got[2]["target0"], 64, 64)
    tap.case(name, why == "", why)


def other_order(o, folder, todo, found):
    """Waves in other orders draw the same."""
    some = [s for s in todo if s.name in rules.SEEDED and found[s.name][0] == "ok"]
    o.seed = str(int(o.seed) + 12345)
    for name, (verdict, why, got) in driver(o, folder, some, "22", {}).items():
        other = [what for what in got if got[what] != found[name][2].get(what)]
        tap.case(f"{name} with --seed {o.seed}", verdict == "ok" and got.keys() == found[name][2].keys() and not other, (verdict, why, other))


def run(o, folder):
    random_state.add(o.random)
    todo = [s for s in scenes.SCENES if not o.names or any(n in s.name for n in o.names)]
    here = {s.name for s in tap.share(todo)} | ({name for pair in rules.PAIRS for name in pair} if tap.SHARE == "others" else set())
    todo = [s for s in todo if s.name in here]
    (folder / "out").mkdir(exist_ok=True)
    write(folder, todo)
    wanted = reference(o, folder, todo)
    drivers = [("22", {})]
    if o.radv:
        try:
            drivers.append(("25", radv.environment(o.radv)))
        except radv.Missing as e:
            tap.skip(f"no RADV of backports: {e}")
    for label, more in drivers:
        found = driver(o, folder, todo, label, more)
        listed = refused(label)
        for s in todo:
            report(s, label, wanted[s.name], found[s.name], s.name in listed)
        for name, like in rules.PAIRS:
            if name in found and like in found:
                same_picture(f"{name} as {like} ({label})", found[like], found[name])
        if label == "22":
            other_order(o, folder, todo, found)
    tap.end()


def main():
    o = options()
    if o.keep:
        o.keep.mkdir(parents=True, exist_ok=True)
        run(o, o.keep)
    with tempfile.TemporaryDirectory() as name:
        run(o, pathlib.Path(name))


if __name__ == "__main__":
    main()
