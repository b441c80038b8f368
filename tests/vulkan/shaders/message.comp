#version 460
// SPDX-License-Identifier: MIT
// Vulkan memory model: even workgroups publish, odd ones wait for their neighbour. Release and acquire
// of a flag at device scope make the data visible; nothing else does.
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer D { uint data[]; };
layout(set = 0, binding = 1) buffer F { uint flag[]; };
layout(set = 0, binding = 2) buffer T { uint ticket; };
layout(set = 0, binding = 3) writeonly buffer O { uint o[]; };
shared uint group;
void main()
{
    uint l = gl_LocalInvocationIndex;
    if (l == 0) group = atomicAdd(ticket, 1, gl_ScopeDevice, 0, 0);
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
    uint pair = group / 2;
    if (group % 2 == 0) {
        data[pair * 64 + l] = pair * 1000 + l * l;
        controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                       gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
        if (l == 0) atomicStore(flag[pair], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable);
    } else {
        if (l == 0)
            while (atomicLoad(flag[pair], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible) == 0) {}
        controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                       gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
        o[pair * 64 + l] = data[pair * 64 + (l + 17) % 64];
    }
}
