// SPDX-License-Identifier: MIT
__kernel void broken(__global float *a)
{
    a[0] = no_such_function(1);
}
