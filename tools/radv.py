#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A second RADV for the tests: the one of bookworm-backports, unpacked beside the system's.

radv.py get FOLDER             fetch it with apt into FOLDER, unless it is there; installs nothing and does not need root
radv.py run FOLDER PROGRAM...  run a test with it; if it is not there, the test is skipped with the reason (TAP)
radv.py env FOLDER             what to set in a shell

apt's own sources say where Debian is: a source of bookworm, with its address and key, is taken for bookworm-backports. What apt reads
and writes lies in FOLDER.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SUITE = "bookworm"
# mesa-vulkan-drivers of packages.txt brings the rest of what the driver needs, libLLVM among it.
PACKAGES = ("mesa-vulkan-drivers", "libdrm2", "libdrm-amdgpu1")
LIBRARIES = ("libvulkan_radeon.so", "libdrm.so*", "libdrm_amdgpu.so*")
MANIFEST = '{"file_format_version": "1.0.0", "ICD": {"api_version": "1.3.0", "library_path": "./libvulkan_radeon.so"}}\n'
SECONDS = 120  # for one call of apt


class Missing(Exception):
    """Why there is no second RADV."""


def call(*args, **how):
    try:
        r = subprocess.run([str(a) for a in args], capture_output=True, text=True, timeout=SECONDS, check=False, **how)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise Missing(f"{args[0]}: {e}") from e
    if r.returncode != 0:
        said = re.findall(r"(?m)^(?:W: (?=Failed)|E: )(.*)$", r.stderr)  # the first is nearest to the cause
        raise Missing(said[0].strip() if said else f"{args[0]}: exit status {r.returncode}: {r.stderr.strip()[-200:]}")
    return r.stdout


def backports(text, deb822):
    """The sources of SUITE in a file of apt's, as sources of its backports."""
    found = []
    if deb822:
        for stanza in re.split(r"\n\s*\n", re.sub(r"(?m)^#.*\n", "", text)):
            fields = dict(re.findall(r"(?m)^([\w-]+):(.*)$", stanza))
            wanted = "deb" in fields.get("Types", "").split() and SUITE in fields.get("Suites", "").split()
            if wanted and fields.get("Enabled", "yes").strip() != "no":
                for field, value in (("Types", "deb"), ("Suites", f"{SUITE}-backports"), ("Components", "main")):
                    stanza = re.sub(rf"(?m)^{field}:.*$", f"{field}: {value}", stanza)
                found.append(stanza.strip() + "\n")
    else:
        for options, address in re.findall(rf"(?m)^\s*deb\s+(\[[^]]*\]\s+)?(\S+)\s+{SUITE}\s+.*\bmain\b", text):
            found.append(f"deb {options}{address} {SUITE}-backports main\n")
    return found


def write_source(folder):
    """The first source of SUITE that apt has, into a file in @folder."""
    places = dict(re.findall(r"(\w+)='(.*)'", call("apt-config", "shell", "MAIN", "Dir::Etc::sourcelist/f",
                                                    "PARTS", "Dir::Etc::sourceparts/d")))
    files = [pathlib.Path(places.get("MAIN", "")), *sorted(pathlib.Path(places.get("PARTS", "/nowhere")).glob("*"))]
    for path in files:
        if path.suffix in (".list", ".sources") and os.access(path, os.R_OK):
            deb822 = path.suffix == ".sources"
            for source in backports(path.read_text(encoding="utf-8"), deb822):
                out = folder / ("debian" + path.suffix)
                out.write_text(source, encoding="utf-8")
                return out
    raise Missing(f"apt has no source of {SUITE}")


def apt_options(folder):
    source = write_source(folder)
    for name in ("state/lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    settings = {"Dir::Etc::SourceList": source, "Dir::Etc::SourceParts": "/dev/null",
                "Dir::Etc::Preferences": "/dev/null", "Dir::Etc::PreferencesParts": "/dev/null",
                "Dir::State": folder / "state", "Dir::State::status": "/var/lib/dpkg/status",
                "Dir::Cache": folder / "cache", "Acquire::Languages": "none", "Acquire::Retries": 0,
                "Acquire::http::Timeout": 15, "Acquire::https::Timeout": 15, "APT::Sandbox::User": "root",
                "APT::Update::Error-Mode": "any"}
    return [a for name, value in settings.items() for a in ("-o", f"{name}={value}")]


def unpack(work, packages, out):
    """The driver, its libraries, and a manifest that names it."""
    for package in packages:
        call("dpkg-deb", "-x", package, work / "root")
    for pattern in LIBRARIES:
        for path in work.glob(f"root/usr/lib/*/{pattern}"):
            shutil.copy2(path, out / path.name)
    driver = out / "libvulkan_radeon.so"
    if not driver.exists():
        raise Missing("the package has no libvulkan_radeon.so")
    needs = call("ldd", driver, env={**os.environ, "LD_LIBRARY_PATH": str(out)})
    absent = re.findall(r"^\s*(\S+) => not found", needs, re.M)
    if absent:
        raise Missing(f"the driver needs {', '.join(absent)}")


def get(folder):
    """Fetch and unpack the driver. Raises Missing."""
    if call("dpkg", "--print-architecture").strip() != "amd64":
        raise Missing("this machine is not an amd64")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="radv-", dir=folder.parent) as name:
        work = pathlib.Path(name).resolve()
        out = work / "out"
        out.mkdir()
        options = apt_options(work)
        call("apt-get", *options, "update", "-q")
        call("apt-get", *options, "download", "-q", *(f"{p}/{SUITE}-backports" for p in PACKAGES), cwd=work)
        packages = sorted(work.glob("*.deb"))
        unpack(work, packages, out)
        driver = next(p for p in packages if p.name.startswith(PACKAGES[0]))
        (out / "version").write_text(call("dpkg-deb", "-f", driver, "Version"), encoding="utf-8")
        (out / "radeon_icd.json").write_text(MANIFEST, encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        out.rename(folder)


def environment(folder):
    """What a program's environment needs for this driver. Raises Missing."""
    folder = pathlib.Path(folder).resolve()
    if not (folder / "radeon_icd.json").exists():
        why = folder / "missing"
        raise Missing(why.read_text(encoding="utf-8").strip() if why.exists() else f"not fetched: tools/radv.py get {folder}")
    libraries = os.environ.get("LD_LIBRARY_PATH")
    return {"VK_DRIVER_FILES": str(folder / "radeon_icd.json"), "VK_ICD_FILENAMES": str(folder / "radeon_icd.json"),
            "LD_LIBRARY_PATH": f"{folder}:{libraries}" if libraries else str(folder)}


def fetch(folder):
    """get(), with a line on what became of it."""
    try:
        if not (folder / "radeon_icd.json").exists():
            get(folder)
        print(f"RADV of {SUITE}-backports: {(folder / 'version').read_text(encoding='utf-8').strip()}")
    except (Missing, OSError) as e:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "missing").write_text(f"{e}\n", encoding="utf-8")
        print(f"no RADV of {SUITE}-backports: {e}")


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("get", "run", "env"):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[2]).resolve()
    if sys.argv[1] == "get":
        return fetch(folder)
    try:
        env = environment(folder)
    except Missing as e:
        if sys.argv[1] == "env":
            sys.exit(f"no RADV of {SUITE}-backports: {e}")
        return print(f"1..0 # SKIP no RADV of {SUITE}-backports: {e}")
    if sys.argv[1] == "env":
        return print("\n".join(f"export {name}='{value}'" for name, value in env.items()))
    os.environ.update(env)
    os.execvp(sys.argv[3], sys.argv[3:])


if __name__ == "__main__":
    main()
