#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull run --check all names the bug of each kernel, and nothing in its right twin; and nothing in kernels that are right in ways that look wrong.

    pairs.py LULL wrong|right

What is right: OpenCL C 3.0, "Memory Consistency Model" and "Synchronization Functions". TAP.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, part = sys.argv[1:3]
# How a workgroup adds up what its items have: s, of which one item takes care.
GROUP_SUM = """    local int s; local uint last;
    int l = get_local_id(0);
    if (l == 0) s = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&s, in[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
"""
# name: check, kind or None, words of its sites, grid, block, arguments, the kernel, pieces that make it right.
WRONG = {
    "a later wave stores what an earlier one has loaded": ("race", "two waves of a workgroup, no barrier between them", ["loads 4 bytes at", "stores 4 bytes, 0x7"], "128", "128", "zeros:512", """kernel void k(global int *out)
{
    local int t[128];
    int l = get_local_id(0), got = 0;
    t[l] = 3 * l;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 32) got = t[l + 96];
    ;;
    if (l >= 96) t[l] = 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = t[l] + got;
}
""",
        [[";;", "barrier(CLK_LOCAL_MEM_FENCE);"]]),
    "swapped stride in transpose": ("bounds", "a buffer is left", ["stores 4 bytes", "byte 8192 of out, which has 8192"], "64,32", "16,16", "zeros:8192 rand:1:2048:f32 i32:64 i32:32", """kernel void k(global float *out, global const float *in, int w, int h)
{
    local float t[16][17];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    t[ly][lx] = in[y * w + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    int ox = get_group_id(1) * 16 + lx, oy = get_group_id(0) * 16 + ly;
    out[oy * w + ox] = t[lx][ly];
}
""",
        [["out[oy * w + ox]", "out[oy * h + ox]"]]),
    "an asynchronous copy that nobody waits for": ("race", "two waves of a workgroup, no barrier between them", ["stores 4 bytes", "loads 4 bytes at"], "256", "128", "zeros:1024 rand:1:256:f32", """kernel void k(global float *out, global const float *in)
{
    local float tile[128];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(tile, in + 128 * get_group_id(0), 128, 0);
    ;;
    out[get_global_id(0)] = 2 * tile[l];
}
""",
        [[";;", "wait_group_events(1, &e);"]]),
    "an asynchronous copy of what others have still to store": ("race", "two waves of a workgroup, no barrier between them", ["stores 4 bytes", "loads 4 bytes at"], "192", "96", "zeros:3072 i32:3", """kernel void k(global int2 *out, int n)
{
    local int2 tile[192];
    int l = get_local_id(0);
    tile[l] = (int2)(l, n);
    tile[l + 96] = (int2)(l, -n);
    ;;
    event_t e = async_work_group_copy(out + 192 * get_group_id(0), tile, 192, 0);
    wait_group_events(1, &e);
}
""",
        [[";;", "barrier(CLK_LOCAL_MEM_FENCE);"]]),
    "an unset slot that a force is divided by": ("uninit", "what nothing wrote is stored", ["tile+0x", "stores it"], "128", "128", "zeros:512 rand:1:512:f32", """kernel void k(global float *out, global const float4 *in)
{
    local float4 tile[128];
    int l = get_local_id(0);
    if (l != 77) tile[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 t = tile[(l + 1) % 128];
    float r = dot(t.xyz, t.xyz) + 0.05f;
    out[l] = t.w / (r * r * r);
}
""",
        [["if (l != 77) ", ""]]),
    "double buffer that is one buffer": ("race", "two waves of a workgroup, no barrier between them", ["loads 4 bytes at", "stores 4 bytes"], "256", "128", "zeros:1024 iota:256:i32 i32:4", """kernel void k(global int *out, global const int *in, int n)
{
    local int t[2][128];
    int l = get_local_id(0), sum = 0;
    t[0][l] = in[get_global_id(0)];
    for (int r = 0; r < n; r++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int v = t[0][(l + 37) % 128];
        sum += v;
        t[0][l] = v + 1;
    }
    out[get_global_id(0)] = sum;
}
""",
        [["int v = t[0][", "int v = t[r & 1]["], ["t[0][l] = v + 1", "t[(r + 1) & 1][l] = v + 1"]]),
    "last group done without a fence": ("race", "two workgroups of a dispatch, nothing orders them", ["at part+0x"], "1024", "64", "zeros:64 zeros:4 zeros:4 iota:1024:i32", """kernel void k(global int *part, global atomic_uint *count, global int *out, global const int *in)
{
""" + GROUP_SUM + """        last = atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, memory_scope_device);
        part[get_group_id(0)] = s;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (last == get_num_groups(0) - 1 && l == 0) {
        int sum = 0;
        for (int i = 0; i < get_num_groups(0); i++)
            sum += part[i];
        *out = sum;
    }
}
""",
        [["        last = atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, memory_scope_device);\n        part[get_group_id(0)] = s;", "        part[get_group_id(0)] = s;\n        last = atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, memory_scope_device);"]]),
    "counter read by a plain load across groups": ("race", "two workgroups of a dispatch, nothing orders them", ["at count+0x0"], "1024", "64", "zeros:4096 zeros:4", """kernel void k(global int *out, global int *count)
{
    int at = *count;
    *count = at + 1;
    out[get_global_id(0)] = at;
}
""",
        [["    int at = *count;\n    *count = at + 1;", "    int at = atomic_inc(count);"]]),
    "LDS halo not written": ("uninit", "what nothing wrote is stored", ["which no work-item had written", "stores it"], "128", "64", "zeros:512 iota:128:i32", """kernel void k(global int *out, global const int *in)
{
    local int t[66];
    int l = get_local_id(0), i = get_global_id(0);
    t[l + 1] = in[i];
    if (l == 0 && i > 0) t[0] = in[i - 1];
    if (l == 63 && i < 127) t[65] = in[i + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[l] + t[l + 1] + t[l + 2];
}
""",
        [["    if (l == 0 && i > 0) t[0] = in[i - 1];\n    if (l == 63 && i < 127) t[65] = in[i + 1];", "    if (l == 0) t[0] = i > 0 ? in[i - 1] : 0;\n    if (l == 63) t[65] = i < 127 ? in[i + 1] : 0;"]]),
    "barrier in a loop with per item trip count": ("barrier", None, [], "128", "128", "zeros:512 iota:128:i32", """kernel void k(global int *out, global const int *in)
{
    local int t[128];
    int l = get_local_id(0), s = 0;
    t[l] = l;
    for (int j = 0; j < in[l] / 50 + 1; j++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        s += t[(l + j) & 127];
    }
    out[l] = s;
}
""",
        [["in[l] / 50 + 1", "in[5] / 50 + 3"]]),
    "mod by zero of a neighbour difference": ("divzero", "an integer is divided by 0, and the result is used", ["divides by 0"], "64", "64", "zeros:256 iota:65:i32", """kernel void k(global int *out, global const int *in)
{
    int i = get_global_id(0);
    int d = (in[i] >> 2) - (in[i + 1] >> 2);
    out[i] = 100 % d;
}
""",
        [["100 % d", "d != 0 ? 100 % d : -1"]]),
    "two local arrays overlap": ("bounds", "local memory is left", ["of a, which has 256"], "128", "64", "zeros:512 iota:128:i32 local:256 local:256", """kernel void k(global int *out, global const int *in, local int *a, local int *b)
{
    int l = get_local_id(0);
    for (int j = l; j < 96; j += 64)
        a[j] = in[j];
    b[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = a[63 - l] + b[63 - l];
}
""",
        [["j < 96", "j < 64"]]),
    "int8 stores of two groups to one byte": ("race", None, ["stores 1 byte"], "128", "64", "zeros:64", """kernel void k(global char *out)
{
    int i = get_global_id(0);
    out[i / 2] = i;
}
""",
        [["i / 2", "i & 63 ? 0 : 1"], ["= i;", "= 5;"]]),
    "shift of an index: negative": ("bounds", "a buffer is left", ["4 bytes in front of out"], "64", "64", "zeros:256 iota:64:i32", """kernel void k(global int *out, global const int *in)
{
    int i = get_global_id(0);
    out[i - 1] = in[i];
}
""",
        [["out[i - 1]", "out[(i + 63) & 63]"]]),
    # The first wave's own atomic operations hide what it has stored, and those of the round before look as if they freed a lock.
    "bins that are set up without a barrier": ("race", "two waves of a workgroup, no barrier between them", ["stores 4 bytes", "atomically changes 4 bytes"], "256", "128", "zeros:64 rand:1:256:u32", """kernel void k(global int *bins, global const uint *in)
{
    local int h[16];
    int l = get_local_id(0);
    if (l < 16) h[l] = 0;
    ;;
    atomic_inc(&h[in[get_global_id(0)] % 16]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16) atomic_add(&bins[l], h[l]);
}
""",
        [[";;", "barrier(CLK_LOCAL_MEM_FENCE);"]]),
    # Code shows the release: it waits for stores.
    "partial sums that are announced without a release": ("race", "two workgroups of a dispatch, nothing orders them", ["stores 4 bytes", "at part+0x18", "loads 4 bytes"], "512", "64", "zeros:4 iota:512:i32 zeros:32:name=part zeros:4", """kernel void k(global int *out, global const int *in, global int *part, global atomic_uint *count)
{
    local int t[64];
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l != 0) return;
    int s = 0;
    for (int i = 0; i < 64; i++) s += t[i];
    part[get_group_id(0)] = s;
    ;;
    if (atomic_fetch_add_explicit(count, 1u, memory_order_relaxed, memory_scope_device) == 7) {
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        for (int i = s = 0; i < 8; i++) s += part[i];
        out[0] = s;
    }
}
""",
        [[";;", "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);"]]),
    "bins that are set up again without a barrier": ("race", "two waves of a workgroup, no barrier between them", ["stores 4 bytes", "atomically changes 4 bytes"], "256", "128", "zeros:128 rand:1:512:u32", """kernel void k(global int *bins, global const uint *in)
{
    local int h[16];
    int l = get_local_id(0);
    for (int r = 0; r < 2; r++) {
        if (l < 16) h[l] = 0;
        if (r == 0) barrier(CLK_LOCAL_MEM_FENCE);
        atomic_inc(&h[in[r * 256 + get_global_id(0)] % 16]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < 16) atomic_add(&bins[r * 16 + l], h[l]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
""",
        [["if (r == 0) barrier", "barrier"]]),
}
# name: grid, block, arguments, the kernel.
RIGHT = {
    "look-back": ("1024", "64", "zeros:4096 iota:1024:i32 zeros:64 zeros:64 zeros:64 zeros:4", """kernel void k(global int *out, global const int *in, global atomic_int *flag, global int *agg, global int *pre, global atomic_uint *ticket)
{
    local int t[64]; local uint g; local int base;
    int l = get_local_id(0);
    if (l == 0) g = atomic_fetch_add_explicit(ticket, 1, memory_order_relaxed, memory_scope_device);
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = in[g * 64 + l];
    for (int d = 1; d < 64; d <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int v = l >= d ? t[l - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] += v;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        int sum = t[63], b = 0;
        if (g == 0) {
            pre[0] = sum;
            atomic_store_explicit(&flag[0], 2, memory_order_release, memory_scope_device);
        } else {
            agg[g] = sum;
            atomic_store_explicit(&flag[g], 1, memory_order_release, memory_scope_device);
            int at = g - 1;
            for (;;) {
                int f = atomic_load_explicit(&flag[at], memory_order_acquire, memory_scope_device);
                if (f == 2) { b += pre[at]; break; }
                if (f == 1) { b += agg[at]; at--; }
            }
            pre[g] = b + sum;
            atomic_store_explicit(&flag[g], 2, memory_order_release, memory_scope_device);
        }
        base = b;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g * 64 + l] = base + t[l];
}
"""),
    "relaxed flags of bfs": ("256", "64", "zeros:4 rand:2:256:u32 zeros:1024", """kernel void k(global int *changed, global const uint *in, global int *out)
{
    int i = get_global_id(0);
    if (in[i] & 1) *changed = 1;
    out[i] = in[i] & 1;
}
"""),
    "padding of structs": ("64", "64", "zeros:1024 rand:1:256:u32", """typedef struct { char a; int b; short c; float d; } S;
kernel void k(global S *out, global const uint *in)
{
    int i = get_global_id(0);
    S s; s.a = in[i]; s.b = in[i + 64]; s.c = in[i]; s.d = 1;
    S t = s;
    if (in[i] & 1) t.b++;
    out[i] = t;
}
"""),
    "vec3": ("64", "64", "zeros:1024 rand:1:256:f32", """kernel void k(global float3 *out, global const float3 *in)
{
    int i = get_global_id(0);
    float3 v = in[i];
    if (v.x > 0) v = v.zxy * 2;
    out[i] = v;
    local float3 t[64];
    t[i] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[63 - i];
}
"""),
    "spin lock": ("256", "64", "zeros:4 zeros:4 zeros:4", """kernel void k(global atomic_int *lock, global int *a, global int *b)
{
    if (get_local_id(0) == 0) {
        int want = 0;
        while (!atomic_compare_exchange_weak_explicit(lock, &want, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)) want = 0;
        *a += 1; *b = *a * 2;
        atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
    }
}
"""),
    "histogram local": ("1024", "128", "zeros:64 rand:1:1024:u32", """kernel void k(global int *bins, global const uint *in)
{
    local int t[16];
    int l = get_local_id(0);
    if (l < 16) t[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&t[in[get_global_id(0)] & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16) atomic_add(&bins[l], t[l]);
}
"""),
    "partly set, guarded": ("64", "64", "zeros:256 iota:64:i32", """kernel void k(global int *out, global const int *in)
{
    int v, set = 0, i = get_global_id(0);
    if (in[i] > 20) { v = in[i] * 2; set = 1; }
    if (in[i] < 5) { v = in[i] * 3; set = 1; }
    out[i] = set ? v : -1;
}
"""),
    "min max atomics then read after barrier": ("128", "128", "zeros:8 rand:1:128:i32", """kernel void k(global int *out, global const int *in)
{
    local int lo, hi;
    if (get_local_id(0) == 0) { lo = INT_MAX; hi = INT_MIN; }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_min(&lo, in[get_global_id(0)]);
    atomic_max(&hi, in[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 5) { out[0] = lo; out[1] = hi; }
}
"""),
    "producer and consumer over scopes": ("128", "64", "zeros:256 zeros:4 zeros:256", """kernel void k(global int *data, global atomic_int *flag, global int *out)
{
    int l = get_local_id(0);
    if (get_group_id(0) == 0) {
        data[l] = l * 3;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (l == 0) atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else {
        if (l == 0) while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0) {}
        barrier(CLK_GLOBAL_MEM_FENCE);
        out[l] = data[l];
    }
}
"""),
    "relaxed with fences": ("128", "64", "zeros:256 zeros:4 zeros:256", """kernel void k(global int *data, global atomic_int *flag, global int *out)
{
    int l = get_local_id(0);
    if (get_group_id(0) == 0) {
        data[l] = l * 3;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (l == 0) { atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
            atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device); }
    } else {
        if (l == 0) { while (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 0) {}
          atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device); }
        barrier(CLK_GLOBAL_MEM_FENCE);
        out[l] = data[l];
    }
}
"""),
    "old style last group": ("1024", "64", "zeros:64 zeros:4 zeros:4 iota:1024:i32", """kernel void k(global int *part, global uint *count, global int *out, global const int *in)
{
""" + GROUP_SUM + """        part[get_group_id(0)] = s;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        last = atomic_inc(count);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (last == get_num_groups(0) - 1) {
        int sum = 0;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        for (int i = l; i < get_num_groups(0); i += 64)
            sum += part[i];
        if (l < get_num_groups(0)) atomic_add(out, sum);
    }
}
"""),
    "ring of tiles, one barrier a round": ("128", "128", "zeros:512 iota:2048:i32", """kernel void k(global int *out, global const int *in)
{
    local int t[2][128];
    int l = get_local_id(0), sum = 0;
    for (int r = 0; r < 16; r++) {
        t[r & 1][l] = in[r * 128 + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 8; j++) sum += t[r & 1][(l * 7 + j) & 127];
    }
    out[l] = sum;
}
"""),
    # Relaxed operations behind one that releases go on with it, whatever else was stored in front of them.
    "a release that goes on over relaxed operations": ("512", "64", "zeros:4 zeros:4 zeros:32 zeros:32", """kernel void k(global int *data, global atomic_uint *x, global int *other, global int *out)
{
    int g = get_group_id(0);
    if (get_local_id(0) != 0) return;
    if (g == 0) {
        *data = 42;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    } else {
        other[g] = g;
    }
    if (atomic_fetch_add_explicit(x, 1u, memory_order_relaxed, memory_scope_device) != 0) {
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        out[g] = *data;
    }
}
"""),
    # Optimised, work-items that are through stay off at the last barrier: it needs no lanes.
    "a barrier with nothing behind it": ("256", "128", "zeros:128 rand:1:512:u32", """kernel void k(global int *bins, global const uint *in)
{
    local int h[16];
    int l = get_local_id(0);
    for (int r = 0; r < 2; r++) {
        if (l >= 112) h[l - 112] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_inc(&h[in[r * 256 + get_global_id(0)] % 16]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < 16) atomic_add(&bins[r * 16 + l], h[l]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
"""),
    "a lock in local memory": ("256", "128", "zeros:8", """kernel void k(global int *out)
{
    local atomic_int lock;
    local int sum;
    int l = get_local_id(0);
    if (l == 0) { atomic_init(&lock, 0); sum = 0; }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (bool wait = l % 64 == 0; wait;) {
        int want = 0;
        if (atomic_compare_exchange_strong_explicit(&lock, &want, 1, memory_order_acquire, memory_order_relaxed, memory_scope_work_group)) {
            sum += l;
            atomic_store_explicit(&lock, 0, memory_order_release, memory_scope_work_group);
            wait = false;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) out[get_group_id(0)] = sum;
}
"""),
}
WAYS = [("-O2", "32"), ("-O0", "64")]


def run(path, grid, block, args, level, wave):
    """Exit status, findings by check."""
    words = [lull, "run", path, "--grid", grid, "--block", block, level, "--wave", wave, "--check", "all", "--json"]
    r = subprocess.run([*words, *(w for a in args.split() for w in ("--arg", a))], capture_output=True, text=True, timeout=120)
    lines = [json.loads(line) for line in r.stdout.splitlines() if line.startswith("{")]
    return r.returncode, {line["check"]: line["findings"] for line in lines if "check" in line}, r.stderr


def silent(got):
    return got[0] == 0 and "race" in got[1] and not any(got[1].values())


with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder) / "pair.cl"
    for name, (check, kind, words, grid, block, args, text, pieces) in WRONG.items() if part == "wrong" else ():
        right = text
        for wrong, instead in pieces:
            assert wrong in right, (name, wrong)
            right = right.replace(wrong, instead)
        for way in WAYS:
            source.write_text(text)
            got = run(source, grid, block, args, *way)
            sites = [(f["kind"], " ".join(s["does"] for s in f["sites"])) for f in got[1].get(check, [])]
            found = [does for of, does in sites if (kind is None or of == kind) and all(w in does for w in words)]
            case(f"{name} {' '.join(way)}", got[0] == 1 and bool(found), got)
            source.write_text(right)
            got = run(source, grid, block, args, *way)
            case(f"{name} {' '.join(way)}: the right twin", silent(got), got)
    for name, (grid, block, args, text) in RIGHT.items() if part == "right" else ():
        source.write_text(text)
        for way in WAYS:
            got = run(source, grid, block, args, *way)
            case(f"{name} {' '.join(way)}", silent(got), got)
end()
