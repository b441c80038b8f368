mov.u32u32 r41.x, c0.x
mov.u32u32 r41.y, c0.y
shl.b r2.x, r48.x, 8
mov.u32u32 r0.y, 255
mov.u32u32 r1.x, 0
mov.u32u32 r1.z, 1
mov.u32u32 r1.w, 0x2000
(rpt5)nop
add.u r2.x, r2.x, r0.x
shl.b r2.y, r0.x, 2
add.u r2.z, r0.x, 64
(rpt5)nop
and.b r2.z, r2.z, r0.y
add.u r0.z, r2.x, 3
(rpt5)nop
shl.b r2.z, r2.z, 2
(rpt5)nop
again:
(jp)stl.u32 l[r2.y], r0.z, 1
(ss)(sy)bar.g
ldl.u32 r0.w, l[r2.z], 1
(ss)(sy)bar.g
shl.b r1.y, r0.z, 1
(rpt5)nop
add.u r0.z, r0.z, r1.y
(rpt5)nop
add.u r0.z, r0.z, r0.w
add.u r1.x, r1.x, 1
(rpt5)nop
cmps.s.lt p0.x, r1.x, 6
(rpt5)nop
br p0.x, #again
(jp)stg.a.u32 g[r41.x+(r2.x)<<2], r0.z, 1
add.u r41.x, r41.x, r1.w
(rpt5)nop
atomic.g.add.untyped.1d.u32.1.g r3.x, r41.x, r1.z
add.u r41.x, r41.x, 16
(sy)(rpt5)nop
stg.a.u32 g[r41.x+(r2.x)<<2], r3.x, 1
end
