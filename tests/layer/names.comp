#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint factor = 1;
layout(set = 0, binding = 0) buffer Data { uint values[]; } data;
layout(set = 1, binding = 3) buffer More { uint more[]; };
layout(push_constant) uniform Push { uint add, pad; } push;
void main()
{
    uint i = gl_GlobalInvocationID.x;
    data.values[i] = data.values[i] * factor + push.add;
    more[0] = 7;
}
