mov.u32u32 r41.x, c0.x
mov.u32u32 r41.y, c0.y
mov.u32u32 r1.x, 0
mov.u32u32 r1.y, 0xffff
mov.u32u32 r1.z, 3
mov.u32u32 r2.x, 0x9c40
(rpt5)nop
again:
(jp)add.u r1.x, r1.x, 1
mull.u r1.w, r1.x, r1.z
(rpt5)nop
shl.b r1.w, r1.w, 2
(rpt5)nop
and.b r1.w, r1.w, r1.y
(rpt5)nop
add.u r41.z, r41.x, r1.w
mov.u32u32 r41.w, r41.y
cmps.u.lt p0.x, r1.x, r2.x
(rpt5)nop
stg.u32 g[r41.z], r1.x, 1
br p0.x, #again
(jp)nop
end
