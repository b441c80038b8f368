// SPDX-License-Identifier: MIT
// Both instruction sets through struct lull_arch: flow against LLVM's listing, text, operands and
// branches against LLVM's and Mesa's text for the words of tests/isa/*.vec, names there and back.
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "test.h"

enum { MAX_TEXT = 1024, MAX_WORDS = 5 };

/** A line of the listing that llvm-objdump-19 makes of what clang-19 assembles for gfx1100. */
struct line {
    uint32_t at, words[2];
    const char *text;
    enum lull_flow_kind kind; ///< Source: RDNA3 ISA guide, 16.3 to 16.5.
    uint32_t target;          ///< Where the label in the text stands; 0: there is none.
    bool barrier;
};

static const struct line lines[] = {
    {0x00, {0xbe800083}, "s_mov_b32 s0, 3", LULL_FLOW_NEXT, 0, false},
    {0x04, {0x060a0501}, "v_add_f32_e32 v5, v1, v2", LULL_FLOW_NEXT, 0, false},
    {0x0c, {0xbfa1000b}, "s_cbranch_scc0 out", LULL_FLOW_BRANCH, 0x3c, false},
    {0x10, {0xbfa3fffc}, "s_cbranch_vccz loop", LULL_FLOW_BRANCH, 0x04, false},
    {0x14, {0xbfa60009}, "s_cbranch_execnz out", LULL_FLOW_BRANCH, 0x3c, false},
    {0x18, {0xbe8400ff, 0x12345678}, "s_mov_b32 s4, 0x12345678", LULL_FLOW_NEXT, 0, false},
    {0x20, {0xba1e0007}, "s_call_b64 s[30:31], g", LULL_FLOW_CALL, 0x40, false},
    {0x24, {0xbe9e4904}, "s_swappc_b64 s[30:31], s[4:5]", LULL_FLOW_CALL, 0, false},
    {0x28, {0xbb020004}, "s_subvector_loop_begin s2, out", LULL_FLOW_BRANCH, 0x3c, false},
    {0x2c, {0xbb82fff5}, "s_subvector_loop_end s2, loop", LULL_FLOW_BRANCH, 0x04, false},
    {0x30, {0xbfbd0000}, "s_barrier", LULL_FLOW_NEXT, 0, true},
    {0x34, {0xbf900002}, "s_trap 2", LULL_FLOW_TRAP, 0, false},
    {0x38, {0xbfa0fff2}, "s_branch loop", LULL_FLOW_JUMP, 0x04, false},
    {0x3c, {0xbfb00000}, "s_endpgm", LULL_FLOW_END, 0, false},
    {0x40, {0xbe80481e}, "s_setpc_b64 s[30:31]", LULL_FLOW_RETURN, 0, false},
    {0x44, {0xbf9f0000}, "s_code_end", LULL_FLOW_PAD, 0, false},
};

static const char *label(void *ctx, uint64_t address)
{
    (void)ctx;
    return address == 0x04 ? "loop" : address == 0x3c ? "out" : address == 0x40 ? "g" : NULL;
}

static unsigned wanted_next(const struct line *l, uint64_t ret[2])
{
    const unsigned size = l->words[1] != 0 ? 8 : 4;
    unsigned n = 0;
    if (l->kind == LULL_FLOW_NEXT || l->kind == LULL_FLOW_BRANCH) {
        ret[n++] = l->at + size;
    }
    if (l->target != 0) {
        ret[n++] = l->target;
    }
    return n;
}

static void check_line(const struct line *l)
{
    const struct lull_arch *a = &lull_arch_rdna3;
    const struct lull_arch_mode mode = {0};
    struct lull_insn_room room;
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    const int size = a->decode(&mode, l->words, sizeof l->words, &room);
    if (!test_case(size > 0, l->text, "not decoded")) {
        return;
    }
    const struct lull_insn *in = lull_insn_in(&room);
    const struct lull_insn_print how = {.pc = l->at, .symbol = label};
    a->print(in, &how, &text);
    const struct lull_flow f = a->flow(in, l->at);
    test_case(strcmp(lull_str_text(&text), l->text) == 0, l->text, "printed as '%s'",
              lull_str_text(&text));
    test_case(f.kind == l->kind && f.barrier == l->barrier && f.known == (l->target != 0) &&
                  f.target == l->target,
              l->text, "kind %d (want %d), target 0x%" PRIx64 " (want 0x%" PRIx32 "), barrier %d",
              f.kind, l->kind, f.target, l->target, f.barrier);
    uint64_t next[2] = {0}, want[2] = {0};
    const unsigned n = lull_arch_next(a, in, l->at, next), nwant = wanted_next(l, want);
    test_case(n == nwant && next[0] == want[0] && next[1] == want[1], l->text,
              "next: %u of 0x%" PRIx64 " 0x%" PRIx64, n, next[0], next[1]);
}

/** A register or several, as they stand in a text. */
struct named {
    struct lull_arch_reg reg;
    char text[32];
};

/**
 * The next register in @p *at: "s[4:5]", "v7", "hr1.x", "vcc". False: there is none.
 *
 * Only "hr1.x" is a register of its own: constants of 16 bits ("hc1.x") are those of 32.
 */
static bool next_register(const struct lull_arch *a, const char **at, struct named *ret)
{
    for (const char *p = *at; *p != '\0';) {
        size_t n = 0;
        while (isalnum((unsigned char)p[n]) || p[n] == '_' || p[n] == '.') {
            n++;
        }
        unsigned first = 0, last = 0;
        char name[32] = "";
        const bool range = p[n] == '[' && sscanf(p + n, "[%u:%u]", &first, &last) == 2;
        const size_t half = n > 2 && p[0] == 'h' && strchr("cpa", p[1]) != NULL ? 1 : 0;
        if (n > 0 && n < 16) {
            snprintf(name, sizeof name, "%.*s", (int)(n - half), p + half);
            if (range) {
                snprintf(name + n, sizeof name - n, "%u", first);
            }
        }
        if (n == 1 && *p == 'c' && sscanf(p, "c[%u]", &first) == 1) { // By the number in words.
            snprintf(name, sizeof name, "c%u.%c", first / 4, "xyzw"[first % 4]);
        }
        p += n > 0 ? n : 1;
        const size_t length = strlen(name);
        if (a == &lull_arch_rdna3 && length > 2 && name[length - 2] == '.') {
            name[length - 2] = '\0'; // A half: "v1.l".
        }
        if (name[0] != '\0' && lull_arch_find_reg(a, name, &ret->reg)) {
            ret->reg.count = range ? (uint8_t)(last - first + 1) : ret->reg.count;
            snprintf(ret->text, sizeof ret->text, "%s", name);
            *at = p;
            return true;
        }
    }
    return false;
}

static bool used(const struct lull_arch_use *uses, unsigned n, const struct lull_arch_reg *reg)
{
    for (unsigned i = 0; i < n; i++) {
        if (!uses[i].implied && uses[i].reg <= reg->number &&
            uses[i].reg + uses[i].count >= reg->number + reg->count) {
            return true;
        }
    }
    return false;
}

static bool is_operand(const char *text, unsigned number, const struct lull_arch *a)
{
    for (struct named r; next_register(a, &text, &r);) {
        if (number >= r.reg.number && number < r.reg.number + r.reg.count) {
            return true;
        }
    }
    return false;
}

/** The text names what is used, and nothing is used that it does not name. */
static void check_uses(const struct lull_arch *a, const struct lull_insn *in, unsigned lanes,
                       const char *name, const char *text)
{
    struct lull_arch_use uses[LULL_ARCH_MAX_USES];
    const unsigned n = a->uses(in, lanes, uses);
    const char *at = text + strcspn(text, " ");
    bool all = true, no_more = true;
    char which[32] = "";
    for (struct named r; next_register(a, &at, &r);) {
        if (!used(uses, n, &r.reg)) {
            all = false;
            snprintf(which, sizeof which, "%s", r.text);
        }
    }
    for (unsigned i = 0; i < n; i++) {
        if (!uses[i].implied && !is_operand(text + strcspn(text, " "), uses[i].reg, a)) {
            no_more = false;
            snprintf(which, sizeof which, "number %u", uses[i].reg);
        }
    }
    test_case(all && no_more, name, "'%s': %s %s", text, which,
              all ? "is not in the text" : "is not used");
}

/** Branches of ir3: "#-5" is five instructions back. */
static void check_branch(const struct lull_arch *a, const struct lull_insn *in, const char *name,
                         const char *text)
{
    const uint64_t pc = UINT64_C(0x100000000);
    const char *by = strchr(text, '#');
    const bool label = by != NULL && (isdigit((unsigned char)by[1]) || by[1] == '-') &&
                       strstr(text, "s#") == NULL && strstr(text, "t#") == NULL;
    const uint64_t want = label ? pc + 8 * (uint64_t)strtoll(by + 1, NULL, 10) : 0;
    const struct lull_flow f = a->flow(in, pc);
    const char *op = a->mnemonic(in);
    static const struct {
        const char *op;
        enum lull_flow_kind kind;
    } kinds[] = {
        {"jump", LULL_FLOW_JUMP},   {"call", LULL_FLOW_CALL},   {"ret", LULL_FLOW_RETURN},
        {"end", LULL_FLOW_END},     {"chsh", LULL_FLOW_END},    {"br", LULL_FLOW_BRANCH},
        {"bany", LULL_FLOW_BRANCH}, {"ball", LULL_FLOW_BRANCH}, {"brao", LULL_FLOW_BRANCH},
        {"braa", LULL_FLOW_BRANCH}, {"brac", LULL_FLOW_BRANCH}, {"getone", LULL_FLOW_BRANCH},
        {"shps", LULL_FLOW_BRANCH}, {"bkt", LULL_FLOW_BRANCH},  {"getlast", LULL_FLOW_BRANCH},
        {"brax", LULL_FLOW_BRANCH},
    };
    enum lull_flow_kind kind = LULL_FLOW_NEXT;
    for (size_t i = 0; i < TEST_ROWS(kinds); i++) {
        kind = strcmp(kinds[i].op, op) == 0 ? kinds[i].kind : kind;
    }
    test_case(f.known == label && f.target == want && f.kind == kind &&
                  f.barrier == (strcmp(op, "bar") == 0),
              name, "'%s': kind %d, target 0x%" PRIx64 ", want %d, 0x%" PRIx64, text, f.kind,
              f.target, kind, want);
}

static void check_text(const struct lull_arch *a, const struct lull_insn *in, const char *name,
                       const char *text)
{
    lull_cleanup(lull_str_free) struct lull_str out = {0};
    const struct lull_insn_print how = {0};
    a->print(in, &how, &out);
    test_case(strcmp(lull_str_text(&out), text) == 0, name, "got '%s', want '%s'",
              lull_str_text(&out), text);
}

/** LLVM's text for words of gfx1100, wave32. */
static void check_rdna(char *line)
{
    const struct lull_arch *a = &lull_arch_rdna3;
    const struct lull_arch_mode mode = {0};
    struct lull_insn_room room;
    uint32_t words[MAX_WORDS] = {0};
    char *at = NULL;
    unsigned n = 0;
    for (; n < MAX_WORDS && *line != '\t'; n++, line = at + (*at == ' ')) {
        words[n] = (uint32_t)strtoul(line, &at, 16);
    }
    const char *text = line + 1;
    const int size = a->decode(&mode, words, sizeof words, &room);
    const int cut = a->decode(&mode, words, 4 * n - 1, &room);
    test_case(size == (int)(4 * n) && cut <= 0, text, "decoded as %d bytes; cut short: %d", size,
              cut);
    (void)a->decode(&mode, words, sizeof words, &room);
    check_text(a, lull_insn_in(&room), text, text);
    check_uses(a, lull_insn_in(&room), 32, text, text);
}

/** Mesa's text for words of ir3. Those that Mesa finds fault with have other operands. */
static void check_ir3(char *line)
{
    const struct lull_arch *a = &lull_arch_ir3;
    struct lull_insn_room room;
    char *at = NULL;
    const struct lull_arch_mode mode = {.gen = (unsigned)strtoul(line, &at, 10)};
    const uint64_t word = strtoull(at + 1, &at, 16);
    char *text = at + 1, *fault = text + strcspn(text, "\t");
    if (fault[0] != '\0' && fault[1] != '\0') {
        return;
    }
    *fault = '\0';
    const int size = a->decode(&mode, &word, sizeof word, &room);
    const int cut = a->decode(&mode, &word, sizeof word - 1, &room);
    test_case(size == 8 && cut == -1, text, "decoded as %d bytes; cut short: %d", size, cut);
    if (size == 8 && a->decode(&mode, &word, sizeof word, &room) == 8) {
        check_text(a, lull_insn_in(&room), text, text);
        check_uses(a, lull_insn_in(&room), 64, text, text);
        check_branch(a, lull_insn_in(&room), text, text);
    }
}

static void each_line(const char *path, void (*check)(char *line))
{
    char line[MAX_TEXT] = "";
    FILE *f = fopen(path, "r");
    if (!test_case(f != NULL, path, "cannot be read")) {
        return;
    }
    while (fgets(line, sizeof line, f) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '#' && line[0] != '\0') {
            check(line);
        }
    }
    fclose(f);
}

/** Every number of every bank has a name, and the name that number. */
static void check_names(const struct lull_arch *a)
{
    unsigned bad = 0, all = 0;
    for (unsigned b = 0; b < a->nbanks; b++) {
        for (unsigned i = 0; i < a->banks[b].count; i++, all++) {
            const unsigned number = a->banks[b].first + i;
            lull_cleanup(lull_str_free) struct lull_str name = {0};
            struct lull_arch_reg reg = {0};
            lull_arch_reg_name(a, number, &name);
            bad += !lull_arch_find_reg(a, lull_str_text(&name), &reg) || reg.number != number ||
                   reg.per_lane != a->banks[b].per_lane || reg.bits != a->banks[b].bits;
        }
    }
    test_case(bad == 0, a->name, "%u of %u names do not come back", bad, all);
    test_case(lull_arch_named(a->name) == a, a->name, "is not found by its name");
}

/** What single names mean. Source: LLVM's AMDGPU operand numbers; Mesa's ir3 texts. */
static const struct {
    const char *arch, *name;
    int number; ///< -1: no such register.
    unsigned count, bits;
    bool per_lane;
    enum lull_arch_group group;
} regs[] = {
    {"rdna3", "s0", 0, 1, 32, false, LULL_REGS_SCALAR},
    {"rdna3", "s105", 105, 1, 32, false, LULL_REGS_SCALAR},
    {"rdna3", "s106", -1, 0, 0, false, LULL_REGS_SCALAR},
    {"rdna3", "vcc_hi", 107, 1, 32, false, LULL_REGS_SPECIAL},
    {"rdna3", "ttmp15", 123, 1, 32, false, LULL_REGS_SPECIAL},
    {"rdna3", "m0", 125, 1, 32, false, LULL_REGS_SPECIAL},
    {"rdna3", "exec", 126, 2, 32, false, LULL_REGS_SPECIAL},
    {"rdna3", "scc", 253, 1, 1, false, LULL_REGS_SPECIAL},
    {"rdna3", "v255", 511, 1, 32, true, LULL_REGS_VECTOR},
    {"rdna3", "v256", -1, 0, 0, false, LULL_REGS_SCALAR},
    {"rdna3", "v", -1, 0, 0, false, LULL_REGS_SCALAR},
    {"rdna3", "v01", -1, 0, 0, false, LULL_REGS_SCALAR},
    {"rdna3", "r0.x", -1, 0, 0, false, LULL_REGS_SCALAR},
    {"ir3", "r0.x", 0, 1, 32, true, LULL_REGS_VECTOR},
    {"ir3", "r1.w", 7, 1, 32, true, LULL_REGS_VECTOR},
    {"ir3", "hr1.w", 263, 1, 16, true, LULL_REGS_VECTOR},
    {"ir3", "r61.x", -1, 0, 0, false, LULL_REGS_SCALAR},
    {"ir3", "a0.x", 244, 1, 16, true, LULL_REGS_SPECIAL},
    {"ir3", "a1.x", 245, 1, 16, true, LULL_REGS_SPECIAL},
    {"ir3", "p0.y", 249, 1, 1, true, LULL_REGS_SPECIAL},
    {"ir3", "c2.z", 522, 1, 32, false, LULL_REGS_SCALAR},
    {"ir3", "r1", -1, 0, 0, false, LULL_REGS_SCALAR},
    {"ir3", "r1.v", -1, 0, 0, false, LULL_REGS_SCALAR},
    {"ir3", "r1.xy", -1, 0, 0, false, LULL_REGS_SCALAR},
};

static void check_regs(void)
{
    for (size_t i = 0; i < TEST_ROWS(regs); i++) {
        struct lull_arch_reg r = {0};
        const bool found = lull_arch_find_reg(lull_arch_named(regs[i].arch), regs[i].name, &r);
        test_case(found == (regs[i].number >= 0) &&
                      (!found || (r.number == regs[i].number && r.count == regs[i].count &&
                                  r.bits == regs[i].bits && r.per_lane == regs[i].per_lane &&
                                  r.group == regs[i].group)),
                  regs[i].name, "found %d: number %u, count %u, bits %u, per lane %d, group %d",
                  found, r.number, r.count, r.bits, r.per_lane, r.group);
    }
}

/** Implied operands and memory. Sources: RDNA3 ISA guide, chapter 16; words by llvm-mc-19. */
static const struct {
    const char *arch;
    uint64_t word;
    const char *op;      ///< And, of ir3, Mesa's text behind it.
    const char *implied; ///< Reads, then writes; NULL: not compared.
    enum lull_memory_kind kind;
    bool loads, stores;
    unsigned bytes;
} operands[] = {
    {"rdna3", 0x80808100, "s_sub_u32", ">scc ", LULL_MEMORY_NONE, false, false, 0},
    {"rdna3", 0xbfa10005, "s_cbranch_scc0", "scc >", LULL_MEMORY_NONE, false, false, 0},
    {"rdna3", 0xbfa30005, "s_cbranch_vccz", "vcc_lo >", LULL_MEMORY_NONE, false, false, 0},
    {"rdna3", 0x040e0501d6370000, "v_div_fmas_f32", "vcc_lo exec_lo >", LULL_MEMORY_NONE, false,
     false, 0},
    {"rdna3", 0x7d220501, "v_cmpx_lt_f32", "exec_lo >exec_lo ", LULL_MEMORY_NONE, false, false, 0},
    {"rdna3", 0xbefe0001, "s_mov_b32", ">", LULL_MEMORY_NONE, false, false, 0},
    {"rdna3", 0xbe822003, "s_and_saveexec_b32", "exec_lo >scc exec_lo ", LULL_MEMORY_NONE, false,
     false, 0},
    {"rdna3", 0x01000002d8d80000, "ds_load_b32", "exec_lo >", LULL_MEMORY_LOCAL, true, false, 4},
    {"rdna3", 0x00000201d9340000, "ds_store_b64", "exec_lo >", LULL_MEMORY_LOCAL, false, true, 8},
    {"rdna3", 0x007c0004dc5e0000, "global_load_b128", "exec_lo >", LULL_MEMORY_GLOBAL, true, false,
     16},
    {"rdna3", 0x007c0104dc620000, "global_store_b8", "exec_lo >", LULL_MEMORY_GLOBAL, false, true,
     1},
    {"rdna3", 0x017c0402dcd64000, "global_atomic_add_u32", "exec_lo >", LULL_MEMORY_GLOBAL, true,
     true, 4},
    {"rdna3", 0x007c0204dd0e0000, "global_atomic_add_u64", "exec_lo >", LULL_MEMORY_GLOBAL, true,
     true, 8},
    {"rdna3", 0x017c0002dc480000, "flat_load_u16", "exec_lo >", LULL_MEMORY_FLAT, true, false, 2},
    {"rdna3", 0x007c0100dc690000, "scratch_store_b32", "exec_lo >", LULL_MEMORY_PRIVATE, false,
     true, 4},
    {"rdna3", 0xf8000000f4040001, "s_load_b64", ">", LULL_MEMORY_SCALAR, true, false, 8},
    {"rdna3", 0x80000000e0580000, "buffer_load_b96", "exec_lo >", LULL_MEMORY_BUFFER, true, false,
     12},
    {"rdna3", 0x80000000e0000000, "buffer_load_format_x", "exec_lo >", LULL_MEMORY_BUFFER, true,
     false, 0},
    {"rdna3", 0x08000004f06c0f04, "image_sample", "exec_lo >", LULL_MEMORY_IMAGE, true, false, 0},
    {"rdna3", 0x00000000e0ac0000, "buffer_gl0_inv", NULL, LULL_MEMORY_NONE, false, false, 0},
    // ldg.s32 r23.x, g[r34.x-3610], 6
    {"ir3", 0xd00a005c06a223cd, "ldg", ">", LULL_MEMORY_GLOBAL, true, false, 24},
    // stg.f16 g[r40.x+4086], hr53.x, 2
    {"ir3", 0xc8c140f602801fa8, "stg", ">", LULL_MEMORY_GLOBAL, false, true, 4},
    // ldlw.u8_32 r1.x, l[r24.z+2343], 3
    {"ir3", 0xc28e00040398924f, "ldlw", ">", LULL_MEMORY_LOCAL, true, false, 3},
    // stlw.u8 l[r25.w-3347], r25.x, 93
    {"ir3", 0xdacccfed5d8024c8, "stlw", ">", LULL_MEMORY_LOCAL, false, true, 93},
    // stl.u16 l[r59.w-2658], r25.w, 196
    {"ir3", 0xc105df9ec4802ace, "stl", ">", LULL_MEMORY_LOCAL, false, true, 392},
    {"ir3", 0xcc040048f80fa201, "atomic.add", ">", LULL_MEMORY_LOCAL, true, true, 0},
    {"ir3", 0xcf0800c1038000ea, "stc", ">", LULL_MEMORY_CONSTANT, false, true, 0},
    {"ir3", 0xcaaf243c31e1b1ac, "ldib.b", ">", LULL_MEMORY_BUFFER, true, false, 0},
    {"ir3", 0xb82b3990cc7d0659, "isam", ">", LULL_MEMORY_IMAGE, true, false, 0},
    {"ir3", 0xe01a000000000000, "bar", ">", LULL_MEMORY_NONE, false, false, 0},
};

static void check_operands(size_t row)
{
    const struct lull_arch *a = lull_arch_named(operands[row].arch);
    const struct lull_arch_mode mode = {.gen = 630};
    struct lull_insn_room room;
    lull_cleanup(lull_str_free) struct lull_str implied = {0};
    struct lull_arch_use uses[LULL_ARCH_MAX_USES];
    if (!test_case(a->decode(&mode, &operands[row].word, sizeof operands[row].word, &room) > 0,
                   operands[row].op, "not decoded")) {
        return;
    }
    const struct lull_insn *in = lull_insn_in(&room);
    const unsigned n = a->uses(in, 32, uses);
    for (int write = 0; write <= 1; write++) {
        for (unsigned i = 0; i < n; i++) {
            if (uses[i].implied && uses[i].write == (write != 0)) {
                lull_arch_reg_name(a, uses[i].reg, &implied);
                lull_str_addf(&implied, " ");
            }
        }
        lull_str_addf(&implied, write ? "" : ">");
    }
    const struct lull_insn_memory m = a->memory(in);
    test_case(strcmp(a->mnemonic(in), operands[row].op) == 0, operands[row].op, "it is %s",
              a->mnemonic(in));
    test_case(operands[row].implied == NULL ||
                  strcmp(lull_str_text(&implied), operands[row].implied) == 0,
              operands[row].op, "implied '%s', want '%s'", lull_str_text(&implied),
              operands[row].implied);
    test_case(m.kind == operands[row].kind && m.reads == operands[row].loads &&
                  m.writes == operands[row].stores && m.bytes == operands[row].bytes,
              operands[row].op, "memory %d, reads %d, writes %d, %u bytes", m.kind, m.reads,
              m.writes, m.bytes);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        return 2;
    }
    for (size_t i = 0; i < TEST_ROWS(lines); i++) {
        check_line(&lines[i]);
    }
    for (size_t i = 0; i < TEST_ROWS(operands); i++) {
        check_operands(i);
    }
    check_regs();
    check_names(&lull_arch_rdna3);
    check_names(&lull_arch_ir3);
    test_case(lull_arch_named("z80") == NULL, "z80", "there is such an arch");
    each_line(argv[1], check_rdna);
    each_line(argv[2], check_ir3);
    return test_end();
}
