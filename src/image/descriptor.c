// SPDX-License-Identifier: MIT
// Kernel descriptors. Source: LLVM AMDGPUUsage, "Kernel Descriptor".
#include <string.h>

#include "image/parts.h"

enum {
    DESCRIPTOR_SIZE = 64,
    PROPERTY_WAVE32 = 1 << 10, // ENABLE_WAVEFRONT_SIZE32
    ENTRY_ALIGN = 256,
};

static const char suffix[] = ".kd";

// Length of the kernel's name if symbol is a descriptor, else 0.
static size_t descriptor_name(const struct lull_symbol *symbol)
{
    size_t size = strlen(symbol->name);
    size_t tail = sizeof suffix - 1;
    bool is = !symbol->is_code && size > tail && strcmp(symbol->name + size - tail, suffix) == 0;
    return is ? size - tail : 0;
}

static const struct lull_symbol *find_descriptor(const struct lull_image *im, const char *kernel)
{
    size_t size = strlen(kernel);
    for (size_t i = 0; i < im->nsymbols; i++) {
        const struct lull_symbol *symbol = &im->symbols[i];
        if (descriptor_name(symbol) == size && memcmp(symbol->name, kernel, size) == 0) {
            return symbol;
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_descriptor(const struct lull_image *im,
                                                        struct lull_kernel_info *kernel)
{
    struct lull_cur c = lull_image_contents(im, kernel->descriptor, DESCRIPTOR_SIZE);
    kernel->lds_bytes = lull_cur_u32(&c);
    kernel->scratch_bytes = lull_cur_u32(&c);
    uint32_t kernarg = lull_cur_u32(&c);
    lull_cur_u32(&c); // reserved
    uint64_t entry = lull_cur_u64(&c);
    lull_cur_take(&c, 20); // reserved
    kernel->rsrc3 = lull_cur_u32(&c);
    kernel->rsrc1 = lull_cur_u32(&c);
    kernel->rsrc2 = lull_cur_u32(&c);
    kernel->properties = lull_cur_u16(&c);
    kernel->kernarg_preload = lull_cur_u16(&c);
    kernel->wave32 = (kernel->properties & PROPERTY_WAVE32) != 0;
    struct lull_error *err = lull_cur_error(&c, "descriptor");
    if (err != NULL) {
        return err;
    }
    // Hand-written descriptors may leave the size 0 where metadata has it.
    kernel->kernarg_bytes = kernarg > kernel->kernarg_bytes ? kernarg : kernel->kernarg_bytes;
    kernel->entry = kernel->descriptor + entry;
    if (kernel->entry < im->code_start || kernel->entry >= im->code_end) {
        return lull_error_new(
            LULL_ERR_BAD_DATA,
            "descriptor at 0x%llx: entry 0x%llx is outside the code, 0x%llx-0x%llx",
            (unsigned long long)kernel->descriptor, (unsigned long long)kernel->entry,
            (unsigned long long)im->code_start, (unsigned long long)im->code_end);
    }
    if (kernel->entry % ENTRY_ALIGN != 0) {
        return lull_error_new(LULL_ERR_BAD_DATA, "entry 0x%llx is not aligned to %d bytes",
                              (unsigned long long)kernel->entry, ENTRY_ALIGN);
    }
    return NULL;
}

// An object without metadata: every descriptor is a kernel of unknown arguments.
LULL_MUST_USE static struct lull_error *kernels_of_symbols(struct lull_image *im)
{
    im->kernels = lull_image_alloc(im, im->nsymbols, sizeof *im->kernels);
    if (im->kernels == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < im->nsymbols; i++) {
        size_t size = descriptor_name(&im->symbols[i]);
        if (size == 0) {
            continue;
        }
        char *name = lull_image_alloc(im, size + 1, 1);
        if (name == NULL) {
            return &lull_enomem;
        }
        memcpy(name, im->symbols[i].name, size);
        im->kernels[im->nkernels++].name = name;
    }
    return NULL;
}

struct lull_error *lull_image_read_descriptors(struct lull_image *im)
{
    struct lull_error *err = im->nkernels == 0 ? kernels_of_symbols(im) : NULL;
    for (size_t i = 0; err == NULL && i < im->nkernels; i++) {
        struct lull_kernel_info *kernel = &im->kernels[i];
        const struct lull_symbol *symbol = find_descriptor(im, kernel->name);
        if (symbol == NULL) {
            return lull_error_new(LULL_ERR_BAD_DATA, "kernel '%s': no descriptor '%s.kd'",
                                  kernel->name, kernel->name);
        }
        kernel->descriptor = symbol->offset;
        err = lull_error_in(read_descriptor(im, kernel), "kernel '%s'", kernel->name);
    }
    return err;
}
