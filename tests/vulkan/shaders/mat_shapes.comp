#version 460
// SPDX-License-Identifier: MIT
// Matrices of M, by columns and by rows, in each kind of memory. C: a row's type, R: a column's.
layout(local_size_x = 1) in;
layout(push_constant) uniform P { layout(row_major) M p; };
layout(std430, set = 0, binding = 0) writeonly buffer O { float o[]; };
layout(std140, set = 0, binding = 1) uniform U { layout(row_major) M ur[2]; M uc; float u; };
layout(std430, set = 0, binding = 2) buffer B { M bc; layout(row_major) M br; float b; };
uint at = 0u;
void put(C v) { for (int i = 0; i < v.length(); i++) o[at++] = v[i]; }
void put_column(R v) { for (int i = 0; i < v.length(); i++) o[at++] = v[i]; }
void main()
{
    C c;
    R r;
    for (int i = 0; i < c.length(); i++) c[i] = float(i + 1);
    for (int i = 0; i < r.length(); i++) r[i] = float(3 - i);
    put_column(p * c);
    put_column(ur[1] * c);
    put_column(uc * c);
    put_column(bc * c);
    put_column(br * c);
    put(r * p);
    put(r * ur[0]);
    put(r * bc);
    put(c * transpose(br) * bc);
    o[at++] = u + b + ur[gl_NumWorkGroups.x - 1u][gl_NumWorkGroups.y][gl_NumWorkGroups.z];
    br = bc;
    bc[1] = ur[0][1];
    br[gl_NumWorkGroups.x][1] = 99.0;
    b = determinant(mat2(bc)) + uc[0].y;
}
