// SPDX-License-Identifier: MIT
/** @file
 * Helper of llvm.py: decode records of 20 bytes from stdin, print "SIZE<tab>TEXT" for each.
 *
 * rdna_text [WAVE_SIZE]: SIZE is what lull_rdna_decode() returned.
 */
#include <stdio.h>
#include <stdlib.h>

#include "isa/rdna/rdna.h"

enum { RECORD = 20 };

int main(int argc, char **argv)
{
    const struct lull_rdna_print how = {.wave_size =
                                            argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 32};
    uint8_t record[RECORD] = {0};
    while (fread(record, RECORD, 1, stdin) == 1) {
        struct lull_rdna_insn in;
        struct lull_str text = {0};
        const int size = lull_rdna_decode(record, RECORD, &in);
        if (size > 0) {
            lull_rdna_show(&in, &how, &text);
        }
        printf("%d\t%s\n", size, lull_str_text(&text));
        lull_str_free(&text);
    }
    return 0;
}
