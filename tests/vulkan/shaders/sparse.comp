#version 460
// SPDX-License-Identifier: MIT
// Stores of which a compiler needs to bring only the components that are not 0: every set of them, one a column.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, FORMAT) uniform writeonly IMAGE t;
#define C(m, c) ((m & 1 << c) != 0 ? KIND(VALUES)[c] : KIND(0)[c])
#define STORE(m) imageStore(t, AT(m), KIND(C(m, 0), C(m, 1), C(m, 2), C(m, 3)));
void main()
{
    int y = int(gl_LocalInvocationIndex);
    STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7)
    STORE(8) STORE(9) STORE(10) STORE(11) STORE(12) STORE(13) STORE(14) STORE(15)
}
