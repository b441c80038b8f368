// SPDX-License-Identifier: MIT
#include "adreno/crash/crash.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/crash/crash_walk.h"
#include "adreno/file/ascii85.h"
#include "hw/adreno_chip.h"

static const uint64_t MOST_BYTES = 1ull << 34;
enum { MOST_LINES = 1 << 24 };

enum { ROW = 4, REGISTER_BYTES = 4, NEAR = 2, CONTROL_REGS = 0x800, PIPE_REGS = 0x100 };

void lull_crash_damage(struct lull_crash *k, const char *fmt, ...)
{
    if (k->damage == NULL) {
        char text[256];
        va_list args;
        va_start(args, fmt);
        (void)vsnprintf(text, sizeof text, fmt, args);
        va_end(args);
        k->damage = lull_error_new(LULL_ERR_BAD_DATA, "line %" PRIu64 ": %s", k->line, text);
    }
}

/** @p n words, of which the first is @p at bytes into them all. */
static void hex_row(struct lull_cff *c, const uint32_t *words, unsigned n, uint64_t at,
                    const char *tabs)
{
    static const char none[] = "         ";
    struct lull_str *s = &c->text; // right into the output
    char chars[ROW * 4];
    lull_str_put(s, tabs, strlen(tabs));
    lull_str_hex(s, at, 6);
    lull_str_put(s, ":", 1);
    for (unsigned j = 0; j < n; j++) {
        lull_str_put(s, " ", 1);
        lull_str_hex(s, words[j], 8);
        for (unsigned b = 0; b < 4; b++) {
            const char ch = (char)(words[j] >> 8 * b & 0xff);
            chars[j * 4 + b] = (char)(ch >= ' ' && ch <= '~' ? ch : '.');
        }
    }
    for (unsigned j = n; j < ROW; j++) {
        lull_str_put(s, none, strlen(none));
    }
    lull_str_put(s, "\t|", 2);
    lull_str_put(s, chars, (size_t)n * 4);
    lull_cff_text(c, 1, "|\n", 2);
}

void lull_crash_hex(struct lull_crash *k, const uint32_t *words, uint64_t n, unsigned level)
{
    struct lull_cff *c = k->cff;
    const char *tabs = lull_cff_tabs(level - 1);
    lull_cff_say(c, 1, "%s-----------------------------------------------\n", tabs);
    lull_cff_say(c, 1, "%s%" PRIu64 " (0x%" PRIx64 ") bytes\n", tabs, n * 4, n * 4);
    for (uint64_t i = 0; i < n && !lull_cff_quiet(c, 1); i += ROW) {
        hex_row(c, words + i, n - i < ROW ? (unsigned)(n - i) : ROW, i * 4, tabs);
    }
}

/** Is it called NAME_HI? */
static bool is_hi(const struct lull_dom_hit *hit)
{
    static const char hi[] = "_HI";
    struct lull_str name = {0};
    lull_dom_name(hit, &name);
    const bool is = name.size >= sizeof hi && memcmp(name.text + name.size - 3, hi, 3) == 0;
    lull_str_free(&name);
    return is;
}

void lull_crash_register(struct lull_crash *k, const struct lull_dom_index *ix, uint32_t reg,
                         uint32_t value)
{
    struct lull_crash_half *h = &k->half;
    if (h->waits) {
        h->waits = false;
        if (reg == h->reg + 1) {
            h->value |= (uint64_t)value << 32;
        } else { // as Mesa, which loses this one
            lull_cff_say(k->cff, 1, "WARNING: 64b discontinuity (%x, expected %x)\n", reg,
                         h->reg + 1);
        }
    } else {
        const struct lull_dom_hit hit = lull_dom_lookup(ix, reg);
        const bool wide = hit.reg != NULL && hit.reg->width == 64 && hit.reg->kind != LULL_DOM_NONE;
        *h = (struct lull_crash_half){.reg = reg, .value = value, .waits = wide};
        if (wide && hit.dword != 0 && is_hi(&hit)) {
            lull_cff_say(k->cff, 1, "WARNING: 64b discontinuity (no _LO dword for %x)\n", reg);
            h->waits = false;
        }
    }
    if (!h->waits) {
        const struct lull_dom_hit hit = lull_dom_lookup(ix, h->reg);
        lull_cff_say(k->cff, 1, "\t%08" PRIx64, h->value);
        lull_cff_show(k->cff, &hit, h->reg, h->value, 0, 1);
    }
}

/** The @p n dwords of a data line; NULL: too many. The caller frees. */
static uint32_t *load(struct lull_crash *k, const struct lull_devcore_line *line, uint64_t n)
{
    const uint64_t most = k->o.most_memory != 0 ? k->o.most_memory : 1ull << 30;
    uint32_t *words = n <= (most - k->held) / 4 ? calloc(n + 1, sizeof *words) : NULL;
    if (words == NULL) {
        lull_crash_damage(k, "%" PRIu64 " dwords are too many, left out", n);
        return NULL;
    }
    size_t got = 0;
    const size_t used = lull_ascii85_decode(line->data, line->data_size, words, n, &got);
    if (used < line->data_size) {
        lull_crash_damage(k, "data ends after %zu of %" PRIu64 " dwords, at character %zu", got, n,
                          used);
    }
    return words;
}

static void echo(struct lull_crash *k, const struct lull_devcore_line *line)
{
    lull_cff_echo(k->cff, line->text, line->size);
}

static uint64_t number(struct lull_crash *k, const struct lull_devcore_line *line)
{
    uint64_t n = 0;
    if (!lull_devcore_number(line->value, &n)) {
        lull_crash_damage(k, "'%s' is not a number", line->value);
    }
    return n;
}

static bool is(const struct lull_devcore_line *line, const char *key)
{
    return strcmp(line->key, key) == 0;
}

static void fault_info(struct lull_crash *k, const struct lull_devcore_line *line)
{
    static const char iova[] = "  - iova=";
    if (is(line, "far")) {
        k->has_fault = lull_devcore_number(line->value, &k->fault);
    } else if (line->size > sizeof iova && memcmp(line->text, iova, sizeof iova - 1) == 0) {
        k->has_fault = true;
        k->fault = strtoull(line->value + strlen("iova="), NULL, 16);
    }
    for (size_t i = 0; i < LULL_CRASH_FAULTS; i++) {
        const char *name = lull_crash_faults[i];
        const size_t n = strlen(name);
        if (is(line, name)) {
            lull_store_text(k->seen.fault[i], LULL_CRASH_FAULT, line->value);
        } else if (strncmp(line->value, name, n) == 0 && line->value[n] == '=') {
            lull_store_text(k->seen.fault[i], LULL_CRASH_FAULT, line->value + n + 1);
        }
    }
    echo(k, line);
}

/** A buffer of GPU memory; it is kept until the end. */
static void keep(struct lull_crash *k, uint64_t iova, uint64_t bytes, const uint32_t *words)
{
    struct lull_error *err = lull_cff_add_bo(k->cff, iova, bytes & ~3ull, words, bytes & ~3ull);
    k->held += bytes;
    if (err != NULL && k->damage == NULL) {
        k->damage = err;
    } else {
        lull_error_free(err);
    }
}

static void ringbuffer(struct lull_crash *k, const struct lull_devcore_line *line)
{
    struct lull_crash_ring *r = &k->rings[k->ring < LULL_CRASH_RINGS ? k->ring : 0];
    if (line->kind == LULL_DEVCORE_DATA) {
        uint32_t *words = r->words == NULL ? load(k, line, r->bytes / 4) : NULL;
        if (words != NULL) {
            r->words = words;
            keep(k, r->iova, r->bytes, words);
            k->held += r->bytes;
        }
        return;
    }
    if (is(line, "id")) {
        k->ring = number(k, line);
        if (k->ring >= LULL_CRASH_RINGS) {
            lull_crash_damage(k, "ring %" PRIu64 ", there are %d", k->ring, LULL_CRASH_RINGS);
        }
    } else if (r->words == NULL && is(line, "iova")) {
        r->iova = number(k, line);
        r->is_there |= k->ring < LULL_CRASH_RINGS;
    } else if (is(line, "last-fence")) {
        r->last_fence = number(k, line);
    } else if (is(line, "retired-fence")) {
        r->retired_fence = number(k, line);
    } else if (is(line, "rptr")) {
        r->rptr = number(k, line);
    } else if (is(line, "wptr")) {
        r->wptr = number(k, line);
    } else if (r->words == NULL && is(line, "size")) {
        r->bytes = number(k, line);
    }
    echo(k, line);
}

/** Is this the buffer of the fault, or the next one on a side of it? */
static void near_fault(struct lull_crash *k)
{
    struct lull_crash_seen *s = &k->seen;
    if (!k->has_fault) {
        return;
    }
    if (k->fault >= k->iova && k->fault - k->iova < k->size) {
        s->has_inside = true;
        s->inside.iova = k->iova;
        s->inside.size = k->size;
    } else if (k->iova > k->fault && (!s->has_above || k->iova < s->above.iova)) {
        s->has_above = true;
        s->above.iova = k->iova;
        s->above.size = k->size;
    } else if (k->iova <= k->fault && (!s->has_below || k->iova > s->below.iova)) {
        s->has_below = true;
        s->below.iova = k->iova;
        s->below.size = k->size;
    }
}

static void store_bo(struct lull_crash *k)
{
    struct lull_store_bo *b = k->store != NULL ? lull_store_add_bo(k->store) : NULL;
    if (b != NULL) {
        b->iova = k->iova;
        b->size = k->size;
    }
}

static void store_bo_data(struct lull_crash *k)
{
    struct lull_store_bo *b = k->store != NULL ? lull_store_bo(k->store) : NULL;
    if (b != NULL) {
        b->has_data = true;
    }
}

/** The words of a block; the store frees them. */
static void store_words(struct lull_crash *k, uint32_t *words, uint64_t n)
{
    struct lull_store_block *b = k->store != NULL ? lull_store_block(k->store) : NULL;
    if (b == NULL || b->words != NULL || strcmp(b->section, k->section) != 0) {
        free(words);
        return;
    }
    b->words = words;
    b->n = n;
    k->held += n * 4;
}

static void bo(struct lull_crash *k, const struct lull_devcore_line *line)
{
    if (line->kind == LULL_DEVCORE_DATA) {
        uint32_t *words = load(k, line, k->size / 4);
        if (words != NULL) {
            keep(k, k->iova, k->size, words);
            store_bo_data(k);
            if (k->o.verbose) {
                lull_crash_hex(k, words, k->size / 4, 1);
            }
        }
        free(words);
    } else if (is(line, "iova")) {
        k->iova = number(k, line);
    } else if (is(line, "size")) {
        k->size = number(k, line);
        near_fault(k);
        store_bo(k);
        const uint64_t distance = k->fault - k->iova;
        const bool after = k->has_fault && k->fault >= k->iova;
        lull_cff_say(k->cff, 1, "  - iova: 0x%016" PRIx64 "-0x%016" PRIx64 "%s\n", k->iova,
                     k->iova + k->size,
                     after && distance < k->size          ? "\t=="
                     : after && distance / NEAR < k->size ? "\t>="
                                                          : "");
        lull_cff_say(k->cff, 1, "    size: %" PRIu64 " (0x%" PRIx64 ")\n", k->size, k->size);
    } else {
        struct lull_store_bo *b = k->store != NULL ? lull_store_bo(k->store) : NULL;
        if (b != NULL && is(line, "name")) {
            lull_store_text(b->name, sizeof b->name, line->value);
        }
        echo(k, line);
    }
}

/** Registers begin, or those of another context. */
static void store_head(struct lull_crash *k, const struct lull_devcore_line *line)
{
    const bool cluster = strcmp(k->section, "clusters") == 0;
    if (k->store == NULL) {
        return;
    }
    struct lull_store_block *b = lull_store_block(k->store);
    const bool fresh = b != NULL && strcmp(b->section, k->section) == 0;
    if (!fresh || (cluster && line->kind == LULL_DEVCORE_KEY &&
                   (b->nregs != 0 || is(line, "cluster-name")))) {
        const struct lull_store_block old = fresh ? *b : (struct lull_store_block){0};
        b = lull_store_add_block(k->store, cluster ? LULL_STORE_CLUSTER : LULL_STORE_REGISTERS,
                                 k->section);
        if (b != NULL && !is(line, "cluster-name")) {
            memcpy(b->name, old.name, sizeof b->name);
            memcpy(b->pipe, old.pipe, sizeof b->pipe);
        }
    }
    if (b == NULL || line->kind != LULL_DEVCORE_KEY) {
        return;
    }
    if (is(line, "cluster-name")) {
        lull_store_text(b->name, sizeof b->name, line->value);
    } else if (is(line, "context")) {
        lull_store_text(b->context, sizeof b->context, line->value);
    } else if (is(line, "pipe")) {
        lull_store_text(b->pipe, sizeof b->pipe, line->value);
    }
}

static void registers(struct lull_crash *k, const struct lull_devcore_line *line)
{
    const bool gmu = strcmp(k->section, "registers-gmu") == 0;
    // Before a6xx there is no database of the GMU, and Mesa takes the GPU's.
    const struct lull_dom_index *ix = gmu && k->gmu != NULL ? k->gmu : k->cff->index;
    const uint32_t reg = line->offset / REGISTER_BYTES;
    store_head(k, line);
    if (k->store != NULL && line->kind == LULL_DEVCORE_REGISTER) {
        lull_store_add_reg(k->store, reg, line->content);
    }
    if (line->kind != LULL_DEVCORE_REGISTER || ix == NULL) {
        if (strcmp(k->section, "clusters") != 0) {
            lull_crash_damage(k, ix == NULL ? "registers of an unknown GPU" : "no register");
        } else if (!is(line, "cluster-name") && !is(line, "context") && !is(line, "pipe")) {
            lull_crash_damage(k, "no register");
        }
        echo(k, line);
        return;
    }
    if (strcmp(k->section, "registers") == 0 && reg < LULL_CFF_REGS) {
        lull_cff_set(k->cff, reg, line->content);
    }
    lull_crash_register(k, ix, reg, line->content);
}

/** Old kernels misspelt two. */
static const char *right_name(const char *name)
{
    static const struct {
        const char *old, *name;
    } renamed[] = {{"CP_MEMPOOOL", "CP_MEMPOOL"}, {"CP_SEQ_STAT", "CP_SQE_STAT"}};
    for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++) {
        if (strcmp(name, renamed[i].old) == 0) {
            return renamed[i].name;
        }
    }
    return name;
}

/** A line of a block: a new one, or what is known of it. */
static void store_key(struct lull_crash *k, const struct lull_devcore_line *line)
{
    const enum lull_store_kind kind = strcmp(k->section, "debugbus") == 0 ? LULL_STORE_DEBUGBUS
                                      : strcmp(k->section, "shader-blocks") == 0
                                          ? LULL_STORE_SHADER
                                          : LULL_STORE_INDEXED;
    const bool named = is(line, "regs-name") || is(line, "type") || is(line, "debugbus-block");
    const bool other = is(line, "bank") || is(line, "location") || is(line, "pipe");
    struct lull_store_block *b = k->store != NULL ? lull_store_block(k->store) : NULL;
    const bool mine = b != NULL && strcmp(b->section, k->section) == 0;
    if (k->store == NULL) {
        return;
    }
    if (named || (other && mine && (b->n != 0 || b->words != NULL))) { // another one of that name
        const struct lull_store_block old = mine ? *b : (struct lull_store_block){0};
        b = lull_store_add_block(k->store, kind, k->section);
        if (b != NULL) {
            lull_store_text(b->name, sizeof b->name, named ? right_name(line->value) : old.name);
        }
        if (b != NULL && !named) {
            memcpy(b->pipe, old.pipe, sizeof b->pipe);
            memcpy(b->at, old.at, sizeof b->at);
        }
    }
    if (b == NULL || strcmp(b->section, k->section) != 0) {
        return;
    }
    if (is(line, "bank")) {
        lull_store_text(b->bank, sizeof b->bank, line->value);
    } else if (is(line, "location")) {
        lull_store_text(b->at, sizeof b->at, line->value);
    } else if (is(line, "pipe")) {
        lull_store_text(b->pipe, sizeof b->pipe, line->value);
    } else if (b->words == NULL && (is(line, "dwords") || is(line, "size") || is(line, "count"))) {
        b->n = number(k, line); // a size after the data is of nothing
    }
}

/** Sections of blocks: a name, a number of dwords, data. */
static void blocks(struct lull_crash *k, const struct lull_devcore_line *line)
{
    if (line->kind == LULL_DEVCORE_DATA) {
        uint32_t *words = load(k, line, k->size);
        if (words != NULL && strcmp(k->section, "indexed-registers") == 0) {
            lull_crash_indexed(k, words, k->size);
        } else if (words != NULL && strcmp(k->section, "shader-blocks") == 0) {
            lull_crash_shader_block(k, words, k->size);
        } else if (words != NULL && k->o.verbose) {
            lull_crash_hex(k, words, k->size, 1);
        }
        store_words(k, words, k->size);
        return;
    }
    store_key(k, line);
    if (is(line, "regs-name") || is(line, "type") || is(line, "debugbus-block")) {
        const char *name = right_name(line->value);
        (void)snprintf(k->name, sizeof k->name, "%.*s", LULL_CRASH_NAME - 1, name);
        if (name != line->value) {
            lull_cff_say(k->cff, 1, "  - %s: %s\n", line->key, name);
            return;
        }
    } else if (is(line, "dwords") || is(line, "size") || is(line, "count")) {
        k->size = number(k, line);
    }
    echo(k, line);
}

/** Memory of the power controller. */
static void gmu(struct lull_crash *k, const struct lull_devcore_line *line)
{
    const bool hfi = strcmp(k->section, "gmu-hfi") == 0;
    if (line->kind == LULL_DEVCORE_DATA) {
        uint32_t *words = load(k, line, k->size / 4);
        if (words != NULL && hfi) {
            lull_crash_hfi(k, words, k->size / 4);
        } else if (words != NULL) {
            lull_crash_hex(k, words, k->size / 4, 1);
        }
        store_words(k, words, k->size / 4);
        return;
    }
    if (is(line, "size")) {
        k->size = number(k, line);
    } else if (is(line, "iova")) {
        k->iova = number(k, line);
        struct lull_store_block *b =
            k->store != NULL ? lull_store_add_block(k->store, LULL_STORE_GMU, k->section) : NULL;
        if (b != NULL) {
            b->iova = k->iova;
        }
    } else if (hfi) {
        lull_crash_hfi_history(k, line);
    }
    echo(k, line);
}

/** The style of crashdec shows them as they are. */
static void registers_hlsq(struct lull_crash *k, const struct lull_devcore_line *line)
{
    if (k->store != NULL) {
        registers(k, line);
    } else {
        echo(k, line);
    }
}

/** The style of crashdec shows it as it is. */
static void gmu_debug(struct lull_crash *k, const struct lull_devcore_line *line)
{
    if (k->store != NULL) {
        gmu(k, line);
    } else {
        echo(k, line);
    }
}

LULL_MUST_USE static struct lull_error *index_of(unsigned gen, unsigned domain, uint32_t size,
                                                 struct lull_dom_index **ret)
{
    const struct lull_dom *dom = &lull_dom_adreno.domains[domain];
    lull_dom_index_free(*ret);
    *ret = NULL;
    return lull_dom_index_new(&lull_dom_adreno, gen, &dom, 1, size, ret);
}

/** "630 (6.3.0.2)": number, and the four parts of the chip's id. */
LULL_MUST_USE static struct lull_error *revision(struct lull_crash *k,
                                                 const struct lull_devcore_line *line)
{
    uint64_t chip = 0;
    const char *at = strchr(line->value, '(');
    for (unsigned i = 0; i < 4; i++) {
        uint64_t part = 0;
        if (at == NULL || !lull_devcore_number(at + 1, &part) || part > 0xff) {
            lull_crash_damage(k, "'%s' is not a revision", line->value);
            return NULL;
        }
        chip = chip << 8 | part;
        at = strchr(at + 1, '.');
    }
    (void)lull_devcore_number(line->value, &k->gpu_id);
    k->chip_id = chip;
    const unsigned gen = lull_adreno_gen(chip);
    struct lull_error *err = lull_cff_set_gpu(k->cff, gen);
    if (err != NULL || k->cff->gen != gen) {
        lull_crash_damage(k, "nothing is known of chip 0x%" PRIx64, chip);
        return err;
    }
    lull_cff_say(k->cff, 1, "Got chip_id=0x%" PRIx64 "\n", chip);
    if (gen >= 6) {
        err = index_of(gen, LULL_ADRENO_DOM_GMU, LULL_CFF_REGS, &k->gmu);
        err = err != NULL ? err
                          : index_of(gen,
                                     gen == 6 ? LULL_ADRENO_DOM_A6XX_PIPE_REG
                                              : LULL_ADRENO_DOM_A7XX_PIPE_REG,
                                     PIPE_REGS, &k->pipe);
    }
    if (err == NULL && gen >= 5) {
        err = index_of(gen,
                       gen == 5   ? LULL_ADRENO_DOM_A5XX_CONTROL_REG
                       : gen == 6 ? LULL_ADRENO_DOM_A6XX_CONTROL_REG
                                  : LULL_ADRENO_DOM_A7XX_CONTROL_REG,
                       CONTROL_REGS, &k->control);
    }
    return err;
}

static void end_of_section(struct lull_crash *k)
{
    if (strcmp(k->section, "registers") == 0 && k->cff->index != NULL) {
        lull_crash_commands(k);
    }
    k->half = (struct lull_crash_half){0};
    k->section[0] = '\0';
    k->iova = k->size = 0;
}

/** Keep what the page shows, without characters that do something to a terminal. */
static void margin(struct lull_crash *k, const struct lull_devcore_line *line)
{
    for (size_t i = 0; i < LULL_CRASH_TEXTS; i++) {
        if (is(line, lull_crash_texts[i])) {
            lull_store_text(k->seen.texts[i], LULL_CRASH_TEXT, line->value);
        }
    }
    uint64_t status = 0;
    if (is(line, "rbbm-status") && lull_devcore_number(line->value, &status)) {
        k->seen.has_header_status = true;
        k->seen.header_status = (uint32_t)status;
    }
}

LULL_MUST_USE static struct lull_error *take(struct lull_crash *k,
                                             const struct lull_devcore_line *line)
{
    static const struct {
        const char *section;
        void (*take)(struct lull_crash *k, const struct lull_devcore_line *line);
    } sections[] = {
        {"fault-info", fault_info},
        {"ringbuffer", ringbuffer},
        {"bos", bo},
        {"gmu-log", gmu},
        {"gmu-hfi", gmu},
        {"gmu-debug", gmu_debug},
        {"registers-hlsq", registers_hlsq},
        {"registers", registers},
        {"registers-gmu", registers},
        {"clusters", registers},
        {"indexed-registers", blocks},
        {"shader-blocks", blocks},
        {"debugbus", blocks},
    };
    k->line = line->number;
    if (line->cut) {
        lull_crash_damage(k, "the dump ends within this line");
    } else if (line->overlong) {
        lull_crash_damage(k, "this line is too long, %zu bytes of it are taken", line->size);
    }
    if (line->kind == LULL_DEVCORE_HEAD) {
        end_of_section(k);
        echo(k, line);
        (void)snprintf(k->section, sizeof k->section, "%s", line->key);
        margin(k, line);
        return is(line, "revision") ? revision(k, line) : NULL;
    }
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        if (strcmp(k->section, sections[i].section) == 0) {
            sections[i].take(k, line);
            return NULL;
        }
    }
    echo(k, line);
    return NULL;
}

void lull_crash_done(struct lull_crash *k)
{
    for (size_t i = 0; i < LULL_CRASH_RINGS; i++) {
        free(k->rings[i].words);
    }
    free(k->words);
    lull_dom_index_free(k->gmu);
    lull_dom_index_free(k->control);
    lull_dom_index_free(k->pipe);
    lull_cff_free(k->cff);
    lull_error_free(k->damage);
}

/** A line may take a quarter of the memory: its text, and what it stands for. */
static size_t line_limit(const struct lull_crash *k)
{
    return k->o.most_memory != 0 && k->o.most_memory / 4 < LULL_DEVCORE_LIMIT
               ? (size_t)(k->o.most_memory / 4) + 1
               : LULL_DEVCORE_LIMIT;
}

struct lull_error *lull_crash_walk(struct lull_crash *k, struct lull_stream *s, FILE *out)
{
    const struct lull_cff_options options = {.summary = k->o.summary,
                                             .all_registers = k->o.all_registers,
                                             .markers = k->o.markers,
                                             .color = k->o.color,
                                             .no_statistics = true,
                                             .last = -1};
    struct lull_devcore *d = NULL;
    memset(k->history, 0xff, sizeof k->history);
    struct lull_error *err = lull_devcore_new(s, line_limit(k), &d);
    err = err != NULL ? err : lull_cff_new(&options, out, k->log, &k->cff);
    if (err == NULL) {
        k->cff->dom.like_mesa = k->like_mesa;
    }
    const uint64_t most = k->o.most_bytes != 0 ? k->o.most_bytes : MOST_BYTES;
    uint64_t bytes = 0;
    bool more = true, cut = false;
    while (err == NULL && more) {
        struct lull_devcore_line line = {0};
        err = lull_devcore_next(d, &line, &more);
        if (err != NULL && lull_error_code(err) == LULL_ERR_BAD_DATA) {
            // Its packing is damaged: what came before that is still worth something.
            more = false;
            const bool better = k->damage == NULL || cut;
            lull_error_free(better ? k->damage : err);
            k->damage = better ? err : k->damage;
            err = NULL;
        }
        cut = more ? line.cut && k->damage == NULL : cut;
        bytes += line.size;
        if (err == NULL && more && bytes > most) {
            lull_crash_damage(k, "more than %" PRIu64 " bytes of dump, the rest is left out", most);
            more = false;
        } else if (err == NULL && more && line.number > MOST_LINES) {
            lull_crash_damage(k, "more than %d lines, the rest is left out", MOST_LINES);
            more = false;
        }
        if (err == NULL && more) {
            err = take(k, &line);
        }
        if (err == NULL) {
            err = k->cff->err;
            k->cff->err = NULL;
        }
    }
    if (err == NULL && !k->like_mesa) { // Mesa stops where the dump does
        end_of_section(k);
    }
    lull_devcore_free(d);
    return err;
}

struct lull_error *lull_crash_decode(struct lull_stream *s, const struct lull_crash_options *o,
                                     FILE *out, FILE *log)
{
    struct lull_crash k = {.o = *o, .log = log, .like_mesa = true};
    struct lull_error *err = lull_crash_walk(&k, s, out);
    if (err == NULL) {
        err = lull_error_damaged(k.damage, k.line != 0);
        k.damage = NULL;
    }
    lull_crash_done(&k);
    return err;
}
