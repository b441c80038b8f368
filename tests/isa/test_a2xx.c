// SPDX-License-Identifier: MIT
// A shader of a2xx to text: words at random, and what Mesa 25.0.7's cffdump prints for them as a
// vertex shader in a CP_IM_LOAD_IMMEDIATE (without its indentation).
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "isa/a2xx/a2xx.h"
#include "test.h"

static const uint32_t words[] = {
    0x245ed004, 0x34a52faa, 0x906b5e8c, 0x738a4028, 0x3ad9c4f1, 0x8dcb8910, 0x40c62c6e, 0x1c4b84a3,
    0x99bc6e42, 0x03be0007, 0xc00666ba, 0x2b6c7316, 0x3e0b8e18, 0x05e63d42, 0xc36b7f7b, 0xa6c96f30,
    0xc59e76c1, 0xb6c152db, 0xfd3d0191, 0xb9557414, 0x0efe3050, 0x2b3c7d21, 0x4ee6653a, 0x09378dcd,
    0xfaa3fe00, 0x3bfe6c24, 0x21c2ca69, 0x068fee92, 0x9fe4f912, 0x235721ef, 0x9b90f7e1, 0xacfe8ce4,
    0xf336f61d, 0xfb1462d0, 0x50fd052e, 0xb6aa2194, 0x74a7a3c1, 0x729e8c3f, 0xbc25ae17, 0xe645fec0,
    0x95b08472, 0xc1d30aa3, 0x07a79a3a, 0x425d70a8, 0x79c838a7, 0xca6fff30, 0x859e569a, 0x7f356146,
    0x62326290, 0x312e96c7, 0x69e1c261, 0xb3f29873, 0xf50fe15c, 0x6b6f12c3, 0xf9f47958, 0xb52b32eb,
    0x761eb060, 0x33f57881, 0xe051aaf9, 0x3f5bc829,
};
static const char want[] =
    "    d004 245e 2faa            \tEXEC_END ADDR(0x4) CNT(0x5) YIELD VC(0x22) BOOL_ADDR(0xea) "
    "ABSOLUTE_ADDR\n"
    "04: 3e0b8e18 05e63d42 c36b7f7b\t   (S)ALU:\tMINv\texport24.xy_w = -R43.zzxz, R63.yxyw\n"
    "05: a6c96f30 c59e76c1 b6c152db\t   (S)FETCH:\t?EQ\tR22.yxww = R57.yzz CONST(12) VALID_ONLY "
    "DENORM MIN(LINEAR) MIP(BASEMAP) ARBITRARY(4x4_SYM) VOL_MAG(LINEAR) VOL_MIN(LINEAR) LOD(0) "
    "LOD_BIAS(54) REG_LOD(2) USE_REG_GRADIENTS LOCATION(CENTER) OFFSET(1,22,13)\n"
    "06: fd3d0191 b9557414 0efe3050\t      FETCH:\t?NE\tR16.0zxz = R12.www CONST(19) VALID_ONLY "
    "MIN(LINEAR) MIP(LINEAR) ANISO(MAX_16_1) ARBITRARY(4x2_SYM) VOL_MAG(LINEAR) VOL_MIN(BASEMAP) "
    "REG_LOD(1) LOCATION(CENTROID) OFFSET(30,23,3)\n"
    "07: 2b3c7d21 4ee6653a 09378dcd\t      FETCH:\tSAMPLE\tR7.z_0z = R41.zzx CONST(19) VALID_ONLY "
    "DENORM MAG(BASEMAP) MIN(LINEAR) MIP(BASEMAP) ANISO(MAX_1_1) VOL_MAG(BASEMAP) LOD(0) "
    "LOD_BIAS(115) REG_LOD(2) USE_REG_GRADIENTS LOCATION(CENTROID) OFFSET(23,9,2)\n"
    "08: faa3fe00 3bfe6c24 21c2ca69\t      ALU:\tMULvEQ\texport0.xy__ = |C2.zxyz|, -|C10.xxxx|\n"
    "                          \t\t    \tOP(62)\texport62._y_w = -R41.xzxw CLAMP\t; gl_Position\n"
    "    34a5 5e8c 906b            \tCOND_CALL ADDR(0xa5) DIR(1) FORCE_CALL BOOL_ADDR(0x1a)\n"
    "    4028 738a c4f1            \tALLOC PARAM/PIXEL SIZE(0x8)\n"
    "    3ad9 8910 8dcb            \tLOOP_END ADDR(0x2d9) LOOP_ID(16) ABSOLUTE_ADDR\n"
    "    2c6e 40c6 84a3            \tLOOP_END ADDR(0x6e) LOOP_ID(6)\n"
    "    1c4b 6e42 99bc            \tCOND_CALL ADDR(0x4b) DIR(0) BOOL_ADDR(0x6f) ABSOLUTE_ADDR\n"
    "    0007 03be 66ba            \tCOND_PRED_EXEC_END ADDR(0x7) CNT(0x0) VC(0x20) "
    "BOOL_ADDR(0xae) COND(1)\n"
    "    c006 7316 2b6c            \tEXEC_END ADDR(0x6) CNT(0x4) YIELD VC(0x7) BOOL_ADDR(0xdb) "
    "ABSOLUTE_ADDR\n"
    "06: fd3d0191 b9557414 0efe3050\t   (S)ALU:\tCNDGTvEQ\tR17.x_zw = -C16.xzww, |C62.yzwx|, "
    "C48.xzyx CLAMP\n"
    "                          \t\t    \tOP(63)\tR1.xy__ = -C16.xzww\n"
    "07: 2b3c7d21 4ee6653a 09378dcd\t      FETCH:\tSAMPLE\tR7.z_0z = R41.zzx CONST(19) VALID_ONLY "
    "DENORM MAG(BASEMAP) MIN(LINEAR) MIP(BASEMAP) ANISO(MAX_1_1) VOL_MAG(BASEMAP) LOD(0) "
    "LOD_BIAS(115) REG_LOD(2) USE_REG_GRADIENTS LOCATION(CENTROID) OFFSET(23,9,2)\n"
    "08: faa3fe00 3bfe6c24 21c2ca69\t      FETCH:\tVERTEX\tR63.00x? = R48.w TYPE(0x3e) UNSIGNED "
    "STRIDE(105) OFFSET(2212554) CONST(10, 1)\n"
    "09: 068fee92 9fe4f912 235721ef\t      ALU:\tMINvEQ\texport18 = -C23.xzxz, -C33.ywyz\n"
    "                          \t\t    \tADD_PREVs\texport46.___w = -|R47.zyww| CLAMP\n";

static void whole(void)
{
    struct lull_str out = {0};
    lull_a2xx_disasm(words, TEST_ROWS(words), LULL_A2XX_VERTEX, "", &out);
    const char *got = lull_str_text(&out);
    size_t at = 0;
    while (got[at] != '\0' && got[at] == want[at]) {
        at++;
    }
    test_case(strcmp(got, want) == 0, "words as Mesa prints them", "at %zu: '%.80s', want '%.80s'",
              at, got + at, want + at);
    lull_str_free(&out);
}

static void stages(void)
{
    struct lull_str out = {0};
    lull_a2xx_disasm(words, TEST_ROWS(words), LULL_A2XX_FRAGMENT, ">", &out);
    const char *got = lull_str_text(&out);
    test_case(strstr(got, "gl_Position") == NULL && strstr(got, "; gl_FragColor") != NULL &&
                  strncmp(got, ">    d004", 9) == 0,
              "exports of a fragment shader", "%s", got);
    lull_str_free(&out);
}

/** Of any length no byte behind the end is read (sanitizers see it), and nothing is run twice. */
static void cut(void)
{
    size_t last = 0;
    bool grows = true;
    for (size_t n = 0; n <= TEST_ROWS(words); n++) {
        uint32_t *copy = malloc(n * 4 + 1);
        struct lull_str out = {0};
        memcpy(copy, words, n * 4);
        lull_a2xx_disasm(copy, n, LULL_A2XX_VERTEX, "", &out);
        grows &= out.size >= last;
        last = out.size;
        lull_str_free(&out);
        free(copy);
    }
    test_case(grows && last == sizeof want - 1, "cut at each dword", "%zu bytes at last", last);
}

static void nothing(void)
{
    static const uint32_t alloc[] = {0, 0xc0000000, 0xc000c000}; // NOP, then ALLOC: nothing is run
    struct lull_str out = {0};
    lull_a2xx_disasm(alloc, TEST_ROWS(alloc), LULL_A2XX_VERTEX, "", &out);
    test_case(out.size == 0, "a shader that runs nothing", "%s", lull_str_text(&out));
    lull_str_free(&out);
}

int main(void)
{
    whole();
    stages();
    cut();
    nothing();
    return test_end();
}
