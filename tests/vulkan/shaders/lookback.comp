#version 460
// SPDX-License-Identifier: MIT
// Inclusive prefix sums over all workgroups in one dispatch: each workgroup waits for the one before it
// (decoupled look-back). Needs forward progress of workgroups that have started, and the memory model's
// release and acquire at device scope.
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 128) in;
struct State { uint flag, aggregate, prefix, pad; };
layout(set = 0, binding = 0) coherent buffer S { uint ticket, pad[3]; State state[]; };
layout(set = 0, binding = 1) buffer V { uint v[]; };
shared uint s[128], group, before;
void main()
{
    uint l = gl_LocalInvocationID.x;
    if (l == 0) group = atomicAdd(ticket, 1);
    barrier();
    uint at = group * 128 + l, x = v[at];
    s[l] = x;
    barrier();
    for (uint d = 1; d < 128; d *= 2) {
        uint t = l >= d ? s[l - d] : 0;
        barrier();
        s[l] += t;
        barrier();
    }
    if (l == 0) {
        uint sum = 0, all = s[127];
        if (group > 0) {
            state[group].aggregate = all;
            atomicStore(state[group].flag, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
            for (uint p = group - 1;; p--) {
                uint f;
                do {
                    f = atomicLoad(state[p].flag, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
                } while (f == 0);
                if (f == 2) {
                    sum += state[p].prefix;
                    break;
                }
                sum += state[p].aggregate;
            }
        }
        state[group].prefix = sum + all;
        atomicStore(state[group].flag, 2u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
        before = sum;
    }
    barrier();
    v[at] = s[l] + before;
}
