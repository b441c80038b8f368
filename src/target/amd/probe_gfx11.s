// SPDX-License-Identifier: MIT
// Writes HW_ID2 to the address in s[0:1]. One lane is enough.
.text
    s_getreg_b32 s2, hwreg(HW_REG_HW_ID2)
    v_mov_b32 v0, 0
    v_mov_b32 v1, s2
    global_store_b32 v0, v1, s[0:1] glc slc dlc
    s_waitcnt_vscnt null, 0
    s_endpgm
.rept 16
    s_code_end
.endr
