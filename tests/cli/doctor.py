#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull doctor on trees that look like machines. doctor.py LULL.

Paths and values are the kernel's (Linux 6.12): module parameters of amdgpu (amdgpu_drv.c: lockup_timeout is empty by default, gpu_recovery
-1) and msm (rd_full prints Y or N), hangcheck_period_ms (DRM_MSM_HANGCHECK_DEFAULT_PERIOD, 500), /sys/kernel/security/lockdown with the
level in force in brackets, /sys/class/devcoredump/{disabled,devcd*}, /proc/mounts.
"""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402
from tap import case  # noqa: E402

lull = os.path.abspath(sys.argv[1])
NOBODY = 65534 if os.getuid() == 0 else None
AMD = {"sys/class/drm/renderD128/device/driver": ">../../../bus/pci/drivers/amdgpu", "dev/dri/renderD128": b"",
       "proc/mounts": b"proc /proc proc rw 0 0\ndebugfs /sys/kernel/debug debugfs rw,nosuid 0 0\n", "sys/kernel/debug/dri/0/name": b"amdgpu\n",
       "sys/kernel/security/lockdown": b"[none] integrity confidentiality\n", "sys/module/amdgpu/parameters/lockup_timeout": b"600000\n",
       "sys/module/amdgpu/parameters/gpu_recovery": b"0\n", "sys/class/devcoredump/disabled": b"0\n",
       "usr/share/vulkan/icd.d/radeon_icd.x86_64.json": b"{}", "usr/bin/qemu-aarch64-static": b"x"}
MSM = {k: v for k, v in AMD.items() if "amdgpu" not in k and "radeon" not in k} | {
    "sys/class/drm/renderD128/device/driver": ">../../../../bus/platform/drivers/msm_dpu",
    "sys/kernel/debug/dri/0/hangcheck_period_ms": b"500\n", "sys/module/msm/parameters/rd_full": b"N\n",
    "usr/share/vulkan/icd.d/freedreno_icd.aarch64.json": b"{}", "usr/share/vulkan/icd.d/radeon_icd.x86_64.json": b"{}"}


def config(text):
    return {"proc/sys/kernel/osrelease": b"6.12.1\n", "boot/config-6.12.1": text}


# (name, the machine, what else or, None, what not, what is to be mended: its subject and a part of text or command)
ROWS = [
    ("amdgpu, all is set", AMD, {}, []),
    ("msm, all is set", MSM, {}, []),
    ("no GPU", {"usr/share/vulkan/icd.d/radeon_icd.x86_64.json": b"{}"}, {}, []),
    ("amdgpu as the kernel has it", AMD, {"sys/module/amdgpu/parameters/lockup_timeout": b"\n", "sys/module/amdgpu/parameters/gpu_recovery": b"-1\n"},
     [("lockup_timeout", "lockup_timeout=600000"), ("gpu_recovery", "gpu_recovery=0")]),
    ("a short timeout for one ring", AMD, {"sys/module/amdgpu/parameters/lockup_timeout": b"600000,600000,5000,600000\n"},
     [("lockup_timeout", "5000")]),
    ("0 is the default, and counts for nothing beside others", AMD, {"sys/module/amdgpu/parameters/lockup_timeout": b"0,90000\n"}, []),
    ("a timeout that is off", AMD, {"sys/module/amdgpu/parameters/lockup_timeout": b"-1\n"}, []),
    ("garbage", AMD, {"sys/module/amdgpu/parameters/lockup_timeout": b"\xff\x1b[2J\n"}, [("lockup_timeout", "10 s")]),
    ("debugfs is not mounted", AMD, {"proc/mounts": b"proc /proc proc rw 0 0\n"}, [("debugfs", "mount -t debugfs none /sys/kernel/debug")]),
    ("no mounts at all", AMD, {"proc/mounts": None}, [("debugfs", "mount -t debugfs")]),
    ("mounted elsewhere", AMD, {"proc/mounts": b"debugfs /mnt debugfs rw 0 0\n"}, [("debugfs", "mount -t debugfs")]),
    ("a kernel without debugfs", AMD, config(b"\n# CONFIG_DEBUG_FS is not set\nCONFIG_DEV_COREDUMP=y\n"), [("debugfs", "without CONFIG_DEBUG_FS")]),
    ("a kernel with it", AMD, config(b"\nCONFIG_DEBUG_FS=y\n"), []),
    ("/proc/config.gz is before /boot", AMD, config(b"\nCONFIG_DEBUG_FS=y\n") | {"proc/config.gz": gzip.compress(b"\nCONFIG_X=y\n")},
     [("debugfs", "without CONFIG_DEBUG_FS")]),
    ("locked down", AMD, {"sys/kernel/security/lockdown": b"none [integrity] confidentiality\n"}, [("debugfs", "locked down")]),
    ("no render node", AMD, {"dev/dri/renderD128": None}, [("render node", "No such file")]),
    ("dumps are off", MSM, {"sys/class/devcoredump/disabled": b"1\n"}, [("crash dumps", "next boot")]),
    ("a dump waits", MSM, {"sys/class/devcoredump/devcd3/data": b"x"}, [("crash dumps", "lull capture devcoredump")]),
    ("no class of dumps", MSM, {"sys/class/devcoredump/disabled": None}, [("crash dumps", "No such file")]),
    ("a kernel without dumps", MSM, {"sys/class/devcoredump/disabled": None} | config(b"\nCONFIG_DEBUG_FS=y\n"),
     [("crash dumps", "CONFIG_DEV_COREDUMP")]),
    ("no RADV", AMD, {"usr/share/vulkan/icd.d/radeon_icd.x86_64.json": None}, [("RADV", "apt install mesa-vulkan-drivers")]),
    ("no Turnip on an Adreno", MSM, {"usr/share/vulkan/icd.d/freedreno_icd.aarch64.json": None}, [("Turnip", "not installed")]),
    ("RADV is not needed on an Adreno", MSM, {"usr/share/vulkan/icd.d/radeon_icd.x86_64.json": None}, []),
    ("no qemu", MSM, {"usr/bin/qemu-aarch64-static": None}, []),
    ("another driver", AMD, {"sys/class/drm/renderD128/device/driver": ">../i915", "dev/dri/renderD128": None, "proc/mounts": b""}, []),
]


def make(folder, files):
    root = pathlib.Path(folder, "root")
    root.mkdir(mode=0o755)
    for path, data in files.items():
        if data is None:
            continue
        at = root / path
        at.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(data, str):
            at.symlink_to(data[1:])
        else:
            at.write_bytes(data)
            at.chmod(0o755)
    return root


def doctor(root, *args, **how):
    r = subprocess.run([lull, "doctor", "--root", root, *args], capture_output=True, text=True, timeout=60,
                       env={**os.environ, "LULL_ARM64": "/nowhere"}, **how)
    return r.returncode, r.stdout, r.stderr


for name, machine, change, mend in ROWS:
    with tempfile.TemporaryDirectory() as folder:
        root = make(folder, machine | change)
        got, text = doctor(root, "--json"), doctor(root)
        said = json.loads(got[1])
        todo = [s for s in said["looked_at"] if s["level"] == "mend"]
        good = len(todo) == len(mend) == said["to_mend"] and all(
            s["what"] == what and word in s["text"] + s.get("command", "") for s, (what, word) in zip(todo, mend))
        lines = [line for line in text[1].splitlines() if line.startswith("mend ")]
        case(name, good and got[0] == text[0] == (1 if mend else 0) and len(lines) == len(mend) and "\x1b" not in text[1] and text[2] == "",
             (got, text))
for name, machine, levels in (("notes of msm", MSM, {"hang check": "60000 | sudo tee /sys/kernel/debug/dri/0/hangcheck_period_ms", "rd_full": "echo Y"}),
                              ("the folder of arm64", AMD, {"arm64 folder": "arm64-root.sh"})):
    with tempfile.TemporaryDirectory() as folder:
        said = {s["what"]: s for s in json.loads(doctor(make(folder, machine), "--json")[1])["looked_at"]}
        case(name, all(said[w]["level"] == "note" and c in said[w]["command"] for w, c in levels.items()), said)
with tempfile.TemporaryDirectory() as folder:
    os.chmod(folder, 0o755)
    root = make(folder, AMD)
    (root / "dev/dri/renderD128").chmod(0)
    (root / "sys/kernel/debug").chmod(0)
    got = doctor(root, user=NOBODY)
    (root / "sys/kernel/debug").chmod(0o755)
    case("another user's rights", got[0] == 1 and "usermod -aG render" in got[1] and "note  debugfs: mounted; only root" in got[1], got)
got = doctor("/nowhere")
case("no such tree", got[0] == 3 and "/nowhere" in got[2] and got[1] == "", got)
r = subprocess.run([lull, "doctor"], capture_output=True, text=True, timeout=60)
case("this machine", r.returncode in (0, 1) and r.stderr == "" and (r.returncode == 1) == ("\nmend " in "\n" + r.stdout), r)
for args in (("what",), ("--root",), ("--json=1",)):
    r = subprocess.run([lull, "doctor", *args], capture_output=True, text=True, timeout=60)
    case("usage: " + " ".join(args), r.returncode == 2, r)
tap.end()
