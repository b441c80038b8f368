// SPDX-License-Identifier: MIT
// The packet table against Linux 6.12 nvd.h, and the printing of packets.
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "cmd/pm4_amd_pkts.h"
#include "hw/gc11_regs.h"
#include "hw/two_gens_pkts.h"

/** nvd.h: PACKET3_NAME. */
static const struct {
    const char *name;
    uint32_t opcode, define;
} opcodes[] = {
    {"NOP", 0x10, LULL_PM4_NOP},
    {"SET_BASE", 0x11, LULL_PM4_SET_BASE},
    {"DISPATCH_DIRECT", 0x15, LULL_PM4_DISPATCH_DIRECT},
    {"DISPATCH_INDIRECT", 0x16, LULL_PM4_DISPATCH_INDIRECT},
    {"ATOMIC_MEM", 0x1e, LULL_PM4_ATOMIC_MEM},
    {"COND_EXEC", 0x22, LULL_PM4_COND_EXEC},
    {"WRITE_DATA", 0x37, LULL_PM4_WRITE_DATA},
    {"WAIT_REG_MEM", 0x3c, LULL_PM4_WAIT_REG_MEM},
    {"INDIRECT_BUFFER", 0x3f, LULL_PM4_INDIRECT_BUFFER},
    {"COPY_DATA", 0x40, LULL_PM4_COPY_DATA},
    {"EVENT_WRITE", 0x46, LULL_PM4_EVENT_WRITE},
    {"RELEASE_MEM", 0x49, LULL_PM4_RELEASE_MEM},
    {"DMA_DATA", 0x50, LULL_PM4_DMA_DATA},
    {"ACQUIRE_MEM", 0x58, LULL_PM4_ACQUIRE_MEM},
    {"LOAD_SH_REG_INDEX", 0x63, LULL_PM4_LOAD_SH_REG_INDEX},
    {"SET_CONTEXT_REG", 0x69, LULL_PM4_SET_CONTEXT_REG},
    {"SET_SH_REG", 0x76, LULL_PM4_SET_SH_REG},
    {"SET_UCONFIG_REG", 0x79, LULL_PM4_SET_UCONFIG_REG},
    {"WAIT_REG_MEM64", 0x93, LULL_PM4_WAIT_REG_MEM64},
    {"SET_SH_REG_INDEX", 0x9b, LULL_PM4_SET_SH_REG_INDEX},
};

/** nvd.h: the macro on the right gives the number on the left. Start registers there are in dwords.
 */
static const struct {
    uint32_t want, got;
    const char *what;
} numbers[] = {
    {0xc0000000u, LULL_PM4_HEADER__TYPE__TYPE3 << LULL_PM4_HEADER__TYPE_SHIFT,
     "PACKET_TYPE3 << 30"},
    {0x3fff0000u, LULL_PM4_HEADER__COUNT_MASK, "CP_PACKET_GET_COUNT"},
    {0x00000002u, LULL_PM4_HEADER__SHADER_TYPE_MASK, "PACKET3_COMPUTE"},
    {0x00000500u,
     LULL_PM4_WRITE_DATA_CONTROL__DST_SEL__MEM << LULL_PM4_WRITE_DATA_CONTROL__DST_SEL_SHIFT,
     "WRITE_DATA_DST_SEL(5)"},
    {1u << 20, LULL_PM4_WRITE_DATA_CONTROL__WR_CONFIRM_MASK, "WR_CONFIRM"},
    {1u << 30,
     LULL_PM4_WRITE_DATA_CONTROL__ENGINE__PFP << LULL_PM4_WRITE_DATA_CONTROL__ENGINE_SHIFT,
     "WRITE_DATA_ENGINE_SEL(1)"},
    {5, LULL_PM4_WAIT_REG_MEM_CONTROL__FUNCTION__GREATER_EQUAL, "WAIT_REG_MEM_FUNCTION(5): >="},
    {1u << 23, LULL_PM4_INDIRECT_BUFFER_CONTROL__VALID_MASK, "INDIRECT_BUFFER_VALID"},
    {1u << 21, LULL_PM4_INDIRECT_BUFFER_CONTROL__PRE_ENA_MASK, "INDIRECT_BUFFER_PRE_ENB(1)"},
    {1u << 21, LULL_PM4_RELEASE_MEM_EVENT__GL2_WB_MASK, "PACKET3_RELEASE_MEM_GCR_GL2_WB"},
    {3u << 29,
     LULL_PM4_RELEASE_MEM_CONTROL__DATA_SEL__TIMESTAMP
         << LULL_PM4_RELEASE_MEM_CONTROL__DATA_SEL_SHIFT,
     "PACKET3_RELEASE_MEM_DATA_SEL(3)"},
    {3u << 20, LULL_PM4_DMA_DATA_CONTROL__DST_SEL_MASK, "PACKET3_DMA_DATA_DST_SEL(3)"},
    {1u << 31, LULL_PM4_DMA_DATA_CONTROL__CP_SYNC_MASK, "PACKET3_DMA_DATA_CP_SYNC"},
    {1u << 30, LULL_PM4_DMA_DATA_COMMAND__RAW_WAIT_MASK, "PACKET3_DMA_DATA_CMD_RAW_WAIT"},
    {1u << 14, LULL_PM4_ACQUIRE_MEM_GCR_CNTL__GL2_INV_MASK,
     "PACKET3_ACQUIRE_MEM_GCR_CNTL_GL2_INV(1)"},
    {0x2c00 * 4, LULL_PM4_SET_SH_REG_START__REG__BASE, "PACKET3_SET_SH_REG_START"},
    {0xc000 * 4, LULL_PM4_SET_UCONFIG_REG_START__REG__BASE, "PACKET3_SET_UCONFIG_REG_START"},
    {0xa000 * 4, LULL_PM4_SET_CONTEXT_REG_START__REG__BASE, "PACKET3_SET_CONTEXT_REG_START"},
    {0x2000 * 4, LULL_PM4_SET_CONFIG_REG_START__REG__BASE, "PACKET3_SET_CONFIG_REG_START"},
    {7, LULL_PM4_EVENT_WRITE_CONTROL__EVENT_TYPE__CS_PARTIAL_FLUSH,
     "soc21_enum.h CS_PARTIAL_FLUSH"},
    {0x14, LULL_PM4_RELEASE_MEM_EVENT__EVENT_TYPE__CACHE_FLUSH_AND_INV_TS_EVENT,
     "soc21_enum.h CACHE_FLUSH_AND_INV_TS_EVENT"},
    {0x0f, LULL_PM4_ATOMIC_MEM_CONTROL__ATOMIC__ADD_RTN_32, "soc21_enum.h TC_OP_ATOMIC_ADD_RTN_32"},
};

/** Dword @p index of a packet and its line. */
static const struct {
    const char *packet;
    uint32_t body[8];
    size_t nbody, index;
    const char *want;
} shows[] = {
    {"WRITE_DATA",
     {0x00100500, 0x1000, 0xffff8001, 42},
     4,
     0,
     "CONTROL 0x00100500 DST_SEL=MEM WR_CONFIRM CACHE_POLICY=LRU ENGINE=ME"},
    {"WRITE_DATA", {0x00100500, 0x1000, 0xffff8001, 42}, 4, 1, "DST_LO 0x00001000 ADDR=0x1000"},
    {"WRITE_DATA", {0, 0xa9e6, 0, 42}, 4, 1, "DST_REG 0x0000a9e6 SQ_SHADER_TBA_LO REG=reg 0x2a798"},
    {"WRITE_DATA", {0x500, 0x1000, 0, 1, 2, 3}, 6, 5, "DATA 0x00000003"},
    {"SET_SH_REG", {0x20c, 0x1234, 0x80}, 3, 1, "COMPUTE_PGM_LO 0x00001234 DATA=0x123400"},
    {"SET_SH_REG", {0x20c, 0x1234, 0x80}, 3, 2, "COMPUTE_PGM_HI 0x00000080 DATA=0x80"},
    {"SET_SH_REG", {0x2ff, 5}, 2, 1, "reg 0xbbfc 0x00000005"},
    {"DISPATCH_INDIRECT", {0x10, 0x8001}, 2, 0, "OFFSET 0x00000010"},
    {"DISPATCH_INDIRECT", {0x10, 0, 0x8001}, 3, 0, "ADDR_LO 0x00000010 ADDR=0x10"},
    {"COPY_DATA",
     {0x00110509, 0, 0, 0x2000, 0},
     5,
     0,
     "CONTROL 0x00110509 SRC_SEL=TIMESTAMP DST_SEL=MEM SRC_CACHE_POLICY=LRU COUNT_SEL=QWORD "
     "WR_CONFIRM "
     "DST_CACHE_POLICY=LRU ENGINE=ME"},
    {"EVENT_WRITE",
     {0x407},
     1,
     0,
     "CONTROL 0x00000407 EVENT_TYPE=CS_PARTIAL_FLUSH EVENT_INDEX=PARTIAL_FLUSH"},
    {"ATOMIC_GDS", {1, 2}, 2, 1, "? 0x00000002"},
    {"PFP_SYNC_ME", {0}, 1, 5, ""},
};

static void check_show(size_t i)
{
    lull_cleanup(lull_str_free) struct lull_str s = {0};
    const struct lull_pkt *p = lull_pkt_named(&lull_pkts_pm4_amd, 0, shows[i].packet);
    if (p != NULL) {
        lull_pkt_show_word(p, shows[i].body, shows[i].nbody, shows[i].index, &lull_regs_gc11, 0,
                           &s);
    }
    test_case(p != NULL && strcmp(lull_str_text(&s), shows[i].want) == 0, shows[i].packet,
              "want \"%s\", got \"%s\"", shows[i].want, lull_str_text(&s));
}

static void check_two_gens(void)
{
    const struct lull_pkt_db *db = &lull_pkts_two_gens;
    const struct lull_pkt *p = lull_pkt_by_opcode(db, 0, 0x21);
    test_case(p != NULL && strcmp(p->name, "GONE") == 0, "opcode in the first generation",
              "other packet");
    p = lull_pkt_by_opcode(db, 1, 0x21);
    test_case(p != NULL && strcmp(p->name, "MOVED") == 0, "opcode in the second generation",
              "other packet");
    test_case(lull_pkt_by_opcode(db, 1, 0x20) == NULL, "opcode that moved away", "found");
    test_case(LULL_TWOP_MOVED == 0x20 && LULL_TWOP_MOVED_NEW == 0x21, "defines of a moved packet",
              "other numbers");
    test_case(p != NULL && !lull_pkt_size_ok(p, 1) && lull_pkt_size_ok(p, 3) &&
                  !lull_pkt_size_ok(p, 4),
              "size of a packet", "wrong limits");
    const uint32_t body[3] = {1, 2, 3};
    const struct lull_pkt_word *a = p != NULL ? lull_pkt_word_at(p, body, 2, 0) : NULL;
    const struct lull_pkt_word *b = p != NULL ? lull_pkt_word_at(p, body, 3, 0) : NULL;
    test_case(a != NULL && b != NULL && strcmp(a->name, "A") == 0 && strcmp(b->name, "B") == 0,
              "meaning by size", "other words");
}

/** Any dwords under any header print: no crash, and a line for each dword. */
static void check_random(uint32_t seed)
{
    const struct lull_pkt_db *db = &lull_pkts_pm4_amd;
    uint32_t x = seed;
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t body[12];
        for (size_t k = 0; k < TEST_ROWS(body); k++) {
            x = x * 1664525 + 1013904223;
            body[k] = x >> 16 | x << 16;
        }
        const struct lull_pkt *p = &db->packets[i % db->npackets];
        const size_t nbody = body[11] % 12;
        for (size_t k = 0; k < nbody; k++) {
            lull_cleanup(lull_str_free) struct lull_str s = {0};
            lull_pkt_show_word(p, body, nbody, k, &lull_regs_gc11, 0, &s);
            if (s.size == 0) {
                test_case(false, p->name, "seed %u: dword %zu of %zu prints nothing", seed, k,
                          nbody);
                return;
            }
        }
    }
    test_case(true, "random packets", "seed %u", seed);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < TEST_ROWS(opcodes); i++) {
        const struct lull_pkt *p = lull_pkt_by_opcode(&lull_pkts_pm4_amd, 0, opcodes[i].opcode);
        test_case(p != NULL && strcmp(p->name, opcodes[i].name) == 0 &&
                      opcodes[i].define == opcodes[i].opcode,
                  opcodes[i].name, "opcode 0x%x is %s", opcodes[i].opcode,
                  p != NULL ? p->name : "nothing");
    }
    for (size_t i = 0; i < TEST_ROWS(numbers); i++) {
        test_case(numbers[i].want == numbers[i].got, numbers[i].what, "want 0x%x, got 0x%x",
                  numbers[i].want, numbers[i].got);
    }
    for (size_t i = 0; i < TEST_ROWS(shows); i++) {
        check_show(i);
    }
    check_two_gens();
    check_random(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1);
    return test_end();
}
