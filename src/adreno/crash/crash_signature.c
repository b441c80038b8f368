// SPDX-License-Identifier: MIT
// A crash dump in one line, and in a few facts, for those who look at many.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/crash/crash_page.h"

enum { REVISION = 4, SIGNATURE_STEPS = 3 };
enum { TYPE, DIR, SOURCE };

const char *const lull_crash_fact_names[LULL_CRASH_NFACTS] = {
    "signature", "gpu",   "kernel",   "time", "process", "command", "busy",
    "fault",     "waits", "location", "sure", "before",  "draw",    "shaders"};

/** No address and no time is in it, so that the same crash gives the same line. */
void lull_page_signature(const struct lull_page *p, struct lull_str *out)
{
    const struct lull_crash_seen *s = &p->k->seen;
    const char *revision = s->texts[REVISION];
    // Newer chips have no number, "0 (67.5.10.1)"; what tells them apart is the chip's id.
    const char *chip = strchr(revision, '(');
    const bool numbered = strncmp(revision, "0 ", 2) != 0 || chip == NULL;
    const char *name = numbered ? revision : chip + 1;
    lull_str_addf(out, "adreno %.*s; ", (int)strcspn(name, numbered ? " " : ")"), name);
    if (!p->k->has_fault) {
        lull_str_addf(out, "hang; busy ");
    } else {
        lull_str_addf(out, "fault %s", s->has_inside ? "in a buffer" : "outside");
        for (size_t i = TYPE; i <= SOURCE; i++) {
            lull_str_addf(out, "%s%s", s->fault[i][0] != '\0' ? " " : "", s->fault[i]);
        }
        lull_str_addf(out, "; busy ");
    }
    if (lull_page_units(p->k, ",", NULL, out) == 0) {
        lull_str_addf(out, "-");
    }
    if (!s->place.marked) {
        lull_str_addf(out, "; at ?");
        return;
    }
    // The packet behind the culprit depends on how far the CP had read.
    const struct lull_crash_step *before[LULL_CRASH_STEPS], *in = lull_page_culprit(p);
    const unsigned most = lull_page_before(p, LULL_CRASH_STEPS, before);
    const char *between = " ";
    lull_str_addf(out, p->m->has_in ? "; in IB%u" : "; after IB%u", in->ib);
    if (p->m->has_in) {
        lull_str_addf(out, " ");
        lull_page_packet(p->k, in->header, out);
        between = " < ";
    }
    unsigned n = 0;
    for (unsigned i = 0; i < most && n < SIGNATURE_STEPS; i++) {
        // Groups of state are loaded within a draw: only what stands beside the place counts.
        if (before[i]->ib == in->ib) {
            lull_str_addf(out, "%s", between);
            lull_page_packet(p->k, before[i]->header, out);
            between = " < ";
            n++;
        }
    }
    lull_str_addf(out, n == 0 && !p->m->has_in ? " -" : "");
    if (p->m->draw.header != 0) {
        lull_str_addf(out, "; draw ");
        lull_page_packet(p->k, p->m->draw.header, out);
    }
}

static void fault_fact(const struct lull_page *p, struct lull_str *out)
{
    const struct lull_crash_seen *s = &p->k->seen;
    if (!p->k->has_fault) {
        return;
    }
    lull_str_addf(out, "0x%" PRIx64 " %s", p->k->fault,
                  s->has_inside ? "in a buffer" : "in no buffer of the dump");
    for (size_t i = TYPE; i <= SOURCE; i++) {
        lull_str_addf(out, "%s%s", s->fault[i][0] != '\0' ? " " : "", s->fault[i]);
    }
}

static void place_fact(const struct lull_page *p, const struct lull_crash_step *s,
                       struct lull_str *out)
{
    lull_str_addf(out, s->ib == 0 ? "ring" : "IB%u", s->ib);
    lull_str_addf(out, s->ib == 0 ? " " : " 0x%" PRIx64 " ", s->address);
    lull_page_packet(p->k, s->header, out);
}

static void before_fact(const struct lull_page *p, struct lull_str *out)
{
    const struct lull_crash_step *before[LULL_PAGE_BEFORE];
    for (unsigned n = lull_page_before(p, LULL_PAGE_BEFORE, before); n-- > 0;) {
        lull_str_addf(out, "%s", out->size != 0 ? "; " : "");
        place_fact(p, before[n], out);
    }
}

static void shaders_fact(const struct lull_page *p, struct lull_str *out)
{
    for (size_t i = 0; i < LULL_CRASH_PROGRAMS; i++) {
        uint64_t hash = 0;
        if (p->m->programs[i].address != 0) {
            const bool known = lull_page_hash(p->k, &p->m->programs[i], &hash);
            lull_str_addf(out, "%s%s ", out->size != 0 ? ", " : "", lull_page_stages[i]);
            lull_str_addf(out, known ? "%016" PRIx64 : "-", hash);
        }
    }
}

LULL_MUST_USE static struct lull_error *take_facts(struct lull_page *p, void *ctx)
{
    char **facts = ctx;
    const struct lull_crash_seen *s = &p->k->seen;
    struct lull_str texts[LULL_CRASH_NFACTS] = {0};
    // As lull_crash_texts: kernel, time, comm, cmdline, revision.
    static const enum lull_crash_fact heads[] = {
        LULL_CRASH_KERNEL, LULL_CRASH_TIME, LULL_CRASH_PROCESS, LULL_CRASH_COMMAND, LULL_CRASH_GPU};
    struct lull_error *err = NULL;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        lull_str_addf(&texts[heads[i]], "%s", s->texts[i]);
    }
    if (s->texts[REVISION][0] != '\0') {
        lull_page_signature(p, &texts[LULL_CRASH_FACT_SIGNATURE]);
    }
    (void)lull_page_units(p->k, " ", NULL, &texts[LULL_CRASH_BUSY]);
    fault_fact(p, &texts[LULL_CRASH_FAULTED]);
    if (p->k->cff->index != NULL) {
        lull_page_waits(p, &texts[LULL_CRASH_WAITS]);
        before_fact(p, &texts[LULL_CRASH_BEFORE]);
        shaders_fact(p, &texts[LULL_CRASH_SHADERS]);
    }
    if (s->place.marked) {
        place_fact(p, lull_page_culprit(p), &texts[LULL_CRASH_LOCATION]);
    }
    lull_str_addf(&texts[LULL_CRASH_SURE], "%s", lull_page_sure(p));
    if (p->m->draw.header != 0) {
        place_fact(p, &p->m->draw, &texts[LULL_CRASH_DRAW]);
    }
    for (size_t i = 0; i < LULL_CRASH_NFACTS; i++) {
        lull_str_addf(&texts[i], "%s", ""); // not NULL
        err = texts[i].err != NULL ? &lull_enomem : err;
        facts[i] = texts[i].text;
    }
    return err;
}

struct lull_error *lull_crash_facts(struct lull_stream *s, uint64_t most_memory,
                                    uint64_t most_bytes, char *facts[LULL_CRASH_NFACTS])
{
    const struct lull_crash_look look = {
        .style = LULL_CRASH_SIGNATURE, .most_memory = most_memory, .most_bytes = most_bytes};
    struct lull_str none = {0};
    for (size_t i = 0; i < LULL_CRASH_NFACTS; i++) {
        facts[i] = NULL;
    }
    return lull_page_run(s, &look, &none, take_facts, facts);
}

void lull_crash_facts_free(char *facts[LULL_CRASH_NFACTS])
{
    for (size_t i = 0; i < LULL_CRASH_NFACTS; i++) {
        free(facts[i]);
        facts[i] = NULL;
    }
}
