#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles what lull brings for arm64 programs, linked against the libraries of a folder of tools/arm64-root.sh. Without the folder or without
# clang-19 and lld-19 the output is an empty file. Called by ninja.
#
#   arm64-cc.sh FOLDER SRC OUT DEPFILE 'FOLDERS OF HEADERS BELOW SRC' FLAG|SOURCE...
set -eu
root=$1 src=$2 out=$3 dep=$4 folders=$5
shift 5
clang=$(command -v clang-19 || true)
echo "$out: $root/complete" > "$dep"
if [ ! -e "$root/complete" ] || [ -z "$clang" ] || ! command -v ld.lld-19 >/dev/null; then
    : > "$out"
    exit 0
fi
for folder in $folders; do
    for header in "$src/$folder"/*.h; do
        echo "$out: $header" >> "$dep"
    done
done
# Headers of Vulkan and SPIR-V are the same on every machine: the host's.
mkdir -p "$out.include"
for name in vulkan vk_video spirv; do
    ln -sfn /usr/include/$name "$out.include/$name"
done
exec "$clang" --target=aarch64-linux-gnu --sysroot="$root" --ld-path="$(command -v ld.lld-19)" -O2 -g -fvisibility=hidden -D_GNU_SOURCE \
    -I"$src" -I"$src/../include" -I"$out.include" -o "$out" "$@"
