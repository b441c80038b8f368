#version 460
// SPDX-License-Identifier: MIT
// Private arrays with indices known at run time only: quicksort with a stack of its own, and a struct table.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer V { int v[]; };
struct Item { int key; ivec3 more; };
void sort(inout int a[48])
{
    int stack[32], top = 0;
    stack[top++] = 0;
    stack[top++] = 47;
    while (top > 0) {
        int high = stack[--top], low = stack[--top], p = a[(low + high) / 2], i = low, j = high;
        while (i <= j) {
            while (a[i] < p) i++;
            while (a[j] > p) j--;
            if (i <= j) { int t = a[i]; a[i] = a[j]; a[j] = t; i++; j--; }
        }
        if (low < j) { stack[top++] = low; stack[top++] = j; }
        if (i < high) { stack[top++] = i; stack[top++] = high; }
    }
}
void main()
{
    uint base = gl_GlobalInvocationID.x * 48;
    int a[48];
    for (uint k = 0; k < 48; k++) a[k] = v[base + k];
    sort(a);
    Item items[12];
    for (int k = 0; k < 12; k++) items[k] = Item(a[k * 4], ivec3(a[k * 4 + 1], a[k * 4 + 2], a[k * 4 + 3]));
    for (uint k = 0; k < 48; k++) {
        uint at = uint(a[k] & 0xff) % 12;
        v[base + k] = a[k] + (k % 2 == 0 ? items[at].key : items[at].more[k % 3]);
    }
}
