// SPDX-License-Identifier: MIT
// Two rows of 32 numbers are copied. With a pitch in bytes, or of another image, the second row goes far behind the
// end of the buffer, where without a red zone another buffer may lie: --check bounds names the one that was meant.
kernel void rows(global int *out, global const int *in, int pitch)
{
    int i = get_global_id(0);
    out[i / 32 * pitch + i % 32] = in[i];
}
