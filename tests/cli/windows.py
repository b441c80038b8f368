#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What lull exec sets for programs with windows, and the display that it makes where there is none. windows.py LULL.

The expected words are those of Mesa's docs/envvars.rst; docs/man/lull-exec.1 lists them."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end, skip  # noqa: E402

lull = str(pathlib.Path(sys.argv[1]).resolve())
OURS = ("MESA_VK_WSI_DEBUG", "MESA_LOADER_DRIVER_OVERRIDE", "RADV_DEBUG", "DISPLAY", "WAYLAND_DISPLAY")
BARE = {k: v for k, v in os.environ.items() if k not in OURS}
BARE["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
WSI, GL = "sw,noshm", "zink"
# What X's server says first of a connection that it takes, and asks of a client.
HELLO = """import os, socket
s = socket.socket(socket.AF_UNIX)
s.connect("/tmp/.X11-unix/X" + os.environ["DISPLAY"][1:])
s.send(b"l\\0\\x0b\\0\\0\\0\\0\\0\\0\\0\\0\\0")
print(s.recv(1)[0], os.environ["DISPLAY"])
"""


def run(more, *args, options=(), path=None):
    env = {**BARE, **more, **({"PATH": path} if path else {})}
    return subprocess.run([lull, "exec", *options, "--", *args], capture_output=True, text=True, env=env, stdin=subprocess.DEVNULL, timeout=100)


def environment(more, options=()):
    r = run(more, "/usr/bin/env", options=options)
    return dict(line.split("=", 1) for line in r.stdout.splitlines() if "=" in line)


ROWS = (  # what the user has, what the program has (None: unset), options
    ("nothing set", {}, {"MESA_VK_WSI_DEBUG": WSI, "MESA_LOADER_DRIVER_OVERRIDE": GL, "RADV_DEBUG": None}, ()),
    ("RADV_DEBUG is the user's", {"RADV_DEBUG": "llvm"}, {"RADV_DEBUG": "llvm"}, ()),
    ("the user's window system", {"MESA_VK_WSI_DEBUG": "linear"}, {"MESA_VK_WSI_DEBUG": "linear"}, ()),
    ("an empty one is the user's", {"MESA_VK_WSI_DEBUG": "", "MESA_LOADER_DRIVER_OVERRIDE": ""},
     {"MESA_VK_WSI_DEBUG": "", "MESA_LOADER_DRIVER_OVERRIDE": ""}, ()),
    ("the user's OpenGL driver", {"MESA_LOADER_DRIVER_OVERRIDE": "swrast"}, {"MESA_LOADER_DRIVER_OVERRIDE": "swrast"}, ()),
    ("the user's display", {"DISPLAY": ":7"}, {"DISPLAY": ":7"}, ()),
    ("the user's Wayland display", {"WAYLAND_DISPLAY": "wayland-9"}, {"WAYLAND_DISPLAY": "wayland-9", "DISPLAY": None}, ()),
    ("--as-is", {"RADV_DEBUG": "llvm"}, {"MESA_VK_WSI_DEBUG": None, "MESA_LOADER_DRIVER_OVERRIDE": None, "RADV_DEBUG": "llvm", "DISPLAY": None},
     ("--as-is",)),
)
for name, more, want, options in ROWS:
    got = environment(more, options)
    got = {k: got.get(k) for k in want}
    case(name, got == want, f"{got}, expected {want}")

manual = (pathlib.Path(__file__).resolve().parents[2] / "docs/man/lull-exec.1").read_text()
for line in (f"MESA_VK_WSI_DEBUG={WSI}", f"MESA_LOADER_DRIVER_OVERRIDE={GL}"):
    case(f"lull-exec.1 has {line}", f".B {line}\n" in manual, "not so")

with tempfile.TemporaryDirectory() as name:  # a PATH with everything but Xvfb
    folder = pathlib.Path(name)
    for tool in ("env", "sh", "rm", "cat"):
        (folder / tool).symlink_to(shutil.which(tool))
    for script, text in (("window", "#!/bin/sh\n# libX11.so.6\nexit 3\n"), ("other", "#!/bin/sh\nexit 3\n"), ("fine", "#!/bin/sh\n# libxcb.so.1\n")):
        (folder / script).write_text(text)
        (folder / script).chmod(0o755)
    for script, said in (("window", True), ("other", False), ("fine", False)):
        r = run({}, script, path=name)
        case(f"without Xvfb: {script}", (r.stderr.count("Xvfb") == 1) == said and r.returncode == (0 if script == "fine" else 3), r)
    r = run({}, "env", path=name)
    case("without Xvfb DISPLAY stays unset", "DISPLAY=" not in r.stdout, r.stdout)

if shutil.which("Xvfb"):
    r = run({}, sys.executable, "-c", HELLO)
    status, _, display = r.stdout.strip().partition(" ")
    place = pathlib.Path("/tmp/.X11-unix/X" + display[1:])
    case("a program finds an X server", status == "1", r)
    case("which goes with it", display != "" and not place.exists() and not pathlib.Path(f"/tmp/.X{display[1:]}-lock").exists(), display)
    r = run({}, sys.executable, "-c", HELLO + "s.close()\n" + "import time\ntime.sleep(0.3)\n" + HELLO)
    case("and again when it has closed", [line[:2] for line in r.stdout.splitlines()] == ["1 ", "1 "], r)
    r = subprocess.run([lull, "debug", "-batch", "-ex", "run", "--", sys.executable, "-c", HELLO], capture_output=True, text=True, env=BARE,
                       stdin=subprocess.DEVNULL, timeout=100)
    case("a program under lull debug has one, too", r.returncode == 0 and r.stdout.startswith("1 :"), r)
    r = run({}, lull, "exec", "--", sys.executable, "-c", HELLO)
    case("a display of the program's own stays", r.stdout.startswith("1 "), r)
    r = run({}, sys.executable, "-c", "import os; print(oct(os.stat('/tmp/.X11-unix/X' + os.environ['DISPLAY'][1:]).st_mode & 0o777))")
    case("only this user can open it", r.stdout.strip() in ("0o700", "0o600"), r)
    p = subprocess.Popen([lull, "exec", "--", sys.executable, "-uc", HELLO + "import time\ntime.sleep(100)"], stdout=subprocess.PIPE, text=True, env=BARE)
    status, _, display = p.stdout.readline().strip().partition(" ")
    left = [pathlib.Path(f"/tmp/.X{display[1:]}-lock"), pathlib.Path("/tmp/.X11-unix/X" + display[1:])]
    there = [path.exists() for path in left]
    p.kill()
    p.communicate()
    for _ in range(1000):
        if any(path.exists() for path in left):
            time.sleep(0.01)
    case("nothing of it is left when lull is killed", status == "1" and all(there) and not any(path.exists() for path in left), (display, there, left))
    r = run({}, "/bin/sh", "-c", "ps -o args= -C Xvfb | grep -c -- $DISPLAY")
    case("Xvfb is not started for programs that do not ask", r.stdout.strip() == "0", r)
else:
    skip("Xvfb is not installed: no display of the session's own")
end()
