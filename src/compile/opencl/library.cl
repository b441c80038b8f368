// SPDX-License-Identifier: MIT
// The device library as one module.
#include "integer.cl"
#include "math.cl"
#include "special.cl"
#include "vector.cl"
#include "workitem.cl"
