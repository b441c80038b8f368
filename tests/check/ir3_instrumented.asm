; An instrumented loop as a public log has it (Mesa merge request 8961), in today's text and with its missing label: the
; shader is color = vec4(0); for (i = 0; i < len; i++) color += vec4(arr[i] / 50.f), each instruction's values are stored.
nop
nop
mov.u32u32 r6.y, 0
mov.u32u32 r6.x, 0x6a88004
(rpt3)nop
atomic.g.inc.untyped.1d.u32.1.g r7.x, r6.x, r6.x
(ss)nop
mov.u32u32 r6.x, 0x6a88000
mov.u32u32 r6.w, 0
(ss)nop
mov.u32u32 r6.z, 12
(rpt3)nop
atomic.g.add.untyped.1d.u32.1.g r6.z, r6.x, r6.z
mov.u32u32 r7.y, 0
(rpt3)nop
(sy)stg.u32 g[r6.z], r7.x, 2
mov.u32u32 r1.x, 0
(ss)mov.u32u32 r7.y, 2
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r1.x, 1
(rpt2)nop
(ss)nop
mov.u32u32 r6.z, 16
(rpt3)nop
atomic.g.add.untyped.1d.u32.1.g r6.z, r6.x, r6.z
mov.u32u32 r7.y, 1
(rpt3)nop
(sy)stg.u32 g[r6.z], r7.x, 2
(ss)mov.u32u32 r7.y, 3
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r1.x, 1
mov.u32u32 r0.w, r1.x
(ss)mov.u32u32 r7.y, 2
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r0.w, 1
(rpt2)nop
(ss)nop
mov.u32u32 r6.z, 16
(rpt3)nop
atomic.g.add.untyped.1d.u32.1.g r6.z, r6.x, r6.z
mov.u32u32 r7.y, 2
(rpt3)nop
(sy)stg.u32 g[r6.z], r7.x, 2
(ss)mov.u32u32 r7.y, 3
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r0.w, 1
mov.u32u32 r0.z, r0.w
(ss)mov.u32u32 r7.y, 2
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r0.z, 1
(rpt2)nop
(ss)nop
mov.u32u32 r6.z, 16
(rpt3)nop
atomic.g.add.untyped.1d.u32.1.g r6.z, r6.x, r6.z
mov.u32u32 r7.y, 3
(rpt3)nop
(sy)stg.u32 g[r6.z], r7.x, 2
(ss)mov.u32u32 r7.y, 3
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r0.z, 1
mov.u32u32 r0.y, r0.z
(ss)mov.u32u32 r7.y, 2
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r0.y, 1
(rpt2)nop
(ss)nop
mov.u32u32 r6.z, 16
(rpt3)nop
atomic.g.add.untyped.1d.u32.1.g r6.z, r6.x, r6.z
mov.u32u32 r7.y, 4
(rpt3)nop
(sy)stg.u32 g[r6.z], r7.x, 2
(ss)mov.u32u32 r7.y, 3
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r0.y, 1
mov.u32u32 r0.x, r0.y
l77:
(ss)mov.u32u32 r7.y, 2
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r0.x, 1
(ss)nop
mov.u32u32 r6.z, 12
(rpt3)nop
atomic.g.add.untyped.1d.u32.1.g r6.z, r6.x, r6.z
mov.u32u32 r7.y, 5
(rpt3)nop
(sy)stg.u32 g[r6.z], r7.x, 2
(ss)mov.u32u32 r7.y, 2
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r1.x, 1
(jp)(nop3) cmps.s.ge p0.x, r1.x, c0.x
(rpt2)nop
(ss)nop
mov.u32u32 r6.z, 16
(rpt3)nop
atomic.g.add.untyped.1d.u32.1.g r6.z, r6.x, r6.z
mov.u32u32 r7.y, 6
(rpt3)nop
(sy)stg.u32 g[r6.z], r7.x, 2
(ss)mov.u32u32 r7.y, 2
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r0.x, 1
(ss)mov.u32u32 r7.y, 3
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r0.x, 1
br p0.x, #l242
(ss)nop
mov.u32u32 r6.z, 16
(rpt3)nop
atomic.g.add.untyped.1d.u32.1.g r6.z, r6.x, r6.z
mov.u32u32 r7.y, 7
(rpt3)nop
(sy)stg.u32 g[r6.z], r7.x, 2
(ss)mov.u32u32 r7.y, 3
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r1.x, 1
(jp)(nop3) shl.b r1.y, r1.x, 2
(ss)mov.u32u32 r7.y, 2
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r1.y, 1
(ss)nop
mov.u32u32 r6.z, 16
(rpt3)nop
atomic.g.add.untyped.1d.u32.1.g r6.z, r6.x, r6.z
mov.u32u32 r7.y, 8
(rpt3)nop
(sy)stg.u32 g[r6.z], r7.x, 2
(ss)mov.u32u32 r7.y, 3
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r1.y, 1
cov.u32s16 hr2.w, r1.y
(ss)mov.u32u32 r7.y, 4
(rpt3)nop
(sy)stg.a.u16 g[r6.z+(r7.y)<<2], hr2.w, 1
(rpt2)nop
(ss)nop
mov.u32u32 r6.z, 12
(rpt3)nop
atomic.g.add.untyped.1d.u32.1.g r6.z, r6.x, r6.z
mov.u32u32 r7.y, 9
(rpt3)nop
(sy)stg.u32 g[r6.z], r7.x, 2
(ss)mov.u32u32 r7.y, 4
(rpt3)nop
(sy)stg.a.u16 g[r6.z+(r7.y)<<2], hr2.w, 1
mova a0.x, hr2.w
(rpt5)nop
(ss)nop
mov.u32u32 r6.z, 12
(rpt3)nop
atomic.g.add.untyped.1d.u32.1.g r6.z, r6.x, r6.z
mov.u32u32 r7.y, 10
(rpt3)nop
(sy)stg.u32 g[r6.z], r7.x, 2
(ul)cov.s32f32 r1.y, c<a0.x + 4>
(ss)mov.u32u32 r7.y, 2
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r1.y, 1
(rpt2)nop
(ss)nop
mov.u32u32 r6.z, 20
(rpt3)nop
atomic.g.add.untyped.1d.u32.1.g r6.z, r6.x, r6.z
mov.u32u32 r7.y, 11
(rpt3)nop
(sy)stg.u32 g[r6.z], r7.x, 2
(ss)mov.u32u32 r7.y, 3
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r1.y, 1
(ss)mov.u32u32 r7.y, 4
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r0.w, 1
mad.f32 r0.w, c133.x, r1.y, r0.w
(ss)mov.u32u32 r7.y, 2
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r0.w, 1
(ss)nop
mov.u32u32 r6.z, 20
(rpt3)nop
atomic.g.add.untyped.1d.u32.1.g r6.z, r6.x, r6.z
mov.u32u32 r7.y, 12
(rpt3)nop
(sy)stg.u32 g[r6.z], r7.x, 2
(ss)mov.u32u32 r7.y, 3
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r1.y, 1
(ss)mov.u32u32 r7.y, 4
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r0.z, 1
mad.f32 r0.z, c133.x, r1.y, r0.z
(ss)mov.u32u32 r7.y, 2
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r0.z, 1
(ss)nop
mov.u32u32 r6.z, 20
(rpt3)nop
atomic.g.add.untyped.1d.u32.1.g r6.z, r6.x, r6.z
mov.u32u32 r7.y, 13
(rpt3)nop
(sy)stg.u32 g[r6.z], r7.x, 2
(ss)mov.u32u32 r7.y, 3
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r1.y, 1
(ss)mov.u32u32 r7.y, 4
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r0.y, 1
mad.f32 r0.y, c133.x, r1.y, r0.y
(ss)mov.u32u32 r7.y, 2
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r0.y, 1
(ss)nop
mov.u32u32 r6.z, 20
(rpt3)nop
atomic.g.add.untyped.1d.u32.1.g r6.z, r6.x, r6.z
mov.u32u32 r7.y, 14
(rpt3)nop
(sy)stg.u32 g[r6.z], r7.x, 2
(ss)mov.u32u32 r7.y, 3
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r1.y, 1
(ss)mov.u32u32 r7.y, 4
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r0.x, 1
mad.f32 r0.x, c133.x, r1.y, r0.x
(ss)mov.u32u32 r7.y, 2
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r0.x, 1
(ss)nop
mov.u32u32 r6.z, 16
(rpt3)nop
atomic.g.add.untyped.1d.u32.1.g r6.z, r6.x, r6.z
mov.u32u32 r7.y, 15
(rpt3)nop
(sy)stg.u32 g[r6.z], r7.x, 2
(ss)mov.u32u32 r7.y, 3
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r1.x, 1
add.u r1.x, r1.x, 1
(ss)mov.u32u32 r7.y, 2
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r1.x, 1
jump #l77
l242:
(ss)nop
mov.u32u32 r6.z, 16
(rpt3)nop
atomic.g.add.untyped.1d.u32.1.g r6.z, r6.x, r6.z
mov.u32u32 r7.y, 16
(rpt3)nop
(sy)stg.u32 g[r6.z], r7.x, 2
(ss)mov.u32u32 r7.y, 3
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r0.z, 1
(jp)mov.u32u32 r1.x, r0.z
(ss)mov.u32u32 r7.y, 2
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r1.x, 1
(ss)nop
mov.u32u32 r6.z, 16
(rpt3)nop
atomic.g.add.untyped.1d.u32.1.g r6.z, r6.x, r6.z
mov.u32u32 r7.y, 17
(rpt3)nop
(sy)stg.u32 g[r6.z], r7.x, 2
(ss)mov.u32u32 r7.y, 3
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r0.y, 1
mov.u32u32 r1.y, r0.y
(ss)mov.u32u32 r7.y, 2
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r1.y, 1
(ss)nop
mov.u32u32 r6.z, 16
(rpt3)nop
atomic.g.add.untyped.1d.u32.1.g r6.z, r6.x, r6.z
mov.u32u32 r7.y, 18
(rpt3)nop
(sy)stg.u32 g[r6.z], r7.x, 2
(ss)mov.u32u32 r7.y, 3
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r0.x, 1
mov.u32u32 r1.z, r0.x
(ss)mov.u32u32 r7.y, 2
(rpt3)nop
(sy)stg.a.u32 g[r6.z+(r7.y)<<2], r1.z, 1
end
nop
nop
nop
nop
