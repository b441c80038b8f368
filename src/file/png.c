// SPDX-License-Identifier: MIT
#include "file/png.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"

struct lull_error *lull_png_write(const char *path, uint32_t width, uint32_t height,
                                  const uint8_t *rgba)
{
    lull_cleanup(lull_str_free) struct lull_str temp = {0};
    lull_str_addf(&temp, "%s.XXXXXX", path);
    if (temp.text == NULL) {
        return &lull_enomem;
    }
    const int fd = mkstemp(temp.text);
    FILE *f = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (f == NULL) {
        struct lull_error *err = lull_error_os(errno, "'%s'", path);
        if (fd >= 0) {
            close(fd);
            unlink(temp.text);
        }
        return err;
    }
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_RGBA};
    struct lull_error *err = NULL;
    if (png_image_write_to_stdio(&image, f, 0, rgba, 0, NULL) == 0) {
        err = lull_error_new(LULL_ERR_INVALID, "'%s': %s", path, image.message);
    }
    const int failed = fclose(f);
    if (err == NULL && (failed != 0 || rename(temp.text, path) != 0)) {
        err = lull_error_os(errno, "'%s'", path);
    }
    if (err != NULL) {
        unlink(temp.text);
    }
    return err;
}
