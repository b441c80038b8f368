[016ee001]
mov $02, #
.section X
.align 0
[#]
