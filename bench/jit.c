// SPDX-License-Identifier: MIT
// What compiling costs: jit CODE.bin LANES compiles raw code, all blocks of it, again and again,
// without decoding it. Prints its instructions, those among them that are in vector code, and
// nanoseconds of CPU time for each instruction, the least of several rounds.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "jit/jit.h"
#include "jit/vector.h"
#include "model/amd/exec/code.h"
#include "model/bare.h"

enum {
    ROUNDS = 25,
    TIMES = 20,
    NS = 1000000000,
    PAGES = BARE_CODE_BYTES / LULL_PAGE_SIZE,
    MOST_UNITS = 1024,
};

/** Code that is compiled: pages, and the dwords where units of it begin. */
struct code {
    struct bare *b;
    const struct lull_engine *engine;
    uint32_t ndwords;
    unsigned ninsns, nvectors, nunits;
    struct {
        struct lull_code_page *page;
        unsigned at;
    } unit[MOST_UNITS];
};

static double now(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / (double)NS;
}

/** Decode all, as far as it is instructions. */
static void decode(struct code *c)
{
    uint32_t at = 0;
    while (at < c->ndwords) {
        struct lull_code_page *p = lull_code_page(&c->b->w, BARE_CODE + 4 * (uint64_t)at);
        const unsigned i = at % LULL_CODE_DWORDS;
        if (p == NULL || lull_code_make(&c->b->w, p, i) != LULL_CODE_OK) {
            return;
        }
        struct lull_jit_vector v[LULL_JIT_MAX_VECTORS];
        c->nvectors += lull_jit_vectors(c->engine->host, &p->uop[i], 0, v) != 0;
        c->ninsns++;
        at += p->uop[i].ndwords;
    }
}

/** Compile what nothing before has compiled, instruction by instruction, and note where that was.
 */
static void find_units(struct code *c, void *state)
{
    uint32_t at = 0;
    while (at < c->ndwords && c->nunits < MOST_UNITS) {
        struct lull_code_page *p = lull_code_page(&c->b->w, BARE_CODE + 4 * (uint64_t)at);
        const unsigned i = at % LULL_CODE_DWORDS;
        if (p == NULL || !p->known[i]) {
            return;
        }
        struct lull_uop *u = &p->uop[i];
        if (u->compiled == NULL && u->heat != LULL_UOP_COLD) {
            c->engine->compile(state, &c->b->w, p, i);
            c->unit[c->nunits].page = p;
            c->unit[c->nunits++].at = i;
        }
        at += u->ndwords;
    }
}

/** Seconds for one time, of TIMES in a new code cache of the engine. */
static double once(struct code *c)
{
    void *state = c->engine->start(c->engine);
    lull_code_forget(c->b->w.code);
    c->nunits = 0;
    find_units(c, state); // Memory is taken and touched.
    const double start = now();
    for (unsigned i = 0; i < TIMES; i++) {
        for (unsigned k = 0; k < c->nunits; k++) {
            c->engine->compile(state, &c->b->w, c->unit[k].page, c->unit[k].at);
        }
    }
    const double took = now() - start;
    c->engine->end(state);
    return took / TIMES;
}

int main(int argc, char **argv)
{
    static struct code c;
    struct lull_error *err = argc == 3 ? lull_jit_engine(getenv("LULL_JIT"), &c.engine) : NULL;
    FILE *f = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (c.engine == NULL || f == NULL) {
        fprintf(stderr, "usage: jit CODE.bin LANES, on a machine that the compiler knows\n");
        lull_error_free(err);
        return 2;
    }
    c.b = bare_new((uint32_t)strtoul(argv[2], NULL, 10) == 64 ? 64 : 32);
    c.ndwords = (uint32_t)(fread(c.b->code, 1, sizeof c.b->code, f) / 4);
    fclose(f);
    decode(&c);
    double best = 1;
    for (unsigned i = 0; i < ROUNDS && c.ninsns != 0; i++) {
        const double took = once(&c);
        best = took < best ? took : best;
    }
    printf("%u %u %.1f\n", c.ninsns, c.nvectors, c.ninsns != 0 ? best * (double)NS / c.ninsns : 0);
    bare_free(c.b);
    return c.ninsns != 0 ? 0 : 1;
}
