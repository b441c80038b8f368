#version 460
// SPDX-License-Identifier: MIT
// The nearest triangle that each ray hits.
#extension GL_EXT_ray_query : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430) readonly buffer Rays { vec4 v[]; };
layout(buffer_reference, std430) writeonly buffer Hits { vec4 v[]; };
layout(push_constant) uniform Push { uvec2 tree; uvec2 rays; uvec2 hits; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    rayQueryEXT q;
    rayQueryInitializeEXT(q, accelerationStructureEXT(tree), gl_RayFlagsOpaqueEXT, 0xff, Rays(rays).v[2 * i].xyz, 0.0,
                          Rays(rays).v[2 * i + 1].xyz, 100.0);
    while (rayQueryProceedEXT(q)) { }
    vec4 a = vec4(-1), b = vec4(0);
    if (rayQueryGetIntersectionTypeEXT(q, true) == gl_RayQueryCommittedIntersectionTriangleEXT) {
        a = vec4(rayQueryGetIntersectionTEXT(q, true), rayQueryGetIntersectionPrimitiveIndexEXT(q, true),
                 rayQueryGetIntersectionInstanceIdEXT(q, true), 0);
        b.xy = rayQueryGetIntersectionBarycentricsEXT(q, true);
    }
    Hits(hits).v[2 * i] = a;
    Hits(hits).v[2 * i + 1] = b;
}
