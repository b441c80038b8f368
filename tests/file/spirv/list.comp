#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { uint value; Node next; };
layout(push_constant) uniform Args { Node head; };
layout(set = 0, binding = 0) buffer Out { uint sum; };
void main()
{
    sum = head.next.next.value;
}
