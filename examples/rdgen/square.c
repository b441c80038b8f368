// SPDX-License-Identifier: MIT
/* Writes a capture for an a630: a dispatch of 2 groups of 64 invocations, which store the squares
 * of their numbers.
 *
 *   ./square out.rd && lull replay --dump 0x100000000:512=squares out.rd
 */
#include <lull/a6xx.h>
#include <lull/rdgen.h>

enum { LOCAL = 64, GROUPS = 2, SHADER_CONSTANTS = 0x00744000, R48_X = 48 << 2, NONE = 0xfc };

// A buffer that has an address; what has none is given a place.
static const struct lull_rdgen_run zeros[] = {{0}};
static const uint64_t out_address = 0x100000000;

static const struct lull_rdgen_piece code = {
    .name = "code",
    .ir3 = "mov.u32u32 r1.x, c0.x\n" // the address of the squares
           "mov.u32u32 r1.y, c0.y\n"
           "mov.u32u32 r3.x, 64\n"
           "(rpt5)nop\n"
           "mull.u r2.x, r48.x, r3.x\n" // the group's number times 64
           "(rpt5)nop\n"
           "add.u r2.x, r2.x, r0.x\n" // and the number in the group
           "(rpt5)nop\n"
           "mul.u24 r3.x, r2.x, r2.x\n"
           "(rpt5)nop\n"
           "stg.a.u32 g[r1.x+(r2.x)<<2], r3.x, 1\n"
           "end\n",
};

static void put_registers(struct lull_rdgen *g)
{
    pkt4(g, REG_SP_CS_OBJ_START, AT(code));
    pkt4(g, REG_SP_CS_INSTRLEN, (SIZE(code) + 31) / 32);
    pkt4(g, REG_SP_CS_CTRL_REG0,
         SP_CS_CTRL_REG0__MERGEDREGS(1) | SP_CS_CTRL_REG0__FULLREGFOOTPRINT(4));
    pkt4(g, REG_SP_CS_CONFIG, SP_CS_CONFIG__ENABLED(1));
    pkt4(g, REG_HLSQ_CS_CNTL, HLSQ_CS_CNTL__ENABLED(1) | HLSQ_CS_CNTL__CONSTLEN(4));
    pkt4(g, REG_HLSQ_CS_NDRANGE_0,
         HLSQ_CS_NDRANGE_0__KERNELDIM(3) | HLSQ_CS_NDRANGE_0__LOCALSIZEX(LOCAL - 1));
    pkt4(g, REG_HLSQ_CS_CNTL_0,
         HLSQ_CS_CNTL_0__WGIDCONSTID(R48_X) | HLSQ_CS_CNTL_0__WGSIZECONSTID(NONE) |
             HLSQ_CS_CNTL_0__WGOFFSETCONSTID(NONE) | HLSQ_CS_CNTL_0__LOCALIDREGID(0));
    pkt4(g, REG_HLSQ_CS_CNTL_1, HLSQ_CS_CNTL_1__LINEARLOCALIDREGID(NONE));
}

// An indirect buffer: commands that other commands call.
static const struct lull_rdgen_piece registers = {.name = "registers", .commands = put_registers};

static void put_stream(struct lull_rdgen *g)
{
    pkt7(g, CP_INDIRECT_BUFFER, AT(registers), SIZE(registers));
    pkt7(g, CP_LOAD_STATE6_FRAG, SHADER_CONSTANTS, 0, 0, (uint32_t)out_address,
         (uint32_t)(out_address >> 32), 0, 0);
    pkt7(g, CP_EXEC_CS, 0, GROUPS, 1, 1);
    pkt7(g, CP_WAIT_FOR_IDLE);
}

static const struct lull_rdgen_piece stream = {.name = "stream", .commands = put_stream};

static void capture(struct lull_rdgen *g)
{
    lull_rdgen_chip_id(g, 0x06030001);
    lull_rdgen_process(g, "square", 8);
    lull_rdgen_buffer(g, out_address, 4096, zeros, 0);
    lull_rdgen_submit(g, &stream);
}

int main(int argc, char **argv)
{
    return lull_rdgen_main(argc, argv, capture);
}
