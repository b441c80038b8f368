// SPDX-License-Identifier: MIT
// HLSL: structured and raw buffers, a constant buffer with a matrix, shared memory.
struct Item { float3 p; uint k; };
[[vk::binding(0, 0)]] RWStructuredBuffer<Item> items;
[[vk::binding(1, 0)]] StructuredBuffer<Item> from;
[[vk::binding(2, 0)]] RWByteAddressBuffer raw;
[[vk::binding(3, 0)]] cbuffer Constants { float3x4 m; float s[2]; uint2 n; };
groupshared uint total;
groupshared Item kept[8];

[numthreads(8, 1, 1)]
void main(uint3 at : SV_DispatchThreadID, uint i : SV_GroupIndex, uint3 group : SV_GroupID)
{
    if (i == 0) {
        total = n.x;
    }
    Item one = from[at.x];
    one.p = mul(m, float4(one.p, 1)) * s[group.x & 1];
    kept[7 - i] = one;
    GroupMemoryBarrierWithGroupSync();
    uint before;
    InterlockedAdd(total, one.k);
    InterlockedMax(kept[i].k, n.y, before);
    GroupMemoryBarrierWithGroupSync();
    items[at.x] = kept[i];
    raw.Store2(at.x * 8, uint2(total, before));
    raw.InterlockedOr(256, 1u << (at.x & 31));
    if (i == 3) {
        raw.Store(260 + group.x * 4, raw.Load(272 + group.x * 4) + 5);
    }
}
