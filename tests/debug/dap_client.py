# SPDX-License-Identifier: MIT
"""A client of the debug adapter protocol, of the tests' own."""
import json
import subprocess


class Client:
    """Talks to `lull dap`, by its standard input and output or by a socket's file."""

    def __init__(self, lull=None, files=None, env=None, cwd=None):
        self.process = None
        if files is None:
            self.process = subprocess.Popen([lull, "dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=cwd)
            files = self.process.stdout, self.process.stdin
        self.reads, self.writes = files
        self.seq, self.waiting = 0, []

    def send(self, command, **arguments):
        self.seq += 1
        body = json.dumps({"seq": self.seq, "type": "request", "command": command, "arguments": arguments}).encode()
        self.writes.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.writes.flush()
        return self.seq

    def receive(self):
        """The next message; None: the other end is gone."""
        size = None
        while True:
            line = self.reads.readline()
            if not line:
                return None
            if line == b"\r\n":
                break
            key, value = line.split(b":")
            assert key == b"Content-Length", line
            size = int(value)
        return json.loads(self.reads.read(size))

    def ask(self, command, **arguments):
        """The answer; events on the way are kept."""
        seq = self.send(command, **arguments)
        while True:
            m = self.receive()
            if m is None or (m["type"] == "response" and m["request_seq"] == seq):
                return m
            self.waiting.append(m)

    def body(self, command, **arguments):
        m = self.ask(command, **arguments)
        assert m and m["success"], m
        return m["body"]

    def event(self, *names):
        """The next event of one of these names; others are dropped, but for output, which is kept in .output."""
        while True:
            m = self.waiting.pop(0) if self.waiting else self.receive()
            if m is None:
                return None
            if m["type"] == "event" and m["event"] == "output":
                self.output = getattr(self, "output", "") + m["body"]["output"]
            if m["type"] == "event" and m["event"] in names:
                return m

    def end(self):
        self.send("disconnect")
        while self.receive() is not None:
            pass
        return self.process.wait(timeout=60) if self.process else 0
