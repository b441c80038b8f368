// SPDX-License-Identifier: MIT
// Adreno's registers by address, against the names that Mesa's librnn gives to every address (fact
// tables regs_*_flat.tsv, where they are there), and values by hand from rnndec's rules.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "hw/adreno_doms.h"
#include "test.h"

enum { SPACE = 0x40000 };

static const struct lull_dom *dom(unsigned n)
{
    return &lull_dom_adreno.domains[n];
}

struct row {
    char name[96];
    unsigned width, order;
};

/** Names by address; of several at one address the first of the database is meant. */
static unsigned read_rows(FILE *f, struct row *rows)
{
    char line[512];
    unsigned n = 0;
    while (fgets(line, sizeof line, f) != NULL) {
        struct row r = {0};
        unsigned offset = 0;
        if (sscanf(line, "%x\t%95[^\t]\t%u\t%*[^\t]\t%u", &offset, r.name, &r.width, &r.order) !=
            4) {
            continue;
        }
        for (size_t at = strlen(r.name); at > 0 && r.name[at - 1] == ' ';) {
            r.name[--at] = '\0'; // one has a blank at its end
        }
        if (offset < SPACE && (rows[offset].width == 0 || rows[offset].order > r.order)) {
            rows[offset] = r;
            n++;
        }
    }
    return n;
}

/** Every address of a table of names. */
static void flat(const char *folder, const char *table, unsigned chip, unsigned domain)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/regs_%s_flat.tsv", folder, table);
    FILE *f = fopen(path, "r");
    struct row *rows = calloc(SPACE, sizeof *rows);
    if (f == NULL || rows == NULL) {
        test_skip("no table of names %s", path);
        free(rows);
        return;
    }
    const unsigned n = read_rows(f, rows);
    fclose(f);
    struct lull_dom_index *ix = NULL;
    const struct lull_dom *doms[] = {dom(domain)};
    struct lull_error *err = lull_dom_index_new(&lull_dom_adreno, chip, doms, 1, SPACE, &ix);
    test_case(err == NULL, "index", "%s", err != NULL ? lull_error_message(err) : "");
    unsigned bad = 0;
    struct lull_str s = {0};
    for (unsigned at = 0; ix != NULL && at < SPACE; at++) {
        s.size = 0;
        const struct lull_dom_hit hit = lull_dom_lookup(ix, at);
        if (hit.reg != NULL) {
            lull_dom_name(&hit, &s);
            // One name ends with a space, in Mesa too; these tables have it without.
            s.size -= s.size > 0 && s.text[s.size - 1] == ' ';
            s.text[s.size] = '\0';
        }
        if (rows[at].width != 0 &&
            (hit.reg == NULL || strcmp(lull_str_text(&s), rows[at].name) != 0 ||
             hit.reg->width != rows[at].width)) {
            printf("# %s %#x: got '%s', want '%s'\n", table, at,
                   hit.reg != NULL ? lull_str_text(&s) : "", rows[at].name);
            bad++;
        }
    }
    test_case(bad == 0 && n > 50, table, "%u of %u addresses differ", bad, n);
    lull_str_free(&s);
    lull_dom_index_free(ix);
    free(rows);
}

static const struct {
    unsigned chip, domain;
    uint32_t offset;
    uint64_t value;
    const char *name, *text;
} values[] = {
    {6, LULL_ADRENO_DOM_A6XX, 0x0850, 0, "CP_PROTECT[0].REG", "{ BASE_ADDR = 0 | MASK_LEN = 0 }"},
    {6, LULL_ADRENO_DOM_A6XX, 0x0853, 0x80000000, "CP_PROTECT[0x3].REG",
     "{ BASE_ADDR = 0 | MASK_LEN = 0 | READ }"},
    {6, LULL_ADRENO_DOM_A6XX, 0x0928, 0x100000000, "CP_IB1_BASE", "0x100000000"},
    {6, LULL_ADRENO_DOM_A6XX, 0x8004, 0x10003, "GRAS_MAX_LAYER_INDEX", "3 | 0x10000"},
    {6, LULL_ADRENO_DOM_A6XX, 0x8005, 0x400, "GRAS_CNTL", "{ COORD_MASK = 0 | 0x400 }"},
    {7, LULL_ADRENO_DOM_A6XX, 0x8005, 0x400, "GRAS_CNTL", "{ COORD_MASK = 0 | UNK10 }"},
    {3, LULL_ADRENO_DOM_A3XX, 0x2069, 0x18, "GRAS_SU_POINT_SIZE", "1.500000"},
};

int main(int argc, char **argv)
{
    const char *folder = argc == 2 ? argv[1] : ".";
    static const struct {
        const char *table;
        unsigned chip, domain;
    } tables[] = {
        {"axxx", 3, LULL_ADRENO_DOM_AXXX}, {"a2xx", 2, LULL_ADRENO_DOM_A2XX},
        {"a3xx", 3, LULL_ADRENO_DOM_A3XX}, {"a4xx", 4, LULL_ADRENO_DOM_A4XX},
        {"a5xx", 5, LULL_ADRENO_DOM_A5XX}, {"a6xx", 6, LULL_ADRENO_DOM_A6XX},
        {"a7xx", 7, LULL_ADRENO_DOM_A6XX}, {"gmu", 7, LULL_ADRENO_DOM_GMU},
    };
    for (size_t i = 0; i < TEST_ROWS(tables); i++) {
        flat(folder, tables[i].table, tables[i].chip, tables[i].domain);
    }
    for (size_t i = 0; i < TEST_ROWS(values); i++) {
        struct lull_dom_state s = {.chip = values[i].chip};
        struct lull_str name = {0}, text = {0};
        const struct lull_dom_hit hit =
            lull_dom_at(&lull_dom_adreno, &s, dom(values[i].domain), values[i].offset);
        if (hit.reg != NULL) {
            lull_dom_name(&hit, &name);
            lull_dom_show(&lull_dom_adreno, &s, hit.reg, values[i].value, &text);
        }
        test_case(strcmp(lull_str_text(&name), values[i].name) == 0 &&
                      strcmp(lull_str_text(&text), values[i].text) == 0,
                  values[i].name, "got '%s: %s', want '%s'", lull_str_text(&name),
                  lull_str_text(&text), values[i].text);
        lull_str_free(&name);
        lull_str_free(&text);
    }
    return test_end();
}
