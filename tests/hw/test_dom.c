// SPDX-License-Identifier: MIT
// Adreno's registers by address, against the names that Mesa's librnn gives to every address and
// the fields of its XML (fact tables regs_*_flat.tsv and fields_*.tsv, where they are there); the
// fields of descriptors, against descriptors.vec; and values by hand from rnndec's rules.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
        test_case(false, path, "cannot be read");
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

struct field_row {
    unsigned offset, lo, hi, shr, radix;
    char domain[64], name[64], type[64], generations[16];
};

static const char *type_of(const struct lull_dom_field *f)
{
    static const char *const names[] = {[LULL_DOM_NONE] = "-",
                                        [LULL_DOM_HEX] = "hex",
                                        [LULL_DOM_UINT] = "uint",
                                        [LULL_DOM_INT] = "int",
                                        [LULL_DOM_BOOL] = "boolean",
                                        [LULL_DOM_FLOAT] = "float",
                                        [LULL_DOM_FIXED] = "fixed",
                                        [LULL_DOM_UFIXED] = "ufixed",
                                        [LULL_DOM_REGID] = "a3xx_regid",
                                        [LULL_DOM_ADDRESS] = "address",
                                        [LULL_DOM_WADDRESS] = "waddress",
                                        [LULL_DOM_VOID] = "void"};
    return f->kind == LULL_DOM_ENUM     ? lull_dom_adreno.enums[f->sub].name
           : f->kind == LULL_DOM_BITSET ? lull_dom_adreno.bitsets[f->sub].name
                                        : names[f->kind];
}

/** The field of @p reg that is as @p r says; NULL: there is none. */
static const struct lull_dom_field *field_like(const struct lull_dom_reg *reg,
                                               const struct field_row *r)
{
    const struct lull_dom_field *f = NULL;
    const unsigned n = reg != NULL ? lull_dom_fields(&lull_dom_adreno, reg, &f) : 0;
    for (unsigned i = 0; i < n; i++) {
        if (strcmp(f[i].name, r->name) == 0 && f[i].lo == r->lo && f[i].hi == r->hi &&
            f[i].shr == r->shr && strcmp(type_of(&f[i]), r->type) == 0) {
            return &f[i];
        }
    }
    return NULL;
}

/** A field of any register at r->offset: several have one address. */
static bool has_field(const struct lull_dom_index *ix, const struct lull_dom *d,
                      const struct field_row *r)
{
    bool found = field_like(lull_dom_lookup(ix, r->offset).reg, r) != NULL;
    for (unsigned i = 0; !found && i < d->n; i++) {
        found = d->regs[i].offset == r->offset && field_like(&d->regs[i], r) != NULL;
    }
    return found;
}

/** Every field of a table of registers. */
static void foreign_fields(const char *folder, const char *table, unsigned chip, unsigned domain)
{
    char path[512], line[512];
    (void)snprintf(path, sizeof path, "%s/fields_%s.tsv", folder, table);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        test_case(false, path, "cannot be read");
        return;
    }
    struct lull_dom_index *ix = NULL;
    const struct lull_dom *doms[] = {dom(domain)};
    struct lull_error *err = lull_dom_index_new(&lull_dom_adreno, chip, doms, 1, SPACE, &ix);
    unsigned n = 0, bad = 0;
    while (err == NULL && fgets(line, sizeof line, f) != NULL) {
        struct field_row r = {0};
        if (sscanf(line, "%x\t%*[^\t]\t%*[^\t]\t%63[^\t]\t%u\t%u\t%63[^\t]\t%u", &r.offset, r.name,
                   &r.lo, &r.hi, r.type, &r.shr) == 6) {
            n++;
            if (!has_field(ix, doms[0], &r)) {
                printf("# %s %#x: no field %s %u:%u %s<<%u\n", table, r.offset, r.name, r.hi, r.lo,
                       r.type, r.shr);
                bad++;
            }
        }
    }
    test_case(err == NULL && bad == 0 && n > 30, table, "%u of %u fields differ", bad, n);
    lull_error_free(err);
    lull_dom_index_free(ix);
    fclose(f);
}

static const struct lull_dom *dom_called(const char *name)
{
    for (unsigned i = 0; i < lull_dom_adreno.ndomains; i++) {
        if (strcmp(dom(i)->name, name) == 0) {
            return dom(i);
        }
    }
    return NULL;
}

/** Each row of descriptors.vec is a field, and these descriptors have no others. */
static void descriptors(const char *path)
{
    char line[512];
    FILE *f = fopen(path, "r");
    const struct lull_dom *last = NULL;
    unsigned rows = 0, fields = 0;
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        struct field_row r = {0};
        if (sscanf(line, "%u\t%63s\t%63s\t%u\t%u\t%63s\t%u\t%u\t%15s", &r.offset, r.domain, r.name,
                   &r.lo, &r.hi, r.type, &r.shr, &r.radix, r.generations) != 9) {
            continue;
        }
        const struct lull_dom_state chip = {.chip = strcmp(r.generations, "-") == 0 ? 0 : 7};
        const struct lull_dom *d = dom_called(r.domain);
        struct lull_dom_hit hit = {0};
        if (d != NULL) {
            hit = lull_dom_at(&lull_dom_adreno, &chip, d, r.offset);
        }
        const struct lull_dom_field *field = field_like(hit.reg, &r);
        char name[160];
        (void)snprintf(name, sizeof name, "%s[%u].%s", r.domain, r.offset, r.name);
        test_case(
            field != NULL && field->radix == r.radix && (field->cond == 0) == (chip.chip == 0),
            name, "there is no such field %u:%u %s<<%u.%u", r.hi, r.lo, r.type, r.shr, r.radix);
        for (unsigned i = 0; d != NULL && d != last && i < d->n; i++) {
            const struct lull_dom_field *all = NULL;
            fields += lull_dom_fields(&lull_dom_adreno, &d->regs[i], &all);
        }
        last = d;
        rows++;
    }
    test_case(rows == fields && rows > 200, "descriptors.vec", "%u rows, but there are %u fields",
              rows, fields);
    if (f != NULL) {
        fclose(f);
    }
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
    {6, LULL_ADRENO_DOM_A6XX_TEX_CONST, 0, 0x0c081530, "0",
     "{ TILE_MODE = TILE6_LINEAR | SWIZ_X = A6XX_TEX_W | SWIZ_Y = A6XX_TEX_Z | SWIZ_Z = "
     "A6XX_TEX_ONE | SWIZ_W = A6XX_TEX_X | MIPLVLS = 8 | SAMPLES = MSAA_ONE | FMT = "
     "FMT6_8_8_8_8_UNORM | SWAP = WZYX }"},
    {3, LULL_ADRENO_DOM_A3XX, 0x2069, 0x18, "GRAS_SU_POINT_SIZE", "1.500000"},
};

int main(int argc, char **argv)
{
    const char *folder = argc == 3 ? argv[1] : ".";
    descriptors(argc == 3 ? argv[2] : "descriptors.vec");
    static const struct {
        const char *table;
        unsigned chip, domain;
    } tables[] = {
        {"axxx", 3, LULL_ADRENO_DOM_AXXX}, {"a2xx", 2, LULL_ADRENO_DOM_A2XX},
        {"a3xx", 3, LULL_ADRENO_DOM_A3XX}, {"a4xx", 4, LULL_ADRENO_DOM_A4XX},
        {"a5xx", 5, LULL_ADRENO_DOM_A5XX}, {"a6xx", 6, LULL_ADRENO_DOM_A6XX},
        {"a7xx", 7, LULL_ADRENO_DOM_A6XX}, {"gmu", 7, LULL_ADRENO_DOM_GMU},
    };
    const bool there = access(folder, R_OK) == 0;
    if (!there) {
        test_skip("no tables of Mesa's names and fields: %s", folder);
    }
    for (size_t i = 0; there && i < TEST_ROWS(tables); i++) {
        flat(folder, tables[i].table, tables[i].chip, tables[i].domain);
        foreign_fields(folder, tables[i].table, tables[i].chip, tables[i].domain);
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
