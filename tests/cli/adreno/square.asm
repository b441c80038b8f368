mov.u32u32 r41.x, c0.x
mov.u32u32 r41.y, c0.y
mov.u32u32 r3.x, 64
(rpt5)nop
mull.u r2.x, r48.x, r3.x
(rpt5)nop
add.u r2.x, r2.x, r0.x
(rpt5)nop
mul.u24 r1.x, r2.x, r2.x
(rpt5)nop
cov.u32u16 hr12.x, r0.x
cov.u32u16 hr12.y, r2.x
cmps.u.lt p0.x, r0.x, 10
cov.u32s16 hr14.x, r3.x
(rpt5)nop
mova a0.x, hr14.x
(rpt5)nop
stg.a.u32 g[r41.x+(r2.x)<<2], r1.x, 1
end
