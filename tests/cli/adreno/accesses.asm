mov.u32u32 r41.x, c0.x
mov.u32u32 r41.y, c0.y
mov.u32u32 r4.x, 3
mov.u32u32 r5.y, 9
mov.u32u32 r2.x, 0
(rpt5)nop
ldg.u16 hr12.x, g[r41.x+6], 2
atomic.g.add.untyped.1d.u32.1.g r1.x, r41.x, r4.x
atomic.b.add.untyped.1d.u32.1.imm.base0 r5.x, r0.x, 1
(sy)nop
ldc.offset2.1.imm r3.x, r2.x, 0
ldib.b.untyped.1d.u32.2.imm.base0 r6.x, r0.x, 1
(sy)(rpt5)nop
stib.b.untyped.1d.u32.2.imm.base0 r6.x, r0.x, 1
cmps.u.lt p0.x, r0.x, 10
(rpt5)nop
br !p0.x, #l1
stg.a.u32 g[r41.x+(r0.x)<<2], r0.x, 1
l1:
(jp)nop
stl.u32 l[r2.x], r4.x, 1
end
