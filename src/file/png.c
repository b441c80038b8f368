// SPDX-License-Identifier: MIT
#include "file/png.h"

#include <png.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/output.h"

LULL_MUST_USE static struct lull_error *write_as(png_image image, const char *path,
                                                 const void *texels)
{
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    lull_cleanup(lull_freep) uint8_t *bytes = malloc(size);
    if (bytes == NULL) {
        return &lull_enomem;
    }
    if (png_image_write_to_memory(&image, bytes, &size, 0, texels, 0, NULL) == 0) {
        return lull_error_new(LULL_ERR_INVALID, "'%s': %s", path, image.message);
    }
    return lull_output_write(path, bytes, size);
}

struct lull_error *lull_png_write(const char *path, uint32_t width, uint32_t height,
                                  const uint8_t *rgba)
{
    const png_image image = {
        .version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_RGBA};
    return write_as(image, path, rgba);
}

struct lull_error *lull_png_write_grey(const char *path, uint32_t width, uint32_t height,
                                       unsigned bits, const void *grey)
{
    const png_image image = {.version = PNG_IMAGE_VERSION,
                             .width = width,
                             .height = height,
                             .format = bits == 16 ? PNG_FORMAT_LINEAR_Y : PNG_FORMAT_GRAY};
    return write_as(image, path, grey);
}
