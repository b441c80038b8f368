// SPDX-License-Identifier: MIT
/* SPIR-V of a dispatch to code and what is known of it, by lull-cc. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "compile/llvm.h"
#include "compile/run.h"
#include "debug/source/priv.h"
#include "spirv/text.h"

const char lull_source_level[LULL_SOURCE_LEVELS] = {'0', '1', '2', '3', 'g'};

enum { MAX_SPECS = 64, MAX_ARGS = 24 + 2 * MAX_SPECS, PATH_ROOM = 4096 };

/** Command line of lull-cc. */
struct command {
    const char *argv[MAX_ARGS];
    unsigned n;
    char specs[MAX_SPECS][LULL_SOURCE_SPEC_ROOM];
    char level[4];
};

static void add(struct command *c, const char *word)
{
    c->argv[c->n++] = word;
}

LULL_MUST_USE static struct lull_error *add_specs(const struct lull_source_work *w,
                                                  struct command *c)
{
    unsigned n = 0;
    for (size_t i = 0; i < w->pipeline->nspecs; i++) {
        if (n == MAX_SPECS) {
            return lull_error_new(LULL_ERR_UNSUPPORTED, "more than %d specialization constants",
                                  MAX_SPECS);
        }
        if (lull_source_spec(w->names.spirv, &w->pipeline->specs[i], c->specs[n])) {
            add(c, "--spec");
            add(c, c->specs[n++]);
        }
    }
    return NULL;
}

/** What the compiler said, its first line. */
LULL_NEW_ERROR static struct lull_error *refused(const char *log)
{
    lull_cleanup(lull_freep) uint8_t *said = NULL;
    size_t size = 0;
    struct lull_error *err = lull_run_read(log, &said, &size);
    if (err != NULL) {
        return err;
    }
    const char *text = (const char *)said;
    const char *what = strstr(text, ".spv: ");
    what = what != NULL ? what + strlen(".spv: ") : text;
    return lull_error_new(LULL_ERR_UNSUPPORTED, "lull's compiler: %.*s", (int)strcspn(what, "\n"),
                          *what != '\0' ? what : "it said nothing");
}

/** All that decides what the code is. */
LULL_MUST_USE static struct lull_error *make_key(const struct lull_source_work *w,
                                                 const struct command *c, char **ret)
{
    lull_cleanup(lull_str_free) struct lull_str key = {0};
    lull_str_addf(&key, "%s %u %s", w->pipeline->shader->hash, w->lanes, w->pipeline->entry);
    for (unsigned i = 0; i < c->n; i++) {
        lull_str_addf(&key, " %s", c->argv[i]);
    }
    lull_str_addf(&key, " %s", lull_str_text(&w->json));
    if (key.err != NULL) {
        return key.err;
    }
    *ret = strdup(lull_str_text(&key));
    return *ret != NULL ? NULL : &lull_enomem;
}

/** The module @p m with the lines of its text to file @p out; the text stands beside the module
 * that the names layer saved, as long as that does. */
LULL_MUST_USE static struct lull_error *write_lines(const struct lull_spv *m, const char *module,
                                                    const char *out, char **ret)
{
    lull_cleanup(lull_str_free) struct lull_str path = {0};
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    lull_cleanup(lull_freep) uint32_t *words = NULL;
    size_t n = 0;
    const size_t size = strlen(module);
    const bool ends = size > 4 && strcmp(module + size - 4, ".spv") == 0;
    lull_str_addf(&path, "%.*s.spvasm", (int)(ends ? size - 4 : size), module);
    struct lull_error *err = path.err;
    err = err != NULL ? err : lull_spv_text(m, path.text, &text, &words, &n);
    err = err != NULL ? err : lull_run_write(out, words, n * sizeof *words);
    if (err == NULL && access(path.text, F_OK) != 0) {
        err = lull_run_write(path.text, text.text, text.size);
    }
    if (err == NULL) {
        *ret = strdup(path.text);
        err = *ret == NULL ? &lull_enomem : NULL;
    }
    return err;
}

/** What is compiled: the module, or @p lined, which is made if the module has no lines. */
LULL_MUST_USE static struct lull_error *with_lines(const char *module, const char *lined,
                                                   const char **ret, char **ret_text)
{
    lull_cleanup(lull_freep) uint8_t *bytes = NULL;
    struct lull_spv m = {0};
    size_t size = 0;
    *ret = module;
    struct lull_error *err = lull_run_read(module, &bytes, &size);
    if (err != NULL) {
        return err;
    }
    err = lull_spv_read(bytes, size, &m);
    if (err != NULL) { // The compiler says it better.
        lull_error_free(err);
        return NULL;
    }
    if (!lull_spv_has_lines(&m)) {
        err = write_lines(&m, module, lined, ret_text);
        *ret = err == NULL ? lined : module;
    }
    lull_spv_done(&m);
    return err;
}

/** Run it in @p dir. */
LULL_MUST_USE static struct lull_error *run(const struct lull_source_work *w, struct command *c,
                                            const char *dir, uint8_t **ret, size_t *ret_size,
                                            char **ret_text)
{
    const char *module = NULL;
    char lined[PATH_ROOM] = "";
    char layout[PATH_ROOM] = "", out[PATH_ROOM] = "", log[PATH_ROOM] = "";
    snprintf(layout, sizeof layout, "%s/layout.json", dir);
    snprintf(out, sizeof out, "%s/out.elf", dir);
    snprintf(log, sizeof log, "%s/log", dir);
    add(c, "--layout");
    add(c, layout);
    add(c, "-o");
    add(c, out);
    snprintf(lined, sizeof lined, "%s/lined.spv", dir);
    int status = 0;
    struct lull_error *err = with_lines(w->pipeline->shader->file, lined, &module, ret_text);
    add(c, module);
    err = err != NULL
              ? err
              : lull_run_write(layout, lull_str_text(&w->json), strlen(lull_str_text(&w->json)));
    err = err != NULL ? err : lull_run_program(c->argv, dir, log, &status);
    if (err == NULL && status != 0) {
        return refused(log);
    }
    return err != NULL ? err : lull_run_read(out, ret, ret_size);
}

/** What the object says. */
LULL_MUST_USE static struct lull_error *read_code(const struct lull_source_work *w,
                                                  const uint8_t *bytes, size_t size,
                                                  struct lull_source_code *ret)
{
    const char *json = lull_str_text(&w->json);
    struct lull_error *err = lull_layout_read(json, strlen(json), &ret->layout);
    err = err != NULL ? err : lull_pal_parse(bytes, size, &ret->pal);
    const struct lull_pal_compute *c = err == NULL ? lull_pal_compute(ret->pal) : NULL;
    if (err == NULL && (c == NULL || c->wave32 != (w->lanes == 32))) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "the code is not for waves of %u", w->lanes);
    }
    return err != NULL ? err : lull_pal_image(ret->pal, w->pipeline->entry, &ret->image);
}

struct lull_error *lull_source_compile(const struct lull_source_work *w, unsigned level,
                                       struct lull_source_code *ret)
{
    lull_cleanup(lull_freep) struct command *c = calloc(1, sizeof *c);
    lull_cleanup(lull_freep) char *program = NULL;
    lull_cleanup(lull_freep) uint8_t *bytes = NULL;
    char *dir = NULL;
    size_t size = 0;
    if (c == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = lull_llvm_find(&program);
    snprintf(c->level, sizeof c->level, "-O%c", lull_source_level[level]);
    add(c, program);
    add(c, c->level);
    add(c, "-g");
    add(c, w->lanes == 64 ? "-mattr=+wavefrontsize64" : "-mattr=+wavefrontsize32");
    add(c, "--entry");
    add(c, w->pipeline->entry);
    err = err != NULL ? err : add_specs(w, c);
    err = err != NULL ? err : make_key(w, c, &ret->key);
    err = err != NULL ? err : lull_run_make_dir(&dir);
    err = err != NULL ? err : run(w, c, dir, &bytes, &size, &ret->text);
    err = err != NULL ? err : read_code(w, bytes, size, ret);
    if (dir != NULL) {
        lull_run_remove_dir(dir);
        free(dir);
    }
    return err;
}

void lull_source_code_done(struct lull_source_code *c)
{
    lull_image_free(c->image);
    lull_pal_free(c->pal);
    lull_layout_done(&c->layout);
    free(c->key);
    free(c->text);
    *c = (struct lull_source_code){0};
}
