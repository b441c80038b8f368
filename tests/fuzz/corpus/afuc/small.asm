[016ee001]
[#jumptbl]
a: mov $02, 7
cwrite $02, [$00 + @IB1_BASE+1]
jump #a
nop
.align 32
jumptbl:
.jumptbl
