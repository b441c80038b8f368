#version 450
// Stores element `at` and those behind it through one of several descriptors; resources.c is the host.
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Parts { uint count; uint data[]; } parts[3];
layout(set = 0, binding = 2) buffer Moving { uvec4 words[]; };
struct Item { vec2 p; uint id; uint unused; };
layout(set = 1, binding = 3) buffer Last { uint head[4]; Item items[]; } last;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint word[]; };
layout(push_constant) uniform Push { Words there; uint which; uint at; };
void main()
{
    uint i = at + gl_LocalInvocationIndex;
    switch (which) {
    case 0u:
        parts[1].data[i] = i;
        break;
    case 1u:
        words[i].z = i;
        break;
    case 2u:
        last.items[i].id = i;
        break;
    default:
        there.word[i] = i;
    }
}
