@localsize 16, 1, 1 @buf 128 (c2.x)
@in(r0.x)	in0
@in(hr1.x)	in1 (wrmask=0x3)
@tex(r2.x)	src=0, bindless=0, samp=0, tex=1, wrmask=0xf, opc=sam
(sy)(ss)nop nop(sy)
ldg.a.u32 r4.x, g[r1.x+r0.y<<4+2<<2], 1
nop(ss)(sy)add.u r4.x,
    r4.x, 1 (rpt3)nop stg.a.u32 g[r1.x+r0.y<<4+1<<2],
    r4.x, 1 br !p0.x, #out
again: sin r0.x, (log2(10)) mad.f32 r0.x, (neg)r0.y, r0.z, r0.w jump #again
out: end nop
