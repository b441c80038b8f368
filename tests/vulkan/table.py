# SPDX-License-Identifier: MIT
"""What the tables of cases are made with. A new case: a shader in shaders/ and a call of case() in a
cases_*.py file.

case(NAME, SHADER, GROUPS, BINDS, ...):
  BINDS      {"0.1": content of lull run --bind, or bytes; "name": content of --buffer}
  args       further arguments of lull run
  own        and those for lull's virtual GPU only
  tolerance  for --tolerance; exact without
  want       {place: bytes} computed here, expected on both devices
  lavapipe   False: it lacks what the shader needs, so only `want` counts
  compare    places whose bytes must be those of lavapipe; all buffers and images if not given
"""
import array
import dataclasses
import math
import random
import struct

CASES = []


@dataclasses.dataclass
class Case:
    name: str
    shader: str
    groups: str
    binds: dict
    args: list
    own: list
    tolerance: list
    want: dict
    lavapipe: bool
    compare: list


def case(name, shader, groups, binds, args=(), tolerance=(), want=None, lavapipe=True, compare=None, own=()):
    if compare is None:
        compare = [p for p, c in binds.items()
                   if not (isinstance(c, str) and c.startswith("sampler")) and "addr" not in str(c)]
    CASES.append(Case(name, shader, str(groups), dict(binds), list(args), list(own), list(tolerance), dict(want or {}),
                      lavapipe, compare if lavapipe else []))


def u32(values):
    return array.array("I", [v & 0xffffffff for v in values]).tobytes()


def u64(values):
    return array.array("Q", [v & 0xffffffffffffffff for v in values]).tobytes()


def f32(values):
    return array.array("f", values).tobytes()


def single(value):
    """The 32-bit float nearest to a number."""
    return array.array("f", [value])[0]


def f16(values):
    return b"".join(struct.pack("<e", v) if abs(v) < 65520 else struct.pack("<e", math.copysign(math.inf, v)) for v in values)


def half(value):
    """The 16-bit float nearest to a number."""
    return struct.unpack("<e", f16([value]))[0]


def signed(v, bits=64):
    v &= (1 << bits) - 1
    return v - (1 << bits) if v >> (bits - 1) else v


def rng(seed):
    return random.Random(seed)


def rand_u32(seed, n):
    r = rng(seed)
    return [r.getrandbits(32) for _ in range(n)]


# Integers whose arithmetic is worth a look, and random ones.
EDGES = [0, 1, 2, 3, 5, 7, 31, 32, 33, 63, 64, 100, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 0x7ffffffe,
         0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0xaaaaaaaa, 0x55555555, 0x12345678, 0xdeadbeef]


def edges(seed, n):
    r = rng(seed)
    return [r.choice(EDGES) if r.random() < 0.5 else r.getrandbits(32) for _ in range(n)]


def floats(seed, n, low=-100.0, high=100.0):
    r = rng(seed)
    return [r.uniform(low, high) for _ in range(n)]
