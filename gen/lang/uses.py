# SPDX-License-Identifier: MIT
"""What a list of statements reads before it writes it, and what it writes."""
from lang.tree import For, If, Name, Set, walk


def read_nodes(body, known=frozenset()):
    """Names that are read before the row itself has surely written them, each as often as it stands there."""
    known, out = set(known), []
    for s in body:
        parts = [s.cond] if isinstance(s, If) else [s.first, s.end] if isinstance(s, For) else \
            [s.value, *(t.at for t in s.targets if t.at)] if isinstance(s, Set) else [s]
        out += [e for e in walk(parts) if isinstance(e, Name) and e.name not in known]
        if isinstance(s, Set):
            known |= {t.name for t in s.targets if t.at is None}
        for block in (s.then, s.other) if isinstance(s, If) else [s.body] if isinstance(s, For) else []:
            out += read_nodes(block, known | ({s.name} if isinstance(s, For) else set()))
    return out


def write_nodes(body):
    """Targets that are not declared in the row."""
    return [t for s in walk(body) if isinstance(s, Set) and s.type is None for t in s.targets]


def reads(body):
    """Names that are read before the row itself has written them, in order."""
    return list(dict.fromkeys(e.name for e in read_nodes(body)))


def names(body):
    """Names that are read anywhere."""
    return {e.name for s in walk(body) if isinstance(s, Set) for e in walk(s.value) if isinstance(e, Name)}


def writes(body):
    """Names that are written and not declared in the row, in order."""
    return list(dict.fromkeys(t.name for t in write_nodes(body)))
