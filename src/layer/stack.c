// SPDX-License-Identifier: MIT
// Who called: the program's stack, as modules and addresses in them. Each stack is written once.
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer/layer.h"

enum { MAX_FRAMES = 64 };

struct frame {
    const char *module; // Path as the linker has it; "" is the program, NULL no module.
    uint64_t offset;    // Where the call returns to, in the module's own addresses.
};

// False: code of no module.
static bool find(void *pc, struct frame *ret, struct dl_find_object *of)
{
    if (_dl_find_object((uint8_t *)pc - 1, of) != 0) {
        return false;
    }
    *ret = (struct frame){.module = of->dlfo_link_map->l_name,
                          .offset = (uint64_t)(uintptr_t)pc - of->dlfo_link_map->l_addr};
    return true;
}

// The loader and layers stand between the program and this one, or do not: it depends on the call.
static bool is_vulkan(const struct frame *f)
{
    const char *slash = strrchr(f->module, '/');
    const char *name = slash != NULL ? slash + 1 : f->module;
    return strncmp(name, "libvulkan.so", 12) == 0 || strncmp(name, "libVkLayer_", 11) == 0;
}

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

// A child of a fork writes a file of its own, and its stacks into it.
static uint64_t hash_of(const struct frame *frames, size_t n)
{
    pid_t pid = getpid();
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), &pid, sizeof pid);
    for (size_t i = 0; i < n; i++) {
        hash = mix(hash, frames[i].module, strlen(frames[i].module) + 1);
        hash = mix(hash, &frames[i].offset, sizeof frames[i].offset);
    }
    return hash;
}

static void write_frame(struct lull_json *j, const struct frame *f)
{
    char *path = realpath(f->module[0] == '\0' ? "/proc/self/exe" : f->module, NULL);
    char *clean = lull_layer_utf8(path != NULL ? path : f->module);
    lull_json_open(j, '{');
    lull_json_put_str(j, "module", clean != NULL ? clean : "");
    lull_json_put_hex(j, "offset", f->offset);
    lull_json_close(j, '}');
    free(clean);
    free(path);
}

static uint64_t number_of(const struct frame *frames, size_t n)
{
    uint64_t hash = hash_of(frames, n);
    struct lull_layer_entry *e = lull_layer_find(LULL_LAYER_STACK, hash);
    if (e != NULL) {
        return e->value;
    }
    e = lull_layer_put(LULL_LAYER_STACK, hash);
    if (e == NULL) {
        return 0;
    }
    e->value = lull_layer_stack_number();
    struct lull_str line = {0};
    struct lull_json j = lull_layer_record(&line, "stack");
    j.out = &line;
    lull_json_put_u64(&j, "stack", e->value);
    lull_json_key(&j, "frames");
    lull_json_open(&j, '[');
    for (size_t i = 0; i < n; i++) {
        write_frame(&j, &frames[i]);
    }
    lull_json_close(&j, ']');
    lull_layer_write(&j);
    return e->value;
}

uint64_t lull_layer_stack(void)
{
    if (!lull_layer_on()) {
        return 0;
    }
    void *pcs[MAX_FRAMES] = {0};
    struct frame frames[MAX_FRAMES] = {0};
    const int count = backtrace(pcs, MAX_FRAMES);
    size_t n = 0;
    for (int i = 0; i < count; i++) {
        struct dl_find_object of = {0};
        if (find(pcs[i], &frames[n], &of) && (n > 0 || !is_vulkan(&frames[n]))) {
            n++;
        }
    }
    lull_layer_lock();
    uint64_t number = n > 0 ? number_of(frames, n) : 0;
    lull_layer_unlock();
    return number;
}
