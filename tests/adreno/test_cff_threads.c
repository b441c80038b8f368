// SPDX-License-Identifier: MIT
// Captures of two generations decoded at once, each in its thread: the same text as one by one.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/cffdump/cff.h"
#include "adreno/file/rd.h"
#include "hw/rd_regs.h"
#include "rd_section.h"
#include "test.h"

enum { BASE = 0x10000, WORDS = 4096, TIMES = 4, THREADS = 4 };

struct job {
    char *data, *text; ///< text: of the last run in its thread.
    size_t size;
    pthread_t thread;
    bool started, steady;
};

/** A capture of random words with a packet of one register (by hand: 0x8004) here and there. */
static void capture(struct job *j, uint32_t gpu, uint32_t seed)
{
    static uint32_t words[WORDS];
    for (uint32_t i = 0; i < WORDS; i++) {
        seed = seed * 1664525 + 1013904223;                                 // Knuth's
        words[i] = gpu < 500    ? i % 2 != 0 ? seed : 0x2000 + (seed >> 20) // type 0, one dword
                   : i % 2 != 0 ? seed
                                : 0x48800401;
    }
    const uint32_t range[] = {BASE, sizeof words, 0}, stream[] = {BASE, WORDS, 0};
    FILE *f = open_memstream(&j->data, &j->size);
    section(f, LULL_RD_GPU_ID, &gpu, sizeof gpu);
    section(f, LULL_RD_CMD, "test/1\0", 8);
    section(f, LULL_RD_GPUADDR, range, sizeof range);
    section(f, LULL_RD_BUFFER_CONTENTS, words, sizeof words);
    section(f, LULL_RD_CMDSTREAM_ADDR, stream, sizeof stream);
    fclose(f);
}

static char *decode(const struct job *j)
{
    const struct lull_cff_options o = {.last = -1};
    struct lull_stream *s = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct lull_error *err = lull_stream_of(j->data, j->size, &s);
    err = err != NULL ? err : lull_cff_decode(s, &o, out, out);
    if (err != NULL) {
        fprintf(out, "%s", lull_error_message(err));
        lull_error_free(err);
    }
    lull_stream_free(s);
    fclose(out);
    return text;
}

static void *run(void *arg)
{
    struct job *j = arg;
    j->steady = true;
    for (int i = 0; i < TIMES; i++) {
        char *text = decode(j);
        j->steady = j->steady && (j->text == NULL || strcmp(j->text, text) == 0);
        free(j->text);
        j->text = text;
    }
    return NULL;
}

int main(void)
{
    static const uint32_t gpus[THREADS] = {320, 630, 740, 630};
    struct job jobs[THREADS] = {0};
    for (unsigned i = 0; i < THREADS; i++) {
        capture(&jobs[i], gpus[i], i + 1);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        jobs[i].started = pthread_create(&jobs[i].thread, NULL, run, &jobs[i]) == 0;
    }
    for (unsigned i = 0; i < THREADS; i++) {
        char name[64];
        if (jobs[i].started) {
            pthread_join(jobs[i].thread, NULL);
        }
        char *alone = decode(&jobs[i]);
        const char *text = jobs[i].text != NULL ? jobs[i].text : "";
        (void)snprintf(name, sizeof name, "a%u beside three others", gpus[i]);
        test_case(jobs[i].steady && strlen(alone) > WORDS && strcmp(alone, text) == 0, name,
                  "%zu and %zu bytes of text", strlen(alone), strlen(text));
        free(alone);
        free(jobs[i].text);
        free(jobs[i].data);
    }
    return test_end();
}
