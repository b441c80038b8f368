// SPDX-License-Identifier: MIT
#include "check/objects.h"

#include <inttypes.h>
#include <stdio.h>

static void add(struct lull_check_object *all, size_t *n, struct lull_check_object what)
{
    if (*n < LULL_CHECK_OBJECTS) {
        all[(*n)++] = what;
    }
}

void lull_check_objects_add(struct lull_check_objects *o, const char *name, uint64_t at,
                            uint64_t size)
{
    add(o->memory, &o->nmemory, (struct lull_check_object){name, at, size});
}

void lull_check_objects_add_local(struct lull_check_objects *o, const char *name, uint64_t at,
                                  uint64_t size)
{
    add(o->local, &o->nlocal, (struct lull_check_object){name, at, size});
}

const struct lull_check_object *lull_check_object_of(const struct lull_check_object *all, size_t n,
                                                     uint64_t address, uint64_t bytes)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t offset = address - all[i].at;
        if (offset < all[i].size && bytes <= all[i].size - offset) {
            return &all[i];
        }
    }
    return NULL;
}

const struct lull_check_object *lull_check_object_near(const struct lull_check_object *all,
                                                       size_t n, uint64_t address)
{
    const struct lull_check_object *best = NULL;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        const uint64_t end = all[i].at + all[i].size;
        const uint64_t far = address < all[i].at ? all[i].at - address
                             : address >= end    ? address - end
                                                 : 0;
        if (all[i].name != NULL && far < least) {
            least = far;
            best = &all[i];
        }
    }
    return best;
}

void lull_check_objects_add_variable(struct lull_check_objects *o, const char *name, uint64_t at,
                                     uint64_t size)
{
    if (o->nvariables < LULL_CHECK_VARIABLES) {
        char *copy = o->names[o->nvariables];
        snprintf(copy, LULL_CHECK_NAME, "%s", name);
        o->variables[o->nvariables++] = (struct lull_check_object){NULL, at, size};
    }
}

/** The variable that has the byte; false: it is not known. */
static bool add_variable(const struct lull_check_objects *o, uint64_t address, unsigned bytes,
                         struct lull_str *out)
{
    for (size_t i = 0; o != NULL && i < o->nvariables; i++) {
        const uint64_t offset = address - o->variables[i].at;
        if (address >= o->variables[i].at && offset < o->variables[i].size) {
            lull_str_addf(out, "%s+0x%" PRIx64, o->names[i], offset);
            if (bytes != 0 && offset % bytes == 0) {
                lull_str_addf(out, " (element %" PRIu64 " of %u bytes)", offset / bytes, bytes);
            }
            return true;
        }
    }
    return false;
}

void lull_check_place(const struct lull_check_objects *o, bool local, uint64_t address,
                      unsigned bytes, struct lull_str *out)
{
    if (local && add_variable(o, address, bytes, out)) {
        return;
    }
    const struct lull_check_object *at =
        o == NULL ? NULL
        : local   ? lull_check_object_of(o->local, o->nlocal, address, 1)
                  : lull_check_object_of(o->memory, o->nmemory, address, 1);
    if (at != NULL && at->name != NULL) {
        lull_str_addf(out, "%s+0x%" PRIx64, at->name, address - at->at);
        if (bytes != 0 && (address - at->at) % bytes == 0) {
            lull_str_addf(out, " (element %" PRIu64 " of %u bytes)", (address - at->at) / bytes,
                          bytes);
        }
    } else {
        lull_str_addf(out, "%s 0x%" PRIx64, local ? "LDS" : "address", address);
    }
}
