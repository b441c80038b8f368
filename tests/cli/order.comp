#version 450
// What an invocation finds depends on who came before: tickets, a racy counter, and data of others that no
// barrier orders.
layout(local_size_x = 64) in;
layout(binding = 0) volatile coherent buffer State
{
    uint ticket;
    uint racy[3];
    uint data[];
};
layout(push_constant) uniform Push
{
    uint salt;
};

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint n = uint(data.length());
    uint seen = salt;
    for (uint k = 0u; k < 12u; k++) {
        uint r = racy[k % 3u];
        racy[k % 3u] = r * 3u + i + k;
        seen = seen * 31u + atomicAdd(ticket, 1u) + r;
        seen ^= data[(i * 7u + k * 61u) % n];
    }
    data[i % n] = seen;
}
