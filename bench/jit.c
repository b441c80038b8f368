// SPDX-License-Identifier: MIT
// What compiling costs: jit CODE.bin LANES compiles raw code, which ends with s_endpgm, again and
// again, without decoding it. Prints instructions compiled at once, those among them that are in
// vector code, and nanoseconds of CPU time for each instruction, the least of several rounds.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "jit/jit.h"
#include "jit/vector.h"
#include "model/amd/exec/code.h"
#include "model/bare.h"

enum { ROUNDS = 15, TIMES = 40, NS = 1000000000 };

static double now(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / (double)NS;
}

/** Instructions from the start of the page to s_endpgm, decoded; @p vectors: those that vector code
 * can be made of. */
static unsigned decode(struct bare *b, struct lull_code_page *p, const struct lull_jit_target *t,
                       unsigned *vectors)
{
    unsigned n = 0, i = 0;
    while (i < LULL_CODE_DWORDS && lull_code_make(&b->w, p, i) == LULL_CODE_OK &&
           p->insn[i].op != LULL_RDNA_OP_S_ENDPGM) {
        struct lull_jit_vector v[LULL_JIT_MAX_VECTORS];
        *vectors += lull_jit_vectors(t, &p->uop[i], 0, v) != 0;
        i += p->uop[i].ndwords;
        n++;
    }
    return n;
}

/** Seconds for one time, of TIMES in a new code cache of the engine. */
static double once(const struct lull_engine *e, struct bare *b, struct lull_code_page *p)
{
    void *state = e->start(e);
    e->compile(state, &b->w, p, 0); // Memory is taken and touched.
    const double start = now();
    for (unsigned i = 0; i < TIMES; i++) {
        e->compile(state, &b->w, p, 0);
    }
    const double took = now() - start;
    e->end(state);
    return took / TIMES;
}

int main(int argc, char **argv)
{
    const struct lull_engine *engine = NULL;
    struct lull_error *err = argc == 3 ? lull_jit_engine(getenv("LULL_JIT"), &engine) : NULL;
    FILE *f = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (engine == NULL || f == NULL) {
        fprintf(stderr, "usage: jit CODE.bin LANES, on a machine that the compiler knows\n");
        lull_error_free(err);
        return 2;
    }
    struct bare *b = bare_new((uint32_t)strtoul(argv[2], NULL, 10) == 64 ? 64 : 32);
    const size_t size = fread(b->code, 1, sizeof b->code, f);
    fclose(f);
    unsigned vectors = 0;
    struct lull_code_page *p = size != 0 ? lull_code_page(&b->w, BARE_CODE) : NULL;
    const unsigned n = p != NULL ? decode(b, p, engine->host, &vectors) : 0;
    double best = 1;
    for (unsigned i = 0; i < ROUNDS && n != 0; i++) {
        const double took = once(engine, b, p);
        best = took < best ? took : best;
    }
    printf("%u %u %.1f\n", n, vectors, n != 0 ? best * (double)NS / n : 0);
    bare_free(b);
    return n != 0 ? 0 : 1;
}
