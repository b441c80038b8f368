# SPDX-License-Identifier: MIT
"""What a list of statements reads before it writes it, and what it writes."""
from lang.tree import Name, walk


def reads(body):
    """Names that are read before the row itself has written them, in order."""
    known, out = set(), []
    for s in body:
        out += [e.name for e in walk(s.value) if isinstance(e, Name) and e.name not in known and e.name not in out]
        known |= set(s.targets)
    return out


def names(body):
    """Names that are read anywhere."""
    return {e.name for s in body for e in walk(s.value) if isinstance(e, Name)}


def writes(body):
    """Names that are written and not declared in the row, in order."""
    local = {s.targets[0] for s in body if s.type is not None}
    return list(dict.fromkeys(t for s in body for t in s.targets if t not in local))
