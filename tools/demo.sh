#!/bin/sh
# SPDX-License-Identifier: MIT
# demo.sh LULL: load a compiled shader, submit it as PM4 to the virtual gfx1100, stop it, step it, change it,
# let it finish; then check what it wrote.
set -eu
lull=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$(dirname "$0")/.."

say() {
    if [ -t 1 ]; then printf '\n\033[1m%s\033[0m\n' "$*"; else printf '\n%s\n' "$*"; fi
}

say '$ lull run examples/saxpy.cl   (compiled by clang-19, run on the virtual gfx1100; y = 2 x + y, x = 0 1 2 ...)'
"$lull" run examples/saxpy.cl --grid 1024 --block 128 --arg "zeros:4096:out=$dir/y" --arg iota:1024:f32 \
    --arg f32:2.0 --arg u32:1024
od -A d -t f4 -N 16 "$dir/y"
say '$ lull debug examples/loop.s -x examples/demo.lull'
"$lull" debug examples/loop.s --grid 256 --block 256 --arg "zeros:1024:name=out:out=$dir/out" -batch --echo \
    -x examples/demo.lull
say 'out[100..103]: 250 * (i + 1), and lane 5 of wave 3 (work-item 101) as changed'
od -A d -t u4 -j 400 -N 16 "$dir/out"
set -- $(od -A n -t u4 -j 404 -N 4 "$dir/out")
[ "$1" = 1015300 ] || { echo "expected 1015300, got $1"; exit 1; }
say '$ lull debug examples/oob_store.cl   (a store far behind its buffer)'
"$lull" debug examples/oob_store.cl --grid 128 --block 128 --arg zeros:512:name=out -batch --echo -ex run || true
