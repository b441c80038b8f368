; For `lull ir3 run`: ir3, as Mesa's computerator has it. Each invocation halves a number of the second buffer.
@localsize 4, 1, 1
@buf 8
@buf 8
@const(c0.x) 0.5, 0.0, 0.0, 0.0
@invocationid(r0.x)
@wgid(r48.x)
shl.b r0.y, r48.x, 2        ; four invocations in a group
(rpt5)nop
add.u r0.x, r0.x, r0.y
(rpt5)nop
ldib.b.untyped.1d.u32.1.imm r1.x, r0.x, 1
(sy)mul.f r1.x, r1.x, c0.x
(rpt5)nop
stib.b.untyped.1d.u32.1.imm r1.x, r0.x, 0
end
