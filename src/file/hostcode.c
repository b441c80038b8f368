// SPDX-License-Identifier: MIT
#include "file/hostcode.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct module {
    char *path;
    Dwfl *dwfl;       // NULL: not an ELF file, or not there.
    Dwfl_Module *mod; // Of dwfl.
    Dwarf_Addr bias;  // What dwfl adds to the file's addresses.
    struct module *next;
};

struct lull_hostcode {
    struct module *modules;
};

// Not dwfl_standard_find_debuginfo: that may ask servers.
static const Dwfl_Callbacks callbacks = {
    .find_debuginfo = dwfl_build_id_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

struct lull_error *lull_hostcode_new(struct lull_hostcode **ret)
{
    *ret = calloc(1, sizeof **ret);
    return *ret != NULL ? NULL : &lull_enomem;
}

void lull_hostcode_free(struct lull_hostcode *h)
{
    while (h != NULL && h->modules != NULL) {
        struct module *m = h->modules;
        h->modules = m->next;
        if (m->dwfl != NULL) {
            dwfl_end(m->dwfl);
        }
        free(m->path);
        free(m);
    }
    free(h);
}

static void open_module(struct module *m)
{
    struct stat st = {0};
    if (stat(m->path, &st) != 0 || !S_ISREG(st.st_mode)) {
        return; // A pipe would be waited for.
    }
    m->dwfl = dwfl_begin(&callbacks);
    if (m->dwfl == NULL) {
        return;
    }
    m->mod = dwfl_report_offline(m->dwfl, "", m->path, -1);
    if (m->mod == NULL || dwfl_report_end(m->dwfl, NULL, NULL) != 0 ||
        dwfl_module_getelf(m->mod, &m->bias) == NULL) {
        m->mod = NULL;
    }
}

// NULL: memory is short.
static struct module *module_of(struct lull_hostcode *h, const char *path)
{
    struct module *m = h->modules;
    while (m != NULL && strcmp(m->path, path) != 0) {
        m = m->next;
    }
    if (m != NULL) {
        return m;
    }
    m = calloc(1, sizeof *m);
    char *copy = strdup(path);
    if (m == NULL || copy == NULL) {
        free(m);
        free(copy);
        return NULL;
    }
    m->path = copy;
    m->next = h->modules;
    h->modules = m;
    open_module(m);
    return m;
}

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

// The line of the code, without what was inlined into what.
static struct lull_hostcode_place line_at(const struct module *m, Dwarf_Addr address)
{
    struct lull_hostcode_place place = {.function = or_empty(dwfl_module_addrname(m->mod, address)),
                                        .file = ""};
    Dwfl_Line *line = dwfl_module_getsrc(m->mod, address);
    int number = 0;
    const char *file = line != NULL ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    if (file != NULL && number > 0) {
        place.file = file;
        place.line = (uint32_t)number;
    }
    return place;
}

// Where the inlined function @p die was called.
static struct lull_hostcode_place call_of(Dwarf_Die *die)
{
    struct lull_hostcode_place place = {.function = "", .file = ""};
    Dwarf_Attribute attr = {0};
    Dwarf_Word file = 0, line = 0;
    Dwarf_Die cu = {0};
    Dwarf_Files *files = NULL;
    size_t nfiles = 0;
    if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &file) == 0 &&
        dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &line) == 0 &&
        dwarf_diecu(die, &cu, NULL, NULL) != NULL && dwarf_getsrcfiles(&cu, &files, &nfiles) == 0 &&
        file < nfiles && line <= UINT32_MAX) {
        place.file = or_empty(dwarf_filesrc(files, file, NULL, NULL));
        place.line = (uint32_t)line;
    }
    return place;
}

// The DIEs around the innermost block at @p address, outwards, as they are inlined. For free().
static int scopes_of(const struct module *m, Dwarf_Addr address, Dwarf_Die **ret)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *cu = dwfl_module_addrdie(m->mod, address, &bias), *scopes = NULL;
    int n = cu != NULL ? dwarf_getscopes(cu, address - bias, &scopes) : 0;
    if (n > 0) {
        Dwarf_Die innermost = scopes[0];
        free(scopes);
        scopes = NULL;
        n = dwarf_getscopes_die(&innermost, &scopes);
    }
    *ret = scopes;
    return n;
}

size_t lull_hostcode_find(struct lull_hostcode *h, const char *path, uint64_t address,
                          struct lull_hostcode_place *ret, size_t room)
{
    const struct module *m = module_of(h, path);
    if (m == NULL || m->mod == NULL || room == 0) {
        return 0;
    }
    const Dwarf_Addr at = address + m->bias;
    Dwarf_Die *scopes = NULL;
    const int nscopes = scopes_of(m, at, &scopes);
    struct lull_hostcode_place place = line_at(m, at);
    size_t n = 0;
    bool done = false;
    for (int i = 0; i < nscopes && n < room && !done; i++) {
        const int tag = dwarf_tag(&scopes[i]);
        const char *name = dwarf_diename(&scopes[i]);
        done = tag == DW_TAG_subprogram;
        if (done || tag == DW_TAG_inlined_subroutine) {
            place.function = name != NULL ? name : place.function;
            ret[n++] = place;
            place = call_of(&scopes[i]);
        }
    }
    free(scopes);
    if (n == 0 && (place.line != 0 || place.function[0] != '\0')) {
        ret[n++] = place;
    }
    return n;
}
