mov.u32u32 r1.x, r0.x
l1:
(jp)add.u r1.x, r1.x, 1
jump #l1
end
