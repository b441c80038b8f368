mov.u32u32 r1.x, r0.x
ret
end
