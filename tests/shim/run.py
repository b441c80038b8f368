# SPDX-License-Identifier: MIT
"""Programs under `lull exec`: TAP. Arguments: lull, folder of the test programs."""
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402
from tap import case  # noqa: E402

lull, build = sys.argv[1], pathlib.Path(sys.argv[2])
RADV = os.environ.get("VK_ICD_FILENAMES", "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json")


def run(*args, env=None, timeout=60, **kw):
    """One that does not end in time is killed with all that it started, and has failed: status -9."""
    full = {**os.environ, "VK_ICD_FILENAMES": RADV, "XDG_RUNTIME_DIR": tmp.name, **(env or {})}
    text = kw.pop("input", None)
    with subprocess.Popen([str(a) for a in args], env=full, stdin=None if text is None else subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, start_new_session=True, **kw) as p:
        try:
            out, err = p.communicate(text, timeout)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            out, err = p.communicate()
            err += f"no end within {timeout} s"
        return subprocess.CompletedProcess(args, p.returncode, out, err)


def execute(*args, **kw):
    return run(lull, "exec", "--", *args, **kw)


tmp = tempfile.TemporaryDirectory(prefix="lull-test-")
os.environ["TMPDIR"] = tmp.name  # what sessions leave behind would lie here

# RADV
p = execute("vulkaninfo", "--summary")
case("vulkaninfo lists RADV on gfx1100", p.returncode == 0 and re.search("RADV (GFX1100|NAVI31)", p.stdout)
     and "deviceID           = 0x744c" in p.stdout, p.stdout + p.stderr)
for queue in ("graphics", "compute"):
    p = execute(build / "vk_compute", "RADV", build / "square.spv", queue)
    case(f"a compute shader on a {queue} queue", p.returncode == 0 and p.stdout == "ok\n", p.stdout + p.stderr)
    p = execute(build / "vk_images", "RADV", queue)
    case(f"images copied, cleared and scaled on a {queue} queue", p.returncode == 0 and p.stdout == "ok\n", p.stdout + p.stderr)
for kind, what in (("opaque", "another process's memory"), ("dmabuf", "another process's dma-buf"),
                   ("host", "the program's own memory")):
    p = execute(build / "vk_share", "RADV", build / "square.spv", kind)
    case(f"a compute shader writes {what}", p.returncode == 0 and p.stdout == "ok\n", p.stdout + p.stderr)

p = execute(build / "vk_queues", build / "queues.spv")
for line in p.stdout.splitlines():
    if " - " in line:
        case(line.split(" - ", 1)[1], line.startswith("ok"), p.stdout + p.stderr)
case("queues: all of them", p.returncode == 0 and "1..12" in p.stdout, p.stdout + p.stderr)
p = execute(build / "vk_queues", build / "queues.spv", "draw")
case("a draw loses the device, and lull exec names the packet", p.returncode == 0 and "\nok 1 - " in "\n" + p.stdout
     and "DRAW_INDEX_AUTO" in p.stderr and "it draws" in p.stderr, p.stdout + p.stderr)

# What lull exec says while the program waits.
with subprocess.Popen([lull, "exec", "--", build / "vk_queues", build / "queues.spv", "wait"], stderr=subprocess.PIPE,
                      env={**os.environ, "VK_ICD_FILENAMES": RADV}) as q:
    said, deadline = b"", time.monotonic() + 60
    while b"it draws" not in said and select.select([q.stderr], [], [], max(0, deadline - time.monotonic()))[0]:
        said += os.read(q.stderr.fileno(), 4096) or b"it draws, it said at its end"
    running = q.poll() is None
    q.terminate()
    case("a program that waits for a lost job is told why while it waits", running and b"lull exec: " in said
         and b"DRAW_INDEX_AUTO" in said and b"at its end" not in said, said)

# The kernel's interface itself.
for name, what in (("files", "the device's files"), ("two", "two processes at once, each with its own memory"),
                   ("fork", "a forked child"), ("exec", "a program that inherits a descriptor"),
                   ("threads", "threads"), ("wait", "a call that waits stops no other"),
                   ("killed", "a killed process frees its ring"), ("userptr", "the program's own memory"),
                   ("prime", "a buffer in two processes"), ("syncobj", "sync objects in two processes")):
    p = execute(build / "raw", name)
    case(what, p.returncode == 0 and p.stdout.endswith("ok\n"), p.stdout + p.stderr)

p = execute(build / "hostile")
case("a hostile client", p.returncode == 0 and p.stdout.endswith("ok\n"), p.stdout + p.stderr)

# The program's end is ours.
p = execute("sh", "-c", "exit 7")
case("exit status", p.returncode == 7, p)
p = execute("sh", "-c", "kill -9 $$")
case("killed by a signal: 128 and its number", p.returncode == 128 + 9, p)
start = time.monotonic()
p = execute("sh", "-c", f"{build / 'raw'} hang & sleep 0.3; exit 5")
case("no hang at the end, whatever runs on", p.returncode == 5 and time.monotonic() - start < 5, p)
p = execute("no-such-program-here")
case("no such program: 127", p.returncode == 127 and "no-such-program-here" in p.stderr, p)
p = execute("/etc/passwd")
case("not executable: 126", p.returncode == 126 and "/etc/passwd" in p.stderr, p)
p = execute("cat", input="one\ntwo\n")
case("stdin and stdout are the program's", p.stdout == "one\ntwo\n" and p.stderr == "", p)

p = execute(build / "alone")
case("a static program runs, with a warning", p.returncode in (3, 4) and "statically linked" in p.stderr, p)

# Signals go to the program; its answer is the answer.
with subprocess.Popen([lull, "exec", "--", "sh", "-c", "trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done"],
                      stdout=subprocess.PIPE, text=True) as q:
    q.stdout.readline()
    q.send_signal(signal.SIGTERM)
    case("SIGTERM is passed on", q.wait(10) == 9, q.returncode)

case("nothing is left behind", [x for x in os.listdir(tmp.name) if x.startswith("lull-")] == [], os.listdir(tmp.name))
tap.end()
