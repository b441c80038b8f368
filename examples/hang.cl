// SPDX-License-Identifier: MIT
// Waits for a number that nobody writes.
#include "lull_cl.h"

kernel void hang(global volatile uint *flag)
{
    while (flag[get_global_id(0)] == 0) {
    }
    flag[get_global_id(0)] = 2;
}
