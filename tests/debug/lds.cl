// SPDX-License-Identifier: MIT
// Variables in LDS, of all sizes: where LLVM puts them, DWARF does not say.
kernel void many(global int *out)
{
    local int b[16];
    local int a[16];
    local float s;
    local double d;
    local char c[3];
    local short z;
    int i = __builtin_amdgcn_workitem_id_x();
    b[i & 15] = 2 * (i & 15) + 1000;
    a[i & 15] = i & 15;
    s = 4.5f;
    d = 2.5;
    c[i % 3] = i % 3 + 60;
    z = -7;
    out[i] = a[1] + b[2] + s + d + c[0] + z;
}

kernel void one(global int *out)
{
    local int2 pair[4];
    local int unused;
    int i = __builtin_amdgcn_workitem_id_x();
    pair[i & 3] = (int2)(i & 3, 9);
    out[i] = pair[1].x;
}

kernel void gap(global int *out)
{
    local int three[3];
    local int five[5];
    local int x;
    int i = __builtin_amdgcn_workitem_id_x();
    three[i % 3] = i % 3;
    five[i % 5] = i % 5;
    x = 8;
    out[i] = three[1] + five[1] + x;
}
