// SPDX-License-Identifier: MIT
/** @file
 * The ELF note that holds format strings where there is no PAL metadata: a document in section
 * .note.lull.printf.
 */
#ifndef LULL_PRINTF_NOTE_H
#define LULL_PRINTF_NOTE_H

#define LULL_PRINTF_NOTE_SECTION ".note.lull.printf"
#define LULL_PRINTF_NOTE_NAME "lull"
#define LULL_PRINTF_NOTE_TYPE 1

#endif
