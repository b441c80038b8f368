#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of one folder that call each other in a circle, which src/layers.txt cannot see.

    check_cycles.py SOURCE BUILD [FOLDER]

An object uses what nm says it does not define. src/cycles.txt says for each folder (each line of layers.txt) how many of
its files may be in circles; more fails. With FOLDER every circle is printed with the symbols that make it.
"""
import collections
import json
import pathlib
import subprocess
import sys


def table(path):
    """Lines "name: rest" without comments."""
    lines = (line.split("#")[0].partition(":") for line in path.read_text().splitlines())
    return {name.strip(): rest.strip() for name, colon, rest in lines if colon}


def objects(source, build):
    """File below src/ -> (names it defines, names it uses)."""
    out, of = {}, {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = (build / entry["file"]).resolve()
        if (source / "src") in file.parents and (build / entry["output"]).exists():
            of[entry["output"]] = file.relative_to(source / "src").as_posix()
            out[of[entry["output"]]] = (set(), set())
    nm = subprocess.run(["nm", "--extern-only", "--print-file-name", *of], cwd=build, capture_output=True, text=True, check=True)
    for line in nm.stdout.splitlines():
        obj, _, rest = line.partition(".o:")
        *_, kind, name = rest.split()
        out[of[obj + ".o"]][kind in "Uw"].add(name)
    return out


def edges(files):
    """File -> file -> symbols, among @p files."""
    home = {name: f for f, (defined, _) in files.items() for name in defined}
    out = {f: collections.defaultdict(set) for f in files}
    for f, (_, used) in files.items():
        for name in used:
            if name in home and home[name] != f:
                out[f][home[name]].add(name)
    return out


def reach(graph, start):
    """What @p start comes to by one step or more."""
    seen, todo = set(), list(graph[start])
    while todo:
        f = todo.pop()
        if f not in seen:
            seen.add(f)
            todo += graph[f]
    return seen


def circles(graph):
    """Groups of files each of which comes to each."""
    to = {f: reach(graph, f) for f in graph}
    groups = {frozenset(g for g in to[f] if f in to[g]) for f in graph if f in to[f]}
    return sorted((sorted(g) for g in groups), key=len, reverse=True)


def show(graph, group):
    print(f"{len(group)} files: {' '.join(group)}")
    for f in group:
        for g in sorted(set(graph[f]) & set(group)):
            print(f"  {f} -> {g}: {' '.join(sorted(graph[f][g]))}")


def main():
    source, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    layers = table(source / "src/layers.txt")
    allowed = {name: int(n) for name, n in table(source / "src/cycles.txt").items()}
    folders = collections.defaultdict(dict)
    for file, names in objects(source, build).items():
        parts = file.split("/")[:-1]
        layer = next(("/".join(parts[:n]) for n in range(len(parts), 0, -1) if "/".join(parts[:n]) in layers), parts[0])
        folders[layer][file] = names
    bad = 0
    if not folders:
        sys.exit(f"{build}: no objects of {source}/src")
    for name in sorted(set(allowed) - set(folders)):
        print(f"src/cycles.txt: {name} is not a folder of layers.txt with objects")
        bad = 1
    for name, files in sorted(folders.items()):
        graph = edges(files)
        found = circles(graph)
        n = sum(map(len, found))
        if sys.argv[3:] == [name]:
            for group in found:
                show(graph, group)
        elif not sys.argv[3:] and n > allowed.get(name, 0):
            print(f"{name}: {n} files are in call cycles, src/cycles.txt allows {allowed.get(name, 0)}: {found}")
            bad = 1
        elif not sys.argv[3:] and n < allowed.get(name, 0):
            print(f"{name}: {n} files are in call cycles; src/cycles.txt may go down from {allowed[name]}")
    return bad


sys.exit(main())
