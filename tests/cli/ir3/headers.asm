; A file as Mesa's computerator takes it: all headers, values of every kind, comments.
@localsize 32, 1, 1
@buf 32  ; g[0]
@buf 8 (c2.x) 1, 2.5, -3,
         0x4
@const(c0.x)  0.0, 1.5, 7, 0xffffffff
@invocationid(r0.x) ; r0.xyz
@wgid(r48.x)        ; r48.xyz
@numwg(c3.x)
@branchstack 4
@pvtmem 16
@localmem 1024
@earlypreamble
mov.u32u32 r0.y, r0.x
(rpt5)nop
stib.b.untyped.1d.u32.1.imm r0.x, r0.y + 2, 0
end
nop
