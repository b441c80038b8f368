#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull debug --web over HTTP: web.py LULL EXAMPLES. Values are computed here. TAP."""
import atexit
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]
from tap import case, end  # noqa: E402

lull, examples = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
work = pathlib.Path(tempfile.mkdtemp())
PATIENCE = 120
# A sanitized lull starts itself once more under the shim, with drivers that are not sanitized.
BARE = os.environ | {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"}
(work / "square.cl").write_text("""\
kernel void square(global uint *out)
{
    uint i = get_global_id(0);
    uint s = i * i;
    out[i] = s;
    out[i] = s + 5;
}
""")
(work / "wait.cl").write_text("""\
kernel void wait(global volatile uint *flag)
{
    while (flag[0] == 0) {
    }
}
""")


class Web:
    """A session, and requests to it."""

    def __init__(self, *args, env=None):
        self.process = subprocess.Popen([lull, "debug", "-nx", "--web", *map(str, args)], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=work)
        atexit.register(self.process.kill)
        self.said = self.process.stderr.readline()
        m = re.fullmatch(r"lull debug: http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/\n", self.said)
        self.port, self.token = (int(m[1]), m[2]) if m else (0, "")

    def get(self, path, method="GET", body=None, headers=(), token=None):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        c.request(method, f"/{token or self.token}/{path}", body, dict(headers))
        r = c.getresponse()
        body = r.read()
        c.close()
        return r.status, body, r.headers

    def raw(self, data, shut=False):
        """Status of what is answered to these bytes; 0: the connection is closed without an answer."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as s:
            s.sendall(data)
            if shut:
                s.shutdown(socket.SHUT_WR)
            head = s.makefile("rb").readline()
        return int(head.split()[1]) if head else 0

    def ask(self, *lines):
        """What each command says; the only object of each."""
        status, body, _ = self.get("command", "POST", "\n".join(lines))
        answers = json.loads(body)
        assert status == 200 and len(answers) == len(lines) and all(len(a) == 1 for a in answers), (status, body)
        return [a[0] for a in answers]

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.rest = self.process.stderr.read()
        return self.process.wait(timeout=PATIENCE)


N = 128
w = Web("square.cl", "--grid", N, "--block", 64, "--arg", f"zeros:{4 * N}:name=out:out=out.bin")
case("the address is said", w.port != 0, w.said)


def page():
    status, body, headers = w.get("")
    nonce = re.search(r"script-src 'nonce-([0-9a-f]{32})'", headers["Content-Security-Policy"])
    case("the page", status == 200 and headers["Content-Type"] == "text/html; charset=utf-8" and b"</html>" in body, (status, headers))
    case("its script and style have the number of this answer", nonce and body.count(f'nonce="{nonce[1]}"'.encode()) == 2 and b"{{" not in body or False, headers)
    case("... which the next has not", nonce is not None and nonce[1].encode() not in w.get("")[1])
    case("nothing of it comes from elsewhere", re.findall(rb"https?://|<(?:img|iframe|object|embed)\b|<script[^>]*\ssrc|@import|\burl\(", body) == [])
    case("browsers are told not to keep or frame it", headers["Cache-Control"] == "no-store" and headers["X-Content-Type-Options"] == "nosniff" and "frame-ancestors 'none'" in headers["Content-Security-Policy"], headers)


def refused():
    own = f"127.0.0.1:{w.port}"
    t = w.token
    head = f"Host: {own}\r\n"
    for name, want, got in (
            ("another token", 403, w.get("", token="0" * 32)[0]),
            ("a part of the token", 403, w.get("", token=t[:-1])[0]),
            ("no token", 403, w.raw(f"GET / HTTP/1.1\r\n{head}\r\n".encode())),
            ("another host's name", 421, w.get("", headers={"Host": f"evil.example:{w.port}"})[0]),
            ("another port", 421, w.get("", headers={"Host": "127.0.0.1:1"})[0]),
            ("no host", 421, w.raw(f"GET /{t}/ HTTP/1.1\r\n\r\n".encode())),
            ("localhost", 200, w.get("", headers={"Host": f"localhost:{w.port}"})[0]),
            ("another page's request", 403, w.get("command", "POST", "help", {"Origin": "http://evil.example"})[0]),
            ("the page's own", 200, w.get("command", "POST", "help", {"Origin": f"http://{own}"})[0]),
            ("no such path", 404, w.get("nothing")[0]),
            ("commands by GET", 405, w.get("command")[0]),
            ("another method", 405, w.get("command", "DELETE")[0]),
            ("no request", 400, w.raw(b"hello\r\n\r\n")),
            ("a folded line", 400, w.raw(f"GET /{t}/ HTTP/1.1\r\n{head} more: 1\r\n\r\n".encode())),
            ("two hosts", 400, w.raw(f"GET /{t}/ HTTP/1.1\r\n{head}{head}\r\n".encode())),
            ("two lengths", 400, w.raw(f"POST /{t}/command HTTP/1.1\r\n{head}Content-Length: 0\r\nContent-Length: 4\r\n\r\nhelp".encode())),
            ("a length below 0", 400, w.raw(f"POST /{t}/command HTTP/1.1\r\n{head}Content-Length: -1\r\n\r\n".encode())),
            ("a coding", 501, w.raw(f"POST /{t}/command HTTP/1.1\r\n{head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n".encode())),
            ("a version", 505, w.raw(f"GET /{t}/ HTTP/3.0\r\n{head}\r\n".encode())),
            ("a header without an end", 431, w.raw(f"GET /{t}/ HTTP/1.1\r\n{head}X: ".encode() + b"x" * 20000)),
            ("a large body", 413, w.raw(f"POST /{t}/command HTTP/1.1\r\n{head}Content-Length: 1048577\r\n\r\n".encode())),
            ("a body that does not come", 0, w.raw(f"POST /{t}/command HTTP/1.1\r\n{head}Content-Length: 9\r\n\r\nhelp".encode(), shut=True)),
            ("a NUL", 400, w.get("command", "POST", b"help\0")[0]),
            ("64 commands", 200, w.get("command", "POST", "echo\n" * 64)[0]),
            ("65 commands", 400, w.get("command", "POST", "echo\n" * 65)[0]),
            ("memory without a size", 400, w.get("memory?address=0x1000")[0]),
            ("too much memory", 400, w.get("memory?address=0x1000&size=99999999")[0]),
            ("memory that is not there", 404, w.get("memory?address=0x10&size=16")[0])):
        case(f"{name}: {want}", got == want, got)
    idle = [socket.create_connection(("127.0.0.1", w.port), timeout=PATIENCE) for _ in range(40)]
    idle[0].send(b"GET /")
    case("who says nothing keeps nobody waiting", w.get("")[0] == 200)
    for s in idle:
        s.close()


def values():
    error, quit_, bad = w.ask("print $s0", "quit", "nonsense \"\\")
    case("nothing stands yet", "error" in error, error)
    case("a browser does not end the session", "error" in quit_ and w.process.poll() is None, quit_)
    case("a wrong command", bad["command"] == "nonsense \"\\" and "error" in bad, bad)
    point, run, waves = w.ask("break square.cl:6", "run", "info waves -all")
    case("it stops", run["outcome"] == "stopped" and run["line"] == 6 and point["number"] == 1, (point, run))
    groups = [(x["workgroup"], x["wave_in_group"], x["lanes"]) for x in waves["waves"]]
    case("its waves", groups == [([g, 0, 0], k, 32) for g in range(N // 64) for k in range(2)], groups)
    here = next(x for x in waves["waves"] if x["current"])
    case("their lines", here["line"] == 6 and here["file"].endswith("square.cl"), here)
    first = 64 * here["workgroup"][0] + 32 * here["wave_in_group"]
    table, focus, value = w.ask("table s", f"focus wave {here['wave']} lane 7", "print s")
    row = next(r for r in table["rows"] if r["wave"] == here["wave"])
    case("values in all lanes", [int(v, 16) for v in row["lanes"]] == [(first + i) ** 2 for i in range(32)], row)
    case("the focus moves", focus["lane"] == 7 and "lanes" in value, (focus, value))
    bos, when = w.ask("info bos", "info when")
    va = next(int(b["va"], 16) for b in bos["bos"] if b["name"] == "out")
    status, data, headers = w.get(f"memory?address={va:#x}&size={4 * N}")
    got = struct.unpack(f"<{N}I", data)
    case("memory", status == 200 and headers["Content-Type"] == "application/octet-stream" and got[first:first + 32] == tuple(i * i for i in range(first, first + 32)), got)
    back, then = w.ask("goto 0", "info waves -all")
    case("back to the beginning", back["outcome"] == "stopped" and len(then["waves"]) == N // 32 and len({x["pc"] for x in then["waves"]}) == 1, then)
    case("... where nothing is written", w.get(f"memory?address={va:#x}&size={4 * N}")[1] == bytes(4 * N))
    again = w.ask(f"goto {when['time']}")[0]
    case("... and forth", again["line"] == 6 and again["wave"] == here["wave"] and w.get(f"memory?address={va:#x}&size={4 * N}")[1] == data, again)
    w.ask("delete 1")
    case("the end", w.ask("continue")[0]["outcome"] == "done")
    want = struct.pack(f"<{N}I", *(i * i + 5 for i in range(N)))
    case("memory at the end", w.get(f"memory?address={va:#x}&size={4 * N}")[1] == want)
    case("its file is written", (work / "out.bin").read_bytes() == want)
    case("from the end to the beginning", w.ask("goto start")[0]["outcome"] == "stopped" and w.get(f"memory?address={va:#x}&size={4 * N}")[1] == bytes(4 * N))
    case("Ctrl-C ends it", w.end() == 0 and w.rest == "", w.rest)


def stop():
    s = Web("--timeout", 3600000, "wait.cl", "--grid", 32, "--block", 32, "--arg", "zeros:4")
    said = []
    runs = threading.Thread(target=lambda: said.extend(s.ask("run")))
    runs.start()
    waits = threading.Thread(target=lambda: said.extend(s.ask("info waves -all")))
    case("the page comes while waves run", s.get("")[0] == 200)
    waits.start()
    case("... and a refusal", s.get("", token="x")[0] == 403)
    for _ in range(10 * PATIENCE):  # The first may come before the run.
        asked = s.get("stop", "POST")[0]
        runs.join(timeout=.1)
        if not runs.is_alive():
            break
    else:
        s.process.kill()
    waits.join()
    case("a stop stops them", asked == 200 and {a.get("outcome", "waves") for a in said} <= {"timeout", "stopped", "waves"} and any(a.get("stop") == "interrupt" for a in said), said)
    case("what was asked meanwhile is answered behind", all("error" not in a for a in said) and len(said) == 2, said)
    case("... and the session goes on", s.ask("info waves -all")[0]["waves"][0]["stop"] == "interrupt")
    case("it ends with waves that stand", s.end() == 0, s.rest)


def findings():
    f = Web("--check", "race", examples / "bugs/missing_barrier.cl", "--grid", 128, "--block", 128, "--arg", "zeros:512", "--arg", "iota:128:i32", "--arg", "local:512")
    run, found = f.ask("run", "info findings")
    sites = found["findings"][0]["sites"] if found.get("findings") else []
    items = [32 * s["wave"] + s["lane"] for s in sites]
    case("two places of a race: who stores an element, and who loads it", len(items) == 2 and sum(items) == 127 and sites[0]["wave"] != sites[1]["wave"], found)
    case("... and where", {s["line"] for s in sites} == {6, 7} and all(s["file"].endswith("missing_barrier.cl") for s in sites) and run["finding"]["sites"] == sites, sites)
    f.end()


def program():
    """A dispatch of a Vulkan program that is held: its image, which the GPU has tiled."""
    (work / "image.comp").write_text("""#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(rgba8, set = 0, binding = 0) uniform image2D picture;
void main() { imageStore(picture, ivec2(gl_GlobalInvocationID.xy), vec4(1)); }
""")
    wide, tall = 40, 24
    texels = bytes((7 * x + 13 * y + 64 * k) % 256 for y in range(tall) for x in range(wide) for k in range(4))
    (work / "texels.bin").write_bytes(texels)
    p = Web("-ex", "catch dispatch name image.comp", "-ex", "run", "--", lull, "run", "image.comp", "--groups", "1", "--bind", f"0.0=image:{wide}x{tall}:rgba8:texels.bin", "--vulkan-device", "RADV", env=BARE)
    held, descriptors = p.ask("info dispatch", "info descriptors")
    case("a dispatch of a program is held", held["dispatches"][0]["state"] == "held" and [d["kind"] for d in descriptors["descriptors"]] == ["image"], (held, descriptors))
    status, body, _ = p.get("picture?of=0")
    case("its image, texel by texel", status == 200 and struct.unpack("<2I", body[:8]) == (wide, tall) and body[8:] == texels, (status, len(body)))
    for query, want in (("of=9", 404), ("of=target0", 404), ("of=%zz", 400), ("of=%00", 400), ("", 400), ("of=0&level=x", 400), ("of=0&slice=65536", 400), ("of=0&level=", 400)):
        case(f"picture?{query}: {want}", p.get("picture?" + query)[0] == want)
    case("it goes on to its end", p.ask("continue")[0]["text"] == "[The program exited with status 0]\n")
    case("Ctrl-C ends that, too", p.end() == 0, p.rest)


def command_line():
    for name, args, word in (("a port alone", ["--port", "1"], "--web"), ("no prompt twice", ["--web", "-batch"], "-batch")):
        r = subprocess.run([lull, "debug", *args, "square.cl", "--grid", "32", "--arg", "zeros:512"], capture_output=True, text=True, cwd=work, timeout=PATIENCE)
        case(f"{name}: refused", r.returncode == 2 and word in r.stderr, r)


for part in (page, refused, values, stop, findings, program, command_line):
    part()
end()
