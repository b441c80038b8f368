// SPDX-License-Identifier: MIT
#include "compile/cache.h"

#include <sha2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/cur.h"
#include "base/str.h"
#include "compile/cache_dir.h"
#include "compile/run.h"

// A file: magic, bytes of the output, bytes of what was said (64 bits each), SHA-256 of both, and
// both.
static const char magic[8] = "lullcc1\n";

enum {
    MAX_DEPTH = 32, // of files that include files
};

// A text that has one of these may read another file, or change with the time; "??/" ends a line as
// a backslash does.
static const char *const outside[] = {"include",  "import",   "embed",       "incbin",
                                      "__DATE__", "__TIME__", "__TIMESTAMP", "?\?/"};

// Without lines that go on in the next one: a word may be cut there.
static char *whole_lines(const uint8_t *text, size_t size)
{
    char *ret = malloc(size + 1);
    size_t n = 0;
    for (size_t i = 0; ret != NULL && i < size; i++) {
        const size_t skip = text[i] != '\\' || i + 1 == size                             ? 0
                            : text[i + 1] == '\n'                                        ? 2
                            : i + 2 < size && text[i + 1] == '\r' && text[i + 2] == '\n' ? 3
                                                                                         : 0;
        if (skip != 0) {
            i += skip - 1;
        } else {
            ret[n++] = (char)text[i];
        }
    }
    if (ret != NULL) {
        ret[n] = '\0';
    }
    return ret;
}

/** The name in a line that is #include "NAME" and nothing else, which is cut off from it; or NULL.
 */
static char *included(char *line)
{
    char *at = line + strspn(line, " \t");
    at += at[0] == '#' ? 1 + strspn(at + 1, " \t") : 0;
    if (at == line || strncmp(at, "include", 7) != 0) {
        return NULL;
    }
    at += 7 + strspn(at + 7, " \t");
    const size_t n = at[0] == '"' ? strcspn(at + 1, "\"") : 0;
    if (n == 0 || at[1] == '/' || at[n + 1] != '"' ||
        at[n + 2 + strspn(at + n + 2, " \t\r")] != '\0') {
        return NULL;
    }
    at[n + 1] = '\0';
    return at + 1;
}

static bool is_known(const char *line)
{
    bool ret = true;
    for (size_t i = 0; ret && i < sizeof outside / sizeof outside[0]; i++) {
        ret = strstr(line, outside[i]) == NULL;
    }
    return ret;
}

static bool add_text(SHA2_CTX *sha, const char *path, unsigned depth);

/** A file that lies beside the one that includes it: there compilers look first. */
static bool add_beside(SHA2_CTX *sha, const char *path, const char *name, unsigned depth)
{
    const char *slash = strrchr(path, '/');
    char *beside = NULL;
    if (asprintf(&beside, "%.*s%s", slash != NULL ? (int)(slash - path) + 1 : 0, path, name) < 0) {
        return false;
    }
    const bool ret = depth < MAX_DEPTH && add_text(sha, beside, depth + 1);
    free(beside);
    return ret;
}

/** A text and what it includes; false: what it means cannot be said from these files alone. */
static bool add_text(SHA2_CTX *sha, const char *path, unsigned depth)
{
    lull_cleanup(lull_freep) uint8_t *text = NULL;
    size_t size = 0;
    struct lull_error *err = lull_run_read(path, &text, &size);
    bool ok = err == NULL;
    lull_error_free(err);
    if (ok) {
        SHA256Update(sha, text, size);
    }
    if (!ok ||
        (size >= 4 && (memcmp(text, "BC\xc0\xde", 4) == 0 || memcmp(text, "\177ELF", 4) == 0))) {
        return ok; // bitcode and objects name no file that is read
    }
    ok = memchr(text, 0, size) == NULL; // lines are searched as strings
    lull_cleanup(lull_freep) char *lines = whole_lines(text, size);
    ok = ok && lines != NULL;
    for (char *at = lines; ok && at != NULL;) {
        char *line = strsep(&at, "\n"), *name = included(line);
        ok = name != NULL ? add_beside(sha, path, name, depth) : is_known(line);
    }
    return ok;
}

static bool in_dir(const char *path, const char *dir)
{
    const size_t n = strlen(dir);
    return strncmp(path, dir, n) == 0 && path[n] == '/';
}

/** May an argument make the program read a file that is not known here? */
static bool names_file(const struct lull_cache_run *run, size_t at)
{
    const char *arg = run->argv[at], *equal = strchr(arg, '=');
    if (strcmp(arg, run->input) == 0 || in_dir(arg, run->dir) || strncmp(arg, "-I", 2) == 0) {
        return false;
    }
    if (strcmp(arg, "assembler") == 0 || arg[0] == '@' || strncmp(arg, "-include", 8) == 0 ||
        strncmp(arg, "-imacros", 8) == 0) {
        const char *next = run->argv[at + 1];
        return strcmp(arg, "-include") != 0 || next == NULL || !in_dir(next, run->dir);
    }
    return strchr(arg, '/') != NULL || (arg[0] != '-' && at != 0 && access(arg, F_OK) == 0) ||
           (equal != NULL && access(equal + 1, F_OK) == 0);
}

static void add(SHA2_CTX *sha, const char *text)
{
    SHA256Update(sha, (const uint8_t *)text, strlen(text) + 1);
}

/** The file that a program is, as PATH leads to it: a new one has another size or time. */
static bool add_program(SHA2_CTX *sha, const char *name)
{
    const char *path = strchr(name, '/') != NULL ? "" : getenv("PATH");
    for (bool more = path != NULL; more;) {
        const size_t n = strcspn(path, ":");
        struct lull_str file = {0};
        struct stat st = {0};
        lull_str_addf(&file, "%.*s%s%s", (int)n, path, n != 0 ? "/" : "", name);
        const bool found = file.err == NULL && access(file.text, X_OK) == 0 &&
                           stat(file.text, &st) == 0 && S_ISREG(st.st_mode);
        if (found) {
            struct lull_str who = {0};
            lull_str_addf(&who, "%s %lld %lld.%09ld", file.text, (long long)st.st_size,
                          (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
            add(sha, lull_str_text(&who));
            lull_str_free(&who);
        }
        lull_error_free(file.err);
        file.err = NULL;
        lull_str_free(&file);
        if (found) {
            return true;
        }
        more = path[n] != '\0';
        path += n + 1;
    }
    return false;
}

/** One argument; of a file in the folder its bytes, too. */
static bool add_argument(SHA2_CTX *sha, const struct lull_cache_run *run, const char *arg)
{
    if (!in_dir(arg, run->dir)) {
        add(sha, arg);
        return true;
    }
    add(sha, arg + strlen(run->dir));
    if (strcmp(arg, run->out) == 0 || strcmp(arg, run->log) == 0 || strcmp(arg, run->input) == 0) {
        return true;
    }
    for (size_t i = 0; i < run->nfiles; i++) {
        if (strcmp(arg, run->files[i].path) == 0) {
            SHA256Update(sha, run->files[i].sha256, SHA256_DIGEST_LENGTH);
            return true;
        }
    }
    lull_cleanup(lull_freep) uint8_t *bytes = NULL;
    size_t size = 0;
    struct lull_error *err = lull_run_read(arg, &bytes, &size);
    const bool ok = err == NULL;
    lull_error_free(err);
    if (ok) {
        SHA256Update(sha, bytes, size);
    }
    return ok;
}

/** The name of the file that holds what this run makes; false: it is not for the cache. */
static bool name_of(const struct lull_cache_run *run, char ret[SHA256_DIGEST_STRING_LENGTH])
{
    lull_cleanup(lull_freep) char *here = getcwd(NULL, 0);
    SHA2_CTX sha;
    SHA256Init(&sha);
    bool ok =
        here != NULL && getenv("CCC_OVERRIDE_OPTIONS") == NULL && add_program(&sha, run->argv[0]);
    for (size_t i = 1; ok && run->argv[i] != NULL; i++) {
        ok = !names_file(run, i) && add_argument(&sha, run, run->argv[i]);
    }
    if (ok) {
        add(&sha, here);
    }
    ok = ok && add_text(&sha, run->input, 0);
    if (ok) {
        SHA256End(&sha, ret);
    }
    return ok;
}

static void digest(const struct lull_cache_entry *e, uint8_t ret[SHA256_DIGEST_LENGTH])
{
    SHA2_CTX sha;
    SHA256Init(&sha);
    SHA256Update(&sha, e->out, e->out_size);
    SHA256Update(&sha, e->said, e->said_size);
    SHA256Final(ret, &sha);
}

struct lull_error *lull_cache_parse(const uint8_t *bytes, size_t size, struct lull_cache_entry *ret)
{
    struct lull_cur c = lull_cur_of(bytes, size);
    const uint8_t *start = lull_cur_take(&c, sizeof magic);
    const uint64_t out = lull_cur_u64(&c), said = lull_cur_u64(&c);
    const uint8_t *sum = lull_cur_take(&c, SHA256_DIGEST_LENGTH);
    uint8_t is[SHA256_DIGEST_LENGTH];
    if (start == NULL || sum == NULL || memcmp(start, magic, sizeof magic) != 0) {
        return lull_error_new(LULL_ERR_BAD_DATA, "offset 0: no file of lull's cache");
    }
    const uint64_t left = lull_cur_left(&c);
    if (out > left || said != left - out) {
        return lull_error_new(LULL_ERR_BAD_DATA, "offset 8: %llu and %llu bytes, but %llu are here",
                              (unsigned long long)out, (unsigned long long)said,
                              (unsigned long long)left);
    }
    *ret = (struct lull_cache_entry){c.pos, c.pos + out, out, said};
    digest(ret, is);
    if (memcmp(is, sum, sizeof is) != 0) {
        return lull_error_new(LULL_ERR_BAD_DATA, "offset 24: the bytes have another SHA-256");
    }
    return NULL;
}

/** From the cache into the files of the run; false: it is not there. */
static bool find(const struct lull_cache_run *run, const char *name)
{
    lull_cleanup(lull_freep) uint8_t *bytes = NULL;
    size_t size = 0;
    struct lull_cache_entry e = {0};
    struct lull_error *err = lull_cache_dir_read(name, &bytes, &size);
    err = err != NULL ? err : lull_cache_parse(bytes, size, &e);
    if (err == NULL) {
        unlink(run->log); // of the step before
        err = lull_run_write(run->out, e.out, e.out_size);
    }
    err = err != NULL ? err : lull_run_write(run->log, e.said, e.said_size);
    const bool ok = err == NULL;
    lull_error_free(err);
    return ok;
}

static void keep(const struct lull_cache_run *run, const char *name)
{
    lull_cleanup(lull_freep) uint8_t *out = NULL;
    lull_cleanup(lull_freep) uint8_t *said = NULL;
    struct lull_cache_entry e = {0};
    struct lull_str file = {0};
    struct lull_error *err = lull_run_read(run->out, &out, &e.out_size);
    err = err != NULL ? err : lull_run_read(run->log, &said, &e.said_size);
    if (err == NULL) {
        uint8_t sum[SHA256_DIGEST_LENGTH];
        e.out = out;
        e.said = said;
        digest(&e, sum);
        lull_str_add(&file, magic, sizeof magic);
        lull_str_le64(&file, e.out_size);
        lull_str_le64(&file, e.said_size);
        lull_str_add(&file, (const char *)sum, sizeof sum);
        lull_str_add(&file, (const char *)out, e.out_size);
        lull_str_add(&file, (const char *)said, e.said_size);
        if (file.err == NULL) {
            lull_cache_dir_write(name, file.text, file.size);
        }
    }
    lull_error_free(err);
    lull_error_free(file.err);
    file.err = NULL;
    lull_str_free(&file);
}

struct lull_error *lull_cache_run(const struct lull_cache_run *run, int *ret_status)
{
    char name[SHA256_DIGEST_STRING_LENGTH] = "";
    const bool known = lull_cache_dir_there() && name_of(run, name);
    if (known && find(run, name)) {
        *ret_status = 0;
        return NULL;
    }
    unlink(run->out); // half of an entry
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < run->nfiles; i++) {
        err = lull_run_write(run->files[i].path, run->files[i].bytes, run->files[i].size);
    }
    err = err != NULL ? err : lull_run_program(run->argv, run->dir, run->log, ret_status);
    if (err == NULL && known && *ret_status == 0) {
        keep(run, name);
    }
    return err;
}
