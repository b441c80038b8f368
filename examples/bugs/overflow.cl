// SPDX-License-Identifier: MIT
// Bug: the product is one of ints, and is made a long when it has overflowed.
kernel void area(global long *out, int scale)
{
    int i = get_global_id(0);
    out[i] = i * i * scale;
}
