# SPDX-License-Identifier: MIT
"""Trees that look like debugfs and sysfs, and lull capture on them. For capture.py and capture_copy.py."""
import errno
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import threading
import time

DUMP = b"---\nkernel: 6.12\nmodule: msm\nrevision: 630 (6.3.0.2)\nbos:\n"
lull = os.path.abspath(sys.argv[1])


def section(kind, payload):
    return struct.pack("<II", kind, len(payload)) + payload


CAPTURE = section(14, bytes(8)) + b"\xff" * 8 + section(12, b"x" * 100000) + section(6, bytes(12))


class Tree:
    """A root with /sys, and a folder for the copies."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name, "root")
        self.out = pathlib.Path(self.folder.name, "out")
        self.out.mkdir()
        self.root.mkdir()

    def put(self, path, data=b""):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        new = self.root / ".new"
        new.write_bytes(data)
        new.rename(path)  # whole, or not there, as a file of the kernel
        return path

    def pipe(self, path):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(path)
        return path

    def start(self, *args, **how):
        return subprocess.Popen([lull, "capture", *args, "--root", self.root, "--out", self.out],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)

    def run(self, *args, process=None, **how):
        p = process or self.start(*args, **how)
        end = threading.Timer(60, p.kill)
        end.start()
        out, err = p.communicate()
        end.cancel()
        return p.returncode, out.decode(), err.decode()

    def files(self):
        return sorted(p.name for p in self.out.iterdir())

    def read(self, name):
        return (self.out / name).read_bytes()


def feed(path, *parts, hold=None):
    """Write to a pipe as a kernel would; then keep it open until `hold` is set."""
    def work():
        with open(path, "wb", buffering=0) as f:
            for part in parts:
                f.write(part)
                time.sleep(0.02)
            if hold is not None:
                hold.wait(60)
    t = threading.Thread(target=work, daemon=True)
    t.start()
    return t


def wait_for_bytes(tree, size):
    """The copy so far, under whatever name, has so many bytes."""
    for _ in range(500):
        if any(p.stat().st_size >= size for p in tree.out.iterdir()):
            return True
        time.sleep(0.02)
    return False


RD = "sys/kernel/debug/dri/0/rd"
DEVCD = "sys/class/devcoredump/devcd3/data"


def reached(path):
    """The end to write of a pipe, once lull opens the other one: from then on it waits for bytes and signals."""
    for _ in range(3000):
        try:
            return os.fdopen(os.open(path, os.O_WRONLY | os.O_NONBLOCK), "wb", buffering=0)
        except OSError as e:
            if e.errno != errno.ENXIO:
                raise
        time.sleep(0.02)
    raise TimeoutError(path)
