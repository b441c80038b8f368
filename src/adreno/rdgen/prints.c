// SPDX-License-Identifier: MIT
// Lines "print rT.x, rA.x, ..." in the text of a shader, as instructions that append to a log: a
// u64 address of its end, and dwords. Source: the form is that of Mesa 25.0.7's replay (shared
// facts on freedreno, section 14).
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/rdgen/rdgen.h"
#include "base/str.h"

enum { MOST_PRINTED = 64 };

/** The registers of a line "print rT.x, rA.x, ...". @return How many; 0: it is not one. */
static unsigned registers(const char *line, size_t size, unsigned ret[MOST_PRINTED])
{
    static const char word[] = "print ", letters[] = "xyzw";
    size_t at = strspn(line, " \t");
    unsigned n = 0;
    if (at + sizeof word - 1 > size || memcmp(line + at, word, sizeof word - 1) != 0) {
        return 0;
    }
    for (at += sizeof word - 1; n < MOST_PRINTED && at < size; n++) {
        unsigned number = 0;
        char letter = 0;
        int used = 0;
        if (sscanf(line + at, " r%u.%c%n", &number, &letter, &used) != 2 || number >= 64 ||
            strchr(letters, letter) == NULL) {
            return 0;
        }
        ret[n] = number * 4 + (unsigned)(strchr(letters, letter) - letters);
        at += (size_t)used;
        at += strspn(line + at, " \t");
        if (at < size && line[at] != ',') {
            return 0;
        }
        at++;
    }
    return n;
}

static void name(struct lull_str *out, const char *before, unsigned reg)
{
    lull_str_addf(out, "%sr%u.%c", before, reg / 4, "xyzw"[reg % 4]);
}

/** Three registers from @p t on are the print's own: address, and what is added. The log's end does
 * not move beyond its memory: what comes then is written over the last. */
static void write_print(struct lull_str *out, const unsigned *regs, unsigned n, uint64_t log)
{
    const unsigned t = regs[0];
    const uint32_t low = (uint32_t)log, bytes = 4 * (n - 1);
    const struct {
        unsigned reg;
        uint32_t value;
    } moves[] = {{t, low}, {t + 1, (uint32_t)(log >> 32)}, {t + 2, bytes}};
    lull_str_addf(out, "(sy)(ss)(rpt5)nop\n");
    for (unsigned i = 0; i < 3; i++) {
        name(out, "mov.u32u32 ", moves[i].reg);
        lull_str_addf(out, ", 0x%" PRIx32 "\n", moves[i].value);
    }
    lull_str_addf(out, "(rpt5)nop\n");
    name(out, "atomic.g.add.untyped.1d.u32.1.g ", t + 2);
    name(out, ", ", t);
    name(out, ", ", t + 2);
    name(out, "\nmov.u32u32 ", t);
    lull_str_addf(out, ", 0x%" PRIx32 "\n(rpt5)nop\n", low + LULL_RDGEN_LOG_DWORDS * 4 - bytes);
    name(out, "(sy)min.u ", t);
    name(out, ", ", t + 2);
    name(out, ", ", t);
    lull_str_addf(out, "\n(rpt5)nop\n");
    for (unsigned i = 1; i < n; i++) {
        name(out, "stg.u32 g[", t);
        lull_str_addf(out, "+%u]", 4 * (i - 1));
        name(out, ", ", regs[i]);
        lull_str_addf(out, ", 1\n(ss)nop\n");
    }
}

char *lull_rdgen_expand_prints(struct lull_rdgen *g, const char *text, uint64_t log)
{
    struct lull_str out = {0};
    for (size_t n = 0; *text != '\0' && g->err == NULL; text += n + (text[n] == '\n')) {
        unsigned regs[MOST_PRINTED] = {0};
        n = strcspn(text, "\n");
        const size_t end = n > 0 && text[n - 1] == '\r' ? n - 1 : n;
        const unsigned found = registers(text, end, regs);
        if (found >= 2 && regs[0] % 4 == 0) {
            write_print(&out, regs, found, log);
        } else {
            lull_str_addf(&out, "%.*s\n", (int)n, text);
        }
    }
    if (g->err == NULL && out.err != NULL) {
        lull_rdgen_fail(g, &lull_enomem);
    }
    if (g->err != NULL || out.text == NULL) {
        lull_str_free(&out);
        return g->err == NULL ? strdup("") : NULL;
    }
    return out.text;
}
