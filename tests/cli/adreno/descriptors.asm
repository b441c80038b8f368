mov.u32u32 r41.x, c0.x
mov.u32u32 r41.y, c0.y
mov.u32u32 r2.x, 0
(rpt5)nop
ldc.offset0.1.imm r3.x, r2.x, 0
ldib.b.untyped.1d.u32.1.imm.base0 r4.x, r0.x, 1
(sy)(rpt5)nop
isam.base0.1d (u32)(x)r5.x, r0.x, s#0, t#1
(sy)(rpt5)nop
stib.b.untyped.1d.u32.1.imm.base0 r0.x, r0.x, 1
(sy)nop
stg.a.u32 g[r41.x+(r0.x)<<2], r3.x, 1
end
