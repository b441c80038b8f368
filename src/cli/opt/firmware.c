// SPDX-License-Identifier: MIT
#include "cli/opt/firmware.h"

#include <stdlib.h>
#include <string.h>

#include "cli/opt/input.h"

struct lull_error *lull_firmware_read(const char *path, uint32_t **ret_words, struct lull_afuc *ret)
{
    char *data = NULL;
    size_t size = 0;
    struct lull_error *err = lull_input_read(path, &data, &size);
    if (err != NULL) {
        return err;
    }
    uint32_t *words = malloc(size + sizeof *words);
    if (words == NULL) {
        err = &lull_enomem;
    } else {
        memcpy(words, data, size);
        err = size % sizeof *words != 0 || size < sizeof *words || words[0] != 0
                  ? lull_error_new(LULL_ERR_BAD_DATA, "not firmware: %zu bytes, first dword not 0",
                                   size)
                  : lull_afuc_open(words + 1, (uint32_t)(size / sizeof *words) - 1, 0, ret);
    }
    free(data);
    *ret_words = words;
    return lull_error_in(err, "%s", path);
}
