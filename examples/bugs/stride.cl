// SPDX-License-Identifier: MIT
// Bug: rows are width + 1 apart in the reader's mind and width - 1 here, so the ends of rows are
// written by two workgroups.
kernel void rows(global int *out, int width)
{
    int x = get_local_id(0), y = get_group_id(0);
    out[y * (width - 1) + x] = y * 1000 + x;
}
