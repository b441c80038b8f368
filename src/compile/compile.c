// SPDX-License-Identifier: MIT
#include "compile/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "compile/cache.h"
#include "compile/ends.h"
#include "compile/llvm.h"
#include "compile/run.h"
#include "file/elf.h"

/** Bitcode of the device library, embedded by gen/incbin.py. */
extern const uint8_t lull_opencl_library[];
extern const uint8_t lull_opencl_library_end[];
extern const uint8_t lull_opencl_library_sha256[];

/** The same of opencl/undefined.clh. */
extern const uint8_t lull_opencl_undefined[];
extern const uint8_t lull_opencl_undefined_end[];
extern const uint8_t lull_opencl_undefined_sha256[];

enum {
    MAX_ARGUMENTS = 40, // ours; the caller's flags come on top
    MAX_FILES = 2,
};

// What a run of clang makes.
enum stage {
    CODE_OBJECT,
    BITCODE, // of OpenCL C, as the front end makes it: LLVM's passes have not seen it
};

// One compilation: where things are, and the command line as it grows.
struct job {
    const char *path;
    const struct lull_compile *options;
    char *dir;
    struct lull_arena arena; // strings of the command line
    const char **argv;
    size_t argc;
    struct lull_cache_file files[MAX_FILES]; // of ours, that the next program reads
    size_t nfiles;
    enum stage stage;
};

static void add(struct job *job, const char *arg)
{
    job->argv[job->argc++] = arg;
}

// a, b and c in one string, or NULL.
static char *join(struct job *job, const char *a, const char *b, const char *c)
{
    size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = lull_arena_calloc(&job->arena, size, 1);
    if (text != NULL) {
        snprintf(text, size, "%s%s%s", a, b, c);
    }
    return text;
}

static bool kind_of_name(const char *path, enum lull_source_kind *ret)
{
    static const struct {
        const char *suffix;
        enum lull_source_kind kind;
    } kinds[] = {
        {".cl", LULL_SOURCE_OPENCL},    {".s", LULL_SOURCE_ASSEMBLY}, {".S", LULL_SOURCE_ASSEMBLY},
        {".asm", LULL_SOURCE_ASSEMBLY}, {".ll", LULL_SOURCE_IR},      {".bc", LULL_SOURCE_IR},
    };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(dot, kinds[i].suffix) == 0) {
            *ret = kinds[i].kind;
            return true;
        }
    }
    return false;
}

// Directory of path as "-I" argument.
static char *include_flag(struct job *job)
{
    char *flag = join(job, "-I", job->path, "");
    char *slash = flag != NULL ? strrchr(flag, '/') : NULL;
    if (flag == NULL) {
        return NULL;
    }
    if (slash == NULL) {
        return join(job, "-I.", "", "");
    }
    slash[slash == flag + 2 ? 1 : 0] = '\0';
    return flag;
}

LULL_MUST_USE static struct lull_error *add_library(struct job *job)
{
    char *path = join(job, job->dir, "/opencl_library.bc", "");
    if (path == NULL) {
        return &lull_enomem;
    }
    add(job, "-Xclang");
    add(job, "-mlink-builtin-bitcode");
    add(job, "-Xclang");
    add(job, path);
    const size_t size = (size_t)(lull_opencl_library_end - lull_opencl_library);
    job->files[job->nfiles++] =
        (struct lull_cache_file){path, lull_opencl_library, size, lull_opencl_library_sha256};
    return NULL;
}

// clang says where the language leaves open what a program does, and our text how that looks in the
// code.
LULL_MUST_USE static struct lull_error *add_marks(struct job *job)
{
    const struct {
        unsigned mark;
        const char *find, *go_on;
    } marks[] = {
        {LULL_COMPILE_OVERFLOW, "-fsanitize=signed-integer-overflow",
         "-fsanitize-recover=signed-integer-overflow"},
        {LULL_COMPILE_DIVIDE, "-fsanitize=integer-divide-by-zero",
         "-fsanitize-recover=integer-divide-by-zero"},
        {LULL_COMPILE_INDEX, "-fsanitize=array-bounds",
         job->options->opt_level == 0 ? "-fsanitize-recover=array-bounds" : NULL},
    };
    char *path = join(job, job->dir, "/undefined.clh", "");
    if (path == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if ((job->options->marks & marks[i].mark) != 0) {
            add(job, "-Xclang");
            add(job, marks[i].find);
        }
        if ((job->options->marks & marks[i].mark) != 0 && marks[i].go_on != NULL) {
            add(job, "-Xclang");
            add(job, marks[i].go_on);
        }
    }
    // An array at the end of a structure has its own length, too, but for one of 1, which C
    // programs had for any length before there was [].
    if ((job->options->marks & LULL_COMPILE_INDEX) != 0) {
        add(job, "-fstrict-flex-arrays=1");
    }
    add(job, "-include");
    add(job, path);
    const size_t size = (size_t)(lull_opencl_undefined_end - lull_opencl_undefined);
    job->files[job->nfiles++] =
        (struct lull_cache_file){path, lull_opencl_undefined, size, lull_opencl_undefined_sha256};
    return NULL;
}

// clang takes it that a kernel of OpenCL C has workgroups of at most 256 work-items, and leaves
// away what tells further ones from these. An attribute says otherwise, but of kernels alone.
static void add_large_groups(struct job *job)
{
    add(job, "-D__kernel=__attribute__((amdgpu_flat_work_group_size(1,1024))) __kernel");
    add(job, "-Dkernel=__attribute__((amdgpu_flat_work_group_size(1,1024))) kernel");
}

// By level. clang's own -Og is its -O1.
static const char *const levels[] = {"-O0", "-O1", "-O2", "-O3", "-Og"};

LULL_MUST_USE static struct lull_error *add_kind(struct job *job, enum lull_source_kind kind)
{
    struct lull_error *err = NULL;
    switch (kind) {
    case LULL_SOURCE_OPENCL:
        add(job, "-x");
        add(job, "cl");
        add(job, "-cl-std=CL2.0");
        add(job, "-cl-kernel-arg-info");
        add(job, levels[job->options->opt_level]);
        if (job->stage == BITCODE) {
            add(job, "-emit-llvm");
            add(job, "-c");
            add(job, "-Xclang");
            add(job, "-disable-llvm-passes");
        }
        if (job->stage == BITCODE && (job->options->marks & LULL_COMPILE_INDEX) != 0) {
            add(job, "-fno-discard-value-names"); // They are in marks.
        }
        if (job->options->large_groups) {
            add_large_groups(job);
        }
        err = job->options->marks != 0 ? add_marks(job) : NULL;
        return err != NULL ? err : add_library(job);
    case LULL_SOURCE_ASSEMBLY:
        add(job, "-x");
        add(job, "assembler");
        return NULL;
    case LULL_SOURCE_IR:
        add(job, "-x");
        add(job, "ir");
        add(job, levels[job->options->opt_level]);
        return NULL;
    case LULL_SOURCE_OBJECT:
        break;
    }
    return NULL; // an object file: clang links what it does not know
}

LULL_MUST_USE static struct lull_error *command_line(struct job *job, enum lull_source_kind kind,
                                                     const char *out)
{
    const struct lull_compile *o = job->options;
    job->argc = 0;
    job->argv = lull_arena_calloc(&job->arena, MAX_ARGUMENTS + o->nflags, sizeof *job->argv);
    if (job->argv == NULL) {
        return &lull_enomem;
    }
    add(job, o->compiler != NULL ? o->compiler : "clang-19");
    add(job, "-target");
    add(job, "amdgcn-amd-amdhsa");
    add(job, "-mcpu=gfx1100");
    add(job, "-nogpulib");
    add(job, "-fno-color-diagnostics");
    if (kind != LULL_SOURCE_OBJECT) {
        add(job, "-g");
    }
    if (kind != LULL_SOURCE_OPENCL) {
        add(job, "-Wno-unused-command-line-argument"); // not all of ours concern each kind
    }
    if (o->wave_size == 64) {
        add(job, "-mwavefrontsize64");
    }
    char *include = include_flag(job);
    // A name that starts with '-' would be an option.
    char *input = join(job, job->path[0] == '-' ? "./" : "", job->path, "");
    if (include == NULL || input == NULL) {
        return &lull_enomem;
    }
    if (kind == LULL_SOURCE_OPENCL || kind == LULL_SOURCE_ASSEMBLY) {
        add(job, include);
    }
    struct lull_error *err = add_kind(job, kind);
    for (size_t i = 0; i < o->nflags; i++) {
        add(job, o->flags[i]);
    }
    add(job, input);
    add(job, "-o");
    add(job, out);
    return err;
}

// The messages of the compiler, without the last newline; for free().
static char *read_log(const char *path)
{
    uint8_t *text = NULL;
    size_t size = 0;
    struct lull_error *err = lull_run_read(path, &text, &size);
    lull_error_free(err);
    while (err == NULL && size > 0 && text[size - 1] == '\n') {
        text[--size] = 0;
    }
    return err == NULL ? (char *)text : calloc(1, 1);
}

// Run job->argv; what it says goes to the end of said.
LULL_MUST_USE static struct lull_error *run_step(struct job *job, const char *out,
                                                 struct lull_str *said)
{
    const char *log = join(job, job->dir, "/log", "");
    const struct lull_cache_run run = {job->argv, job->dir,   log,        job->path,
                                       out,       job->files, job->nfiles};
    int status = 0;
    struct lull_error *err = log != NULL ? lull_cache_run(&run, &status) : &lull_enomem;
    job->nfiles = 0;
    if (err != NULL) {
        return err;
    }
    lull_cleanup(lull_freep) char *text = read_log(log);
    if (text == NULL) {
        return &lull_enomem;
    }
    if (status != 0 && !job->options->printf && strstr(text, "__printf_alloc") != NULL) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "the program calls printf: compile it with --printf");
    }
    if (status != 0) {
        const char *slash = strrchr(job->argv[0], '/');
        const char *name = slash != NULL ? slash + 1 : job->argv[0];
        return status > 128 ? lull_error_new(LULL_ERR_UNSUPPORTED, "%s failed on it (%s)", name,
                                             strsignal(status - 128))
                            : lull_error_new(LULL_ERR_BAD_DATA, "%s refused it (status %d):\n%s",
                                             name, status, text);
    }
    lull_str_addf(said, "%s%s", said->size != 0 && text[0] != '\0' ? "\n" : "", text);
    return said->err;
}

// The command line of lull-cc: IR to an object file, by lull's passes.
LULL_MUST_USE static struct lull_error *own_command(struct job *job, const char *out)
{
    const char *const *flags = job->options->printf_flags;
    size_t nflags = 0;
    while (flags != NULL && flags[nflags] != NULL) {
        nflags++;
    }
    char *cc = NULL;
    struct lull_error *err = lull_llvm_find(&cc);
    if (err != NULL) {
        return err;
    }
    job->argc = 0;
    job->argv = lull_arena_calloc(&job->arena, MAX_ARGUMENTS + nflags, sizeof *job->argv);
    const char *path = join(job, cc, "", "");
    free(cc);
    if (job->argv == NULL || path == NULL) {
        return &lull_enomem;
    }
    add(job, path);
    if (job->options->printf) {
        add(job, "--printf");
    }
    add(job, "-mtriple=amdgcn-amd-amdhsa");
    add(job, "-mcpu=gfx1100");
    add(job, levels[job->options->opt_level]);
    if (job->options->wave_size == 64) {
        add(job, "-mattr=+wavefrontsize64");
    }
    for (size_t i = 0; i < nflags; i++) {
        add(job, flags[i]);
    }
    add(job, job->path);
    add(job, "-o");
    add(job, out);
    return NULL;
}

// OpenCL C or IR with printf, or with -Og: clang's front end, lull-cc, the linker.
LULL_MUST_USE static struct lull_error *compile_own(struct job *job, enum lull_source_kind kind,
                                                    const char *out, struct lull_str *said)
{
    const char *bitcode = join(job, job->dir, "/in.bc", "");
    const char *object = join(job, job->dir, "/in.o", "");
    const char *path = job->path;
    struct lull_error *err = bitcode == NULL || object == NULL ? &lull_enomem : NULL;
    if (err == NULL && kind == LULL_SOURCE_OPENCL) {
        job->stage = BITCODE;
        err = command_line(job, kind, bitcode);
        err = err != NULL ? err : run_step(job, bitcode, said);
        job->path = bitcode;
        job->stage = CODE_OBJECT;
    }
    err = err != NULL ? err : own_command(job, object);
    err = err != NULL ? err : run_step(job, object, said);
    job->path = object;
    err = err != NULL ? err : command_line(job, LULL_SOURCE_OBJECT, out);
    err = err != NULL ? err : run_step(job, out, said);
    job->path = path;
    return err;
}

// OpenCL C that says which indices leave arrays: clang's front end, lull-cc for accesses through
// pointers, clang's passes.
LULL_MUST_USE static struct lull_error *compile_bounded(struct job *job, const char *out,
                                                        struct lull_str *said)
{
    const char *bitcode = join(job, job->dir, "/in.bc", "");
    const char *marked = join(job, job->dir, "/marked.bc", "");
    const char *path = job->path;
    char *cc = NULL;
    struct lull_error *err = bitcode == NULL || marked == NULL ? &lull_enomem : NULL;
    job->stage = BITCODE;
    err = err != NULL ? err : command_line(job, LULL_SOURCE_OPENCL, bitcode);
    err = err != NULL ? err : run_step(job, bitcode, said);
    job->stage = CODE_OBJECT;
    job->path = bitcode;
    err = err != NULL ? err : lull_llvm_find(&cc);
    job->argc = 0;
    job->argv = lull_arena_calloc(&job->arena, MAX_ARGUMENTS, sizeof *job->argv);
    const char *program = err == NULL ? join(job, cc, "", "") : NULL;
    free(cc);
    if (err == NULL && (job->argv == NULL || program == NULL)) {
        err = &lull_enomem;
    }
    if (err == NULL) {
        add(job, program);
        add(job, "--bounds");
        add(job, bitcode);
        add(job, marked);
        err = run_step(job, marked, said);
    }
    job->path = marked;
    err = err != NULL ? err : command_line(job, LULL_SOURCE_IR, out);
    err = err != NULL ? err : run_step(job, out, said);
    job->path = path;
    return err;
}

LULL_MUST_USE static struct lull_error *compile_in_dir(struct job *job, enum lull_source_kind kind,
                                                       struct lull_compiled *ret)
{
    const char *out = join(job, job->dir, "/out.co", "");
    struct lull_str said = {0};
    struct lull_error *err = out == NULL ? &lull_enomem : NULL;
    const bool own = job->options->printf || job->options->opt_level == LULL_COMPILE_OG;
    if (err == NULL && own && (kind == LULL_SOURCE_OPENCL || kind == LULL_SOURCE_IR)) {
        err = compile_own(job, kind, out, &said);
    } else if (err == NULL && kind == LULL_SOURCE_OPENCL && job->options->opt_level != 0 &&
               (job->options->marks & LULL_COMPILE_INDEX) != 0) {
        err = compile_bounded(job, out, &said);
    } else if (err == NULL) {
        err = command_line(job, kind, out);
        err = err != NULL ? err : run_step(job, out, &said);
    }
    err = err != NULL ? err : lull_run_read(out, &ret->bytes, &ret->size);
    if (err == NULL && (job->options->marks & LULL_COMPILE_INDEX) != 0) {
        err = lull_compile_end_functions(ret->bytes, ret->size);
        if (err != NULL) {
            free(ret->bytes);
            ret->bytes = NULL;
        }
    }
    if (err == NULL) {
        ret->kind = kind;
        ret->diagnostics = said.text != NULL ? said.text : calloc(1, 1);
        err = ret->diagnostics != NULL ? NULL : &lull_enomem;
    } else {
        free(said.text);
    }
    return err;
}

static bool starts_as_elf(const uint8_t *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "\177ELF", 4) == 0;
}

/** Records of a section that change code; 0 of one that has none. */
static uint64_t code_relocs(const struct lull_elf *elf, const struct lull_elf_section *s)
{
    const bool rel = s->type == LULL_ELF_REL, rela = s->type == LULL_ELF_RELA;
    if ((!rel && !rela) || s->info >= elf->nsections ||
        (elf->sections[s->info].flags & LULL_ELF_EXEC) == 0) {
        return 0;
    }
    return s->size / (rel ? LULL_ELF_REL_SIZE : LULL_ELF_RELA_SIZE);
}

// lld knows nothing of descriptors: a shader in which they are open is for lull link.
LULL_MUST_USE static struct lull_error *check_open(const char *path, const struct lull_elf *elf)
{
    uint64_t n = 0;
    for (size_t i = 0; elf->os_abi == LULL_ELF_AMDPAL && i < elf->nsections; i++) {
        n += code_relocs(elf, &elf->sections[i]);
    }
    return n == 0 ? NULL
                  : lull_error_new(LULL_ERR_UNSUPPORTED,
                                   "%s: a relocatable shader, with %llu relocation%s open in its "
                                   "code: 'lull elf show' lists it with their names, 'lull link' "
                                   "makes a pipeline of it",
                                   path, (unsigned long long)n, n == 1 ? "" : "s");
}

/** Does an ELF file need the linker still? An error for one that lld cannot link. */
LULL_MUST_USE static struct lull_error *is_unlinked(const char *path, const uint8_t *bytes,
                                                    size_t size, bool *ret)
{
    struct lull_elf elf = {0};
    struct lull_error *err = lull_elf_parse(bytes, size, &elf);
    *ret = err == NULL && elf.type == LULL_ELF_REL_FILE && elf.machine == LULL_ELF_AMDGPU;
    lull_error_free(err); // who reads it says so
    err = *ret ? check_open(path, &elf) : NULL;
    lull_elf_done(&elf);
    return err;
}

LULL_MUST_USE static struct lull_error *compile_known(const char *path,
                                                      const struct lull_compile *options,
                                                      enum lull_source_kind kind,
                                                      struct lull_compiled *ret)
{
    struct job job = {.path = path, .options = options};
    struct lull_error *err = lull_run_make_dir(&job.dir);
    if (err == NULL) {
        err = compile_in_dir(&job, kind, ret);
        lull_run_remove_dir(job.dir);
    }
    free(job.dir);
    lull_arena_done(&job.arena);
    return lull_error_in(err, "%s", path);
}

struct lull_error *lull_compile_file(const char *path, const struct lull_compile *options,
                                     struct lull_compiled *ret)
{
    static const struct lull_compile defaults = {0};
    options = options != NULL ? options : &defaults;
    if (options->opt_level > LULL_COMPILE_OG ||
        (options->wave_size != 0 && options->wave_size != 32 && options->wave_size != 64)) {
        return lull_error_new(LULL_ERR_INVALID, "optimisation level %u, wave size %u",
                              options->opt_level, options->wave_size);
    }
    lull_cleanup(lull_freep) uint8_t *bytes = NULL;
    size_t size = 0;
    struct lull_error *err = lull_run_read(path, &bytes, &size);
    if (err != NULL) {
        return err;
    }
    enum lull_source_kind kind = LULL_SOURCE_OBJECT;
    bool elf = starts_as_elf(bytes, size);
    if (!elf && !kind_of_name(path, &kind)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "%s: neither a code object nor a name ending in .cl, .s, .ll or .bc",
                              path);
    }
    bool unlinked = false;
    err = elf ? is_unlinked(path, bytes, size, &unlinked) : NULL;
    if (err != NULL) {
        return err;
    }
    if (!elf || unlinked) {
        return compile_known(path, options, kind, ret);
    }
    char *none = calloc(1, 1);
    if (none == NULL) {
        return &lull_enomem;
    }
    *ret = (struct lull_compiled){.bytes = bytes, .size = size, .kind = kind, .diagnostics = none};
    bytes = NULL; // the caller's now
    return NULL;
}

void lull_compiled_done(struct lull_compiled *c)
{
    free(c->bytes);
    free(c->diagnostics);
    *c = (struct lull_compiled){0};
}
