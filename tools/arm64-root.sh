#!/bin/sh
# SPDX-License-Identifier: MIT
# A folder with the arm64 programs and drivers of Debian that `lull exec` runs by qemu-aarch64-static: vulkaninfo, Turnip and RADV of
# bookworm and of bookworm-backports, and libc's headers, for which the arm64 shim is built.
#
#   arm64-root.sh [FOLDER]   FOLDER: build/arm64 if not given. Does nothing if it is complete.
#
# apt downloads the packages and dpkg-deb unpacks them; nothing is installed, no architecture is added, no root is needed. What apt reads and
# writes lies in FOLDER's neighbourhood and is removed. The addresses and keys are those of apt's own sources.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../build/arm64}
mkdir -p "$(dirname "$folder")"
folder=$(cd "$(dirname "$folder")" && pwd)/$(basename "$folder")
libs=usr/lib/aarch64-linux-gnu
if [ -e "$folder/complete" ]; then
    echo "arm64 programs: $(cat "$folder/complete")"
    exit 0
fi
work=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/root"
: > "$work/status"
python3 - "$here" "$work" <<'END'
import pathlib
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import radv
try:
    source = radv.write_source(pathlib.Path(sys.argv[2]))
except radv.Missing as e:
    sys.exit(f"arm64-root.sh: {e}")
text = source.read_text(encoding="utf-8")
source.write_text(text + "\n" + text.replace(f"{radv.SUITE}-backports", radv.SUITE), encoding="utf-8")
END
source=$(ls "$work"/debian.*)

fetch() {
    apt-get -q -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o "Dir::Etc::SourceList=$source" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null -o "Dir::State=$work/state" -o "Dir::State::status=$work/status" \
        -o "Dir::Cache=$work/cache" -o Acquire::Languages=none -o Acquire::Retries=2 -o APT::Sandbox::User=root -o APT::Install-Recommends=false \
        -o APT::Update::Error-Mode=any -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false "$@"
}
fetch update
fetch install --download-only -y mesa-vulkan-drivers vulkan-tools libc6-dev libgcc-12-dev
for package in "$work"/cache/archives/*.deb; do
    dpkg-deb -x "$package" "$work/root"
done
# The drivers of bookworm-backports lie beside bookworm's: the libraries that they need are the same but for libdrm and LLVM.
mkdir -p "$work/backports" "$work/root/backports"
(cd "$work/backports" && fetch download mesa-vulkan-drivers/bookworm-backports libdrm2/bookworm-backports libdrm-amdgpu1/bookworm-backports)
for package in "$work"/backports/*.deb; do
    dpkg-deb -x "$package" "$work/backports/root"
done
cp -P "$work/backports/root/$libs"/libvulkan_freedreno.so "$work/backports/root/$libs"/libvulkan_radeon.so "$work/backports/root/$libs"/libdrm*.so* "$work/root/backports/"
# One list of drivers for each of the two: names are those of the folder as programs in it see them.
mkdir -p "$work/root/icd/bookworm" "$work/root/icd/backports"
for driver in freedreno radeon; do
    printf '{"file_format_version": "1.0.0", "ICD": {"api_version": "1.3.0", "library_path": "/%s/libvulkan_%s.so"}}\n' "$libs" $driver \
        > "$work/root/icd/bookworm/$driver.json"
    printf '{"file_format_version": "1.0.0", "ICD": {"api_version": "1.3.0", "library_path": "/backports/libvulkan_%s.so"}}\n' $driver \
        > "$work/root/icd/backports/$driver.json"
done
# Absolute links lead out of the folder for those who do not run in it, such as the linker.
find "$work/root" -type l -lname '/*' | while read -r link; do
    ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$work/root$(readlink "$link")")" "$link"
done
printf 'Mesa %s, %s\n' "$(basename "$(ls "$work"/cache/archives/mesa-vulkan-drivers_*)" | cut -d_ -f2)" \
    "$(basename "$(ls "$work"/backports/mesa-vulkan-drivers_*)" | cut -d_ -f2)" > "$work/root/complete"
rm -rf "$folder"
mv "$work/root" "$folder"
echo "arm64 programs: $(cat "$folder/complete")"
