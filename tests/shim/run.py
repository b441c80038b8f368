# SPDX-License-Identifier: MIT
"""Programs under `lull exec`: TAP. Arguments: lull, folder of the test programs."""
import os
import pathlib
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402
from tap import case, skip  # noqa: E402

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
p = execute(build / "vk_queues", build / "queues.spv", "lost")
case("work that faults loses the device, and lull exec names the packet", p.returncode == 0 and "\nok 1 - " in "\n" + p.stdout
     and "DISPATCH_INDIRECT" in p.stderr and "not mapped" in p.stderr, p.stdout + p.stderr)

# What lull exec says while the program waits.
with subprocess.Popen([lull, "exec", "--", build / "vk_queues", build / "queues.spv", "wait"], stderr=subprocess.PIPE,
                      env={**os.environ, "VK_ICD_FILENAMES": RADV}) as q:
    said, deadline = b"", time.monotonic() + 60
    while b"not mapped" not in said and select.select([q.stderr], [], [], max(0, deadline - time.monotonic()))[0]:
        said += os.read(q.stderr.fileno(), 4096) or b"not mapped, it said at its end"
    running = q.poll() is None
    q.terminate()
    q.stderr.read()  # to its end, so that lull exec ends by the signal
    case("a program that waits for a lost job is told why while it waits", running and b"lull exec: " in said
         and b"DISPATCH_INDIRECT" in said and b"at its end" not in said, said)

# Nobody reads the log.
nobody, log = os.pipe()
os.close(nobody)
p = subprocess.run([lull, "exec", "--", "sh", "-c", f"exec {build / 'vk_queues'} {build / 'queues.spv'} lost 2>/dev/null"],
                   stdout=subprocess.PIPE, stderr=log, timeout=60, env={**os.environ, "VK_ICD_FILENAMES": RADV}, check=False)
os.close(log)
case("lull exec outlives the readers of its log", p.returncode == 0 and b"ok 1 - work that faults loses the device" in p.stdout, p)

# The kernel's interface itself.
for name, what in (("files", "the device's files"), ("mmap", "what can be mapped where"), ("device", "the device read and written"), ("arguments", "arguments at the ends of memory"),
                   ("two", "two processes at once, each with its own memory"),
                   ("fork", "a forked child"), ("exec", "a program that inherits a descriptor"),
                   ("threads", "threads"), ("wait", "a call that waits stops no other"),
                   ("killed", "a killed process frees its ring"), ("userptr", "the program's own memory"),
                   ("prime", "a buffer in two processes"), ("syncobj", "sync objects in two processes")):
    p = execute(build / "raw", name)
    case(what, p.returncode == 0 and p.stdout.endswith("ok\n"), p.stdout + p.stderr)

p = execute(build / "hostile")
case("a hostile client", p.returncode == 0 and p.stdout.endswith("ok\n"), p.stdout + p.stderr)
case("a shim of another build is told", "a shim of another build (version 999, not " in p.stderr, p.stderr)

name = "a process with the number of one that asked"
p = execute(build / "hostile", "reuse")
if p.stdout.startswith("skip: "):
    skip(f"{name}: {p.stdout[6:].strip()}")
else:
    case(name, p.returncode == 0 and p.stdout == "ok\n", p.stdout + p.stderr)

# A socket for debuggers is its user's alone.
NOBODY, LISTEN = 65534, socket.SOCK_SEQPACKET
WIRE = (pathlib.Path(__file__).resolve().parents[2] / "src/vdrm/core/wire.h").read_text()
VERSION = int(re.search(r"LULL_WIRE_VERSION = (\d+)", WIRE)[1])
root = os.geteuid() == 0
path = os.path.join(tmp.name, "door")


def as_nobody(act):
    """A child process of another user, which ends with what act() gives."""
    pid = os.fork()
    if pid == 0:
        status = 99
        try:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            status = act()
        finally:
            os._exit(status)
    return pid


def ended(pid):
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def knock():
    """0: cannot connect; 1: is not answered; 2: is answered."""
    with socket.socket(socket.AF_UNIX, LISTEN) as s:
        try:
            s.connect(path)
            s.send(struct.pack("<IIQQQQQ", 1, 0, 0, 0, VERSION, 0, 0))
            return 2 if s.recv(100) else 1
        except PermissionError:
            return 0
        except (BrokenPipeError, ConnectionResetError):
            return 1


for mask in (0, 0o777) if root else (0,):
    p = run(lull, "exec", "--socket", path, "--", "stat", "-c", "%a %F", path, umask=mask)
    case(f"--socket: nobody else can open it, umask {mask:o}", p.stdout == "600 socket\n", p.stdout + p.stderr)
# What could come between two calls does: tests/shim/meddle.c.
meddle = {"LD_PRELOAD": str(build / "meddle.so"), "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}
mode = pathlib.Path(tmp.name) / "mode"
p = run(lull, "exec", "--socket", path, "--", "true", umask=0, env={**meddle, "MEDDLE_MODE": str(mode)})
case("--socket: at no time can others open it", p.returncode == 0 and mode.exists() and mode.read_text() == "600", p)
begun = pathlib.Path(tmp.name) / "begun"
p = run(lull, "exec", "--", "touch", begun, env={**meddle, "MEDDLE_DIES": "1"})  # ends when the last process has
case("a program does not begin when lull has gone", p.returncode == -signal.SIGKILL and not begun.exists(), p)
with subprocess.Popen([lull, "exec", "--socket", path, "--", "sh", "-c", "echo; read x"], stdin=subprocess.PIPE,
                      stdout=subprocess.PIPE) as q:
    q.stdout.readline()
    case("--socket: its user is answered", knock() == 2, "no")
    if root:
        os.chmod(tmp.name, 0o711)
        case("--socket: another user cannot connect", ended(as_nobody(knock)) == 0, "it can")
        os.chmod(path, 0o666)
        case("--socket: another user who can is not answered", ended(as_nobody(knock)) == 1, "it is")
    else:
        skip("--socket: another user: needs root")
    q.stdin.close()
if root:
    os.chmod(tmp.name, 0o777)  # nobody listens

    def serve():
        with socket.socket(socket.AF_UNIX, LISTEN) as s:
            s.bind(path)
            s.listen()
            os.chmod(path, 0o777)
            os.close(end[1])
            os.write(told[1], b".")
            os.read(end[0], 1)
            return 0

    told, end = os.pipe(), os.pipe()
    pid = as_nobody(serve)
    os.read(told[0], 1)
    p = run(lull, "debug", "--attach", path, "-batch", "-ex", "info waves")
    case("--attach: not to another user's", p.returncode == 3 and "user 65534" in p.stderr, p)
    os.write(end[1], b".")
    ended(pid)
    os.chmod(tmp.name, 0o700)
else:
    skip("--attach: not to another user's: needs root")

# The program's end is ours.
p = execute("sh", "-c", "exit 7")
case("exit status", p.returncode == 7, p)
p = execute("sh", "-c", 'cd "${LULL_SOCKET%/*}" && find . | sort; stat -c %F /dev/dri/renderD128; find . | wc -l')
lines = p.stdout.split("\n")
case("the folder has nothing but the socket until a program looks at the GPU", lines[:3] == [".", "./gpu", "character special file"]
     and int(lines[3]) > 40, p)
p = execute("sh", "-c", "kill -9 $$")
case("killed by a signal: 128 and its number", p.returncode == 128 + 9, p)
start = time.monotonic()
p = execute("sh", "-c", f"{build / 'raw'} hang & sleep 0.3; exit 5")
case("no hang at the end, whatever runs on", p.returncode == 5 and time.monotonic() - start < 5, p)
p = execute("no-such-program-here", env={"PATH": "/usr/bin:/bin"})  # a folder of PATH that nobody may search: 126
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



def soon(what, seconds=30):
    """Does it come true?"""
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.02)
    return what()


def running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def folders():
    return [x for x in os.listdir(tmp.name) if x.startswith("lull-")]


def of_session(text):
    """Processes whose command line has it."""
    found = []
    for p in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [p.parent.name] if text in p.read_text() else []
        except OSError:
            pass
    return found


def watcher_files(pid):
    """What the process that removes the folder has open; none before it has its name."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [os.readlink(p) for c in children for p in pathlib.Path(f"/proc/{c}/fd").iterdir()
            if b"lull-folder" in pathlib.Path(f"/proc/{c}/cmdline").read_bytes()]


# Killed, it takes its program and its folder along; and so does its whole process group.
for what, kill in (("lull exec", os.kill), ("its process group", os.killpg)):
    with subprocess.Popen([lull, "exec", "--", "sh", "-c", "echo $$; exec sleep 1000"], stdout=subprocess.PIPE, text=True,
                          start_new_session=True) as q:
        pid = int(q.stdout.readline())
        was = folders()
        kill(q.pid, signal.SIGKILL)
        case(f"kill -9 of {what} ends the program", soon(lambda: not running(pid)), pid)
        if running(pid):
            os.kill(pid, signal.SIGKILL)
        case(f"kill -9 of {what} removes the folder", len(was) == 1 and soon(lambda: folders() == []), (was, folders()))
        case(f"kill -9 of {what} leaves no process behind", soon(lambda: of_session(was[0]) == []), of_session(was[0]))
with open("/dev/zero") as extra, subprocess.Popen([lull, "exec", "--", "sh", "-c", "echo; exec sleep 1000"], stdin=subprocess.DEVNULL,
                                                  stdout=subprocess.PIPE, pass_fds=[extra.fileno()]) as q:
    q.stdout.readline()
    case("what removes the folder holds nothing of the caller's", soon(lambda: sorted(watcher_files(q.pid))[:2] == ["/dev/null"] * 2 and
                                                                       len(watcher_files(q.pid)) == 3), watcher_files(q.pid))
    q.send_signal(signal.SIGTERM)
case("nothing is left behind", [x for x in os.listdir(tmp.name) if x.startswith("lull-")] == [], os.listdir(tmp.name))
tap.end()
