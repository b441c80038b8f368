// SPDX-License-Identifier: MIT
/** @file
 * A section of an rd capture, written without lull's own writer.
 */
#ifndef LULL_TEST_RD_SECTION_H
#define LULL_TEST_RD_SECTION_H

#include <stdint.h>
#include <stdio.h>

/** @p type: LULL_RD_*. @p size: bytes of @p data. */
static void section(FILE *f, uint32_t type, const void *data, uint32_t size)
{
    const uint32_t head[] = {type, size};
    fwrite(head, sizeof head, 1, f);
    fwrite(data, 1, size, f);
}

#endif
