// SPDX-License-Identifier: MIT
// What --check has put into the program's shaders.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer/lines/lines.h"
#include "spirv/marks.h"

enum { PATH_ROOM = 4096, FILE_MODE = 0666 };

/** Places with an index that modules of this process have so far. */
static struct {
    pthread_mutex_t lock;
    pid_t process;
    uint32_t n;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

unsigned lull_ll_marks(void)
{
    const char *what = getenv("LULL_MARKS");
    return what == NULL ? 0
                        : (strstr(what, "divisions") != NULL ? LULL_SPV_MARK_DIVISIONS : 0U) |
                              (strstr(what, "indices") != NULL ? LULL_SPV_MARK_INDICES : 0U);
}

/** Without what would end a field. */
static void add_field(struct lull_str *to, const char *text)
{
    for (; *text != '\0'; text++) {
        lull_str_addf(to, "%c", (unsigned char)*text < ' ' ? '?' : *text);
    }
}

static void on_site(void *arg, const struct lull_spv_mark_site *site)
{
    static const char *const kinds[] = {[LULL_SPV_MARK_ARRAY] = "array",
                                        [LULL_SPV_MARK_BUFFER] = "buffer",
                                        [LULL_SPV_MARK_VECTOR] = "vector",
                                        [LULL_SPV_MARK_MATRIX] = "matrix"};
    struct lull_str *to = arg;
    lull_str_addf(to, "%u\t%s\t%s\t", site->line, kinds[site->of],
                  site->is_signed ? "int" : "uint");
    add_field(to, site->file != NULL ? site->file : "");
    lull_str_addf(to, "\t");
    add_field(to, site->name);
    lull_str_addf(to, "\n");
}

/** Append to the process's file. False: it cannot be. */
static bool save(pid_t process, const struct lull_str *sites)
{
    const char *dir = getenv("LULL_NAMES");
    char path[PATH_ROOM] = "";
    if (dir == NULL || sites->err != NULL ||
        (size_t)snprintf(path, sizeof path, "%s/%d.marks", dir, (int)process) >= sizeof path) {
        return false;
    }
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, FILE_MODE);
    bool good = fd >= 0;
    for (size_t at = 0; good && at < sites->size;) {
        const ssize_t n = write(fd, sites->text + at, sites->size - at);
        good = n > 0;
        at += good ? (size_t)n : 0;
    }
    if (fd >= 0) {
        close(fd);
    }
    return good;
}

/** With the lock held. */
LULL_MUST_USE static struct lull_error *mark(struct lull_spv_marks *how, const void *code,
                                             size_t bytes, uint32_t **words, size_t *n)
{
    struct lull_str sites = {0};
    if (all.process != getpid()) { // A child has what its parent had, and a file of its own.
        all.process = getpid();
        all.n = 0;
    }
    how->process = (uint32_t)all.process;
    how->first_site = all.n;
    how->site = on_site;
    how->arg = &sites;
    struct lull_error *err = lull_spv_mark(code, bytes, how, words, n);
    if (err == NULL && sites.size != 0 && !save(all.process, &sites)) {
        err = lull_error_new(LULL_ERR_OS, "its marks cannot be written down");
        free(*words);
        *words = NULL;
    }
    for (size_t i = 0; err == NULL && i < sites.size; i++) {
        all.n += sites.text[i] == '\n';
    }
    lull_error_free(sites.err);
    sites.err = NULL;
    lull_str_free(&sites);
    return err;
}

uint32_t *lull_ll_marked(const struct lull_ll_device *d, const void *code, size_t bytes,
                         size_t *ret_bytes)
{
    const bool addressed = d->address != 0 && (uint64_t)getpid() < LULL_SPV_MARK_PROCESSES;
    struct lull_spv_marks how = {.what = lull_ll_marks() &
                                         (addressed ? ~0U : ~(unsigned)LULL_SPV_MARK_INDICES),
                                 .address = d->address};
    uint32_t *words = NULL;
    size_t n = 0;
    if (how.what != 0) {
        pthread_mutex_lock(&all.lock);
        struct lull_error *err = mark(&how, code, bytes, &words, &n);
        pthread_mutex_unlock(&all.lock);
        if (err != NULL) {
            lull_ll_complain("a shader is as it was: %s", lull_error_message(err));
            lull_error_free(err);
        }
    }
    *ret_bytes = n * sizeof *words;
    return words;
}

/** The code that a stage brings itself; NULL: it has a module. */
static const VkShaderModuleCreateInfo *own_code(const VkPipelineShaderStageCreateInfo *stage)
{
    const VkShaderModuleCreateInfo *own = stage->pNext;
    const bool is = stage->module == VK_NULL_HANDLE && own != NULL &&
                    own->sType == VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    return is ? own : NULL;
}

void lull_ll_mark_stage(const struct lull_ll_device *d, struct lull_ll_marked *m,
                        VkPipelineShaderStageCreateInfo *stage)
{
    const VkShaderModuleCreateInfo *own = own_code(stage);
    size_t bytes = 0;
    uint32_t *words = own != NULL ? lull_ll_marked(d, own->pCode, own->codeSize, &bytes) : NULL;
    struct lull_ll_marked_code *c = words != NULL ? malloc(sizeof *c) : NULL;
    if (c == NULL) {
        free(words);
        return;
    }
    *c = (struct lull_ll_marked_code){.info = *own, .words = words, .other = m->all};
    c->info.pCode = words;
    c->info.codeSize = bytes;
    m->all = c;
    stage->pNext = &c->info;
}

void lull_ll_marked_done(struct lull_ll_marked *m)
{
    for (struct lull_ll_marked_code *c = m->all, *other = NULL; c != NULL; c = other) {
        other = c->other;
        free(c->words);
        free(c);
    }
    m->all = NULL;
}
