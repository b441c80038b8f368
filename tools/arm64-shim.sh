#!/bin/sh
# SPDX-License-Identifier: MIT
# The shim for arm64 programs, linked against the libraries of a folder of tools/arm64-root.sh. Without the folder or without clang-19 and lld-19
# the output is an empty file. Called by ninja.
#
#   arm64-shim.sh FOLDER SRC OUT DEPFILE SOURCE...
set -eu
root=$1 src=$2 out=$3 dep=$4
shift 4
clang=$(command -v clang-19 || true)
echo "$out: $root/complete" > "$dep"
if [ ! -e "$root/complete" ] || [ -z "$clang" ] || ! command -v ld.lld-19 >/dev/null; then
    : > "$out"
    exit 0
fi
for header in "$src"/shim/*.h "$src"/vdrm/core/wire.h; do
    echo "$out: $header" >> "$dep"
done
exec "$clang" --target=aarch64-linux-gnu --sysroot="$root" --ld-path="$(command -v ld.lld-19)" -std=gnu17 -O2 -g -fPIC -shared -fno-builtin \
    -fvisibility=hidden -D_GNU_SOURCE -I"$src" -Wl,-z,now -o "$out" "$@"
