mov.u32u32 r41.x, c0.x
mov.u32u32 r41.y, 0x20
mov.u32u32 r1.x, 7
cmps.u.eq p0.x, r0.x, 5
(rpt5)nop
br !p0.x, #l1
stg.u32 g[r41.x], r1.x, 1
(sy)nop
l1:
(jp)nop
end
