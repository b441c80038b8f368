// SPDX-License-Identifier: MIT
// Variables of every kind, whose values tests/debug/variables.py computes again.
typedef struct { float x, y; } point;
typedef struct node { int id; point pts[3]; struct node *next; uchar tag; } node;
enum color { RED, GREEN = 5, BLUE };
typedef union { uint u; float f; } bits;

int helper(int a, __private int *q)
{
    int t = a * 3;
    *q += t;
    return t + 1;
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void vars(__global float *out, __constant int *table, int n, float4 vec)
{
    __local int tile[64];
    __local float sum;
    int i = get_global_id(0);
    short s = -i;
    ulong big = (ulong)i << 33;
    float acc = 0.5f * i;
    double d = 2.5 * i;
    half h = (half)i;
    bool odd = i & 1;
    char c = 'a' + i % 26;
    enum color col = i == 0 ? RED : BLUE;
    bits b;
    b.f = acc;
    int arr[4] = {i, i * 2, i * 3, i * 4};
    node nd = {.id = i, .pts = {{i, 1}, {2, i}, {3, 3}}, .next = &nd, .tag = 7};
    node *np = &nd;
    int m[2][3] = {{1, 2, 3}, {i, 5, 6}};
    __local int *lp = &tile[i & 63];
    tile[get_local_id(0)] = i + 100;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) sum = 4.5f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 3; k++) {
        float scaled = acc * k;
        acc += scaled;
    }
    int r = helper(i, &arr[1]);
    out[i] = acc + tile[0] + r + arr[1] + m[1][0] + vec.y + *lp + sum;
}
