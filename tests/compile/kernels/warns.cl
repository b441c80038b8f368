// SPDX-License-Identifier: MIT
#include "value.h"
__kernel void warns(__global int *a)
{
    int unused;
    a[0] = VALUE;
}
