// SPDX-License-Identifier: MIT
#include "debug/lines/code.h"

#include <ctype.h>
#include <string.h>

#include "arch/arch.h"
#include "base/error.h"
#include "base/str.h"

enum { DWORD = 4 };

static const uint64_t fnv_start = 0xcbf29ce484222325, fnv_prime = 0x100000001b3;

static uint64_t hash_of(uint64_t h, const void *data, size_t size)
{
    const uint8_t *p = data;
    for (size_t i = 0; i < size; i++) {
        h = (h ^ p[i]) * fnv_prime;
    }
    return h;
}

/** Bytes of a register's number at @p at, behind its letter: "12", "[4:7]". 0: it is not one. */
static size_t number_of(const char *at)
{
    const size_t n = *at == '[' ? strcspn(at, "]") + 1 : strspn(at, "0123456789");
    return *at == '[' && !isdigit((unsigned char)at[1]) ? 0 : n;
}

/** The text without numbers of registers, and without the size of its encoding. */
static uint64_t key_of(const char *text)
{
    uint64_t h = fnv_start;
    bool word = false; // Inside of one.
    for (const char *at = text; *at != '\0';) {
        const bool letter = !word && (*at == 'v' || *at == 's');
        const size_t n = letter ? number_of(at + 1) : 0;
        if (n != 0) {
            h = hash_of(h, at, 1);
            at += 1 + n;
            continue;
        }
        if (strncmp(at, "_e32", 4) == 0 || strncmp(at, "_e64", 4) == 0) {
            at += 4;
            continue;
        }
        word = isalnum((unsigned char)*at) != 0 || *at == '_';
        h = hash_of(h, at++, 1);
    }
    return h;
}

/** Bytes of "(ss)", "(nop3)" and others in front of an instruction of ir3 that say when. */
static size_t when(const char *at)
{
    static const char *const names[] = {"(ss)", "(sy)", "(jp)", "(ul)", "(nop", "(eq)"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(at, names[i], strlen(names[i])) == 0) {
            const size_t n = strcspn(at, ")") + 1;
            return n + strspn(at + n, " ");
        }
    }
    return 0;
}

/** Bytes of a register of ir3 at @p at, "r12.x", "hc4.y"; 0: it is not one. @p ret_name of those
 * its file. */
static size_t register_of(const char *at, size_t *ret_name)
{
    const size_t name = *at == 'h' ? 2 : 1;
    const size_t n = strspn(at + name, "0123456789");
    const bool is = (at[name - 1] == 'r' || at[name - 1] == 'c') && n != 0 && at[name + n] == '.' &&
                    at[name + n + 1] != '\0' && strchr("xyzw", at[name + n + 1]) != NULL;
    *ret_name = name;
    return is ? name + n + 2 : 0;
}

/** The text without numbers of registers, and without when it may begin. */
static uint64_t ir3_key_of(const char *text)
{
    uint64_t h = fnv_start;
    bool word = false;
    while (*text == '(' && when(text) != 0) {
        text += when(text);
    }
    for (const char *at = text; *at != '\0';) {
        size_t name = 0;
        const size_t n = word ? 0 : register_of(at, &name);
        word = isalnum((unsigned char)*at) != 0 || *at == '_';
        h = hash_of(h, at, n != 0 ? name : 1);
        at += n != 0 ? n : 1;
    }
    return h;
}

/** Instructions that only tell the hardware when. */
static bool only_waits(const char *name)
{
    static const char *const names[] = {"s_waitcnt", "s_delay_alu", "s_nop",
                                        "s_clause",  "s_code_end",  "s_set_inst_prefetch_distance",
                                        "s_wait_"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(name, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

static void describe(const struct lull_arch *arch, const struct lull_insn *in,
                     struct lull_lines_insn *i, struct lull_str *text)
{
    const bool ir3 = arch == &lull_arch_ir3;
    const struct lull_insn_print how = {.pc = i->offset};
    const struct lull_flow flow = arch->flow(in, i->offset);
    const struct lull_insn_memory memory = arch->memory(in);
    const char *name = arch->mnemonic(in);
    i->waits = ir3 ? strcmp(name, "nop") == 0 : only_waits(name);
    i->memory = memory.kind != LULL_MEMORY_NONE;
    i->reads = memory.reads;
    i->writes = memory.writes;
    i->flow = flow.kind != LULL_FLOW_NEXT;
    i->target = i->flow && flow.known ? (uint32_t)flow.target : UINT32_MAX;
    if (i->flow && flow.known) { // Where it goes to changes with all that lies between.
        i->key = hash_of(fnv_start, name, strlen(name));
        return;
    }
    text->size = 0;
    arch->print(in, &how, text);
    i->key = ir3 ? ir3_key_of(lull_str_text(text)) : key_of(lull_str_text(text));
}

struct lull_error *lull_lines_code(const uint32_t *words, size_t nwords, unsigned gen,
                                   struct lull_arena *a, struct lull_lines_code *ret)
{
    const struct lull_arch *arch = gen != 0 ? &lull_arch_ir3 : &lull_arch_rdna3;
    struct lull_lines_insn *all = lull_arena_calloc(a, nwords + 1, sizeof *all);
    struct lull_str text = {0};
    const uint8_t *bytes = (const uint8_t *)words;
    const size_t size = nwords * DWORD;
    size_t n = 0;
    if (all == NULL) {
        return &lull_enomem;
    }
    for (size_t at = 0; at < size;) {
        struct lull_insn_room room;
        const struct lull_arch_mode mode = {.gen = gen, .lax = true};
        const int used = arch->decode(&mode, bytes + at, size - at, &room);
        if (used <= 0) {
            break;
        }
        struct lull_lines_insn *i = &all[n++];
        i->offset = (uint32_t)at;
        i->size = (uint32_t)used;
        i->full = hash_of(fnv_start, bytes + at, (size_t)used);
        describe(arch, lull_insn_in(&room), i, &text);
        at += (size_t)used;
    }
    struct lull_error *err = text.err;
    lull_str_free(&text);
    if (err == NULL) {
        *ret = (struct lull_lines_code){all, n};
    }
    return err;
}
