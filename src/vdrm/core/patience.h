// SPDX-License-Identifier: MIT
/** @file
 * How often to look for a message before sleeping until it is there.
 *
 * Calls follow each other closely, and are answered within microseconds; to be woken takes longer
 * than that where a processor has gone to sleep. On a busy machine the other side may not run for
 * milliseconds: who has looked for nothing does not look again for as many messages as it has
 * learned to.
 */
#ifndef LULL_VDRM_CORE_PATIENCE_H
#define LULL_VDRM_CORE_PATIENCE_H

#include <stdbool.h>

enum {
    LULL_PATIENCE_LOOKS = 48,       ///< Each a system call that does not wait, and a short pause.
    LULL_PATIENCE_PAUSES = 16,      ///< Between two looks.
    LULL_PATIENCE_MOST_SKIPS = 511, ///< Messages that are slept for after looking in vain.
};

/** Of one side of a connection; starts as 0. */
struct lull_patience {
    unsigned skip;    ///< Messages that are slept for from now on,
    unsigned in_vain; ///< and after the next look that is in vain.
};

/** The looks that the next message is worth; 0: sleep for it. */
static inline unsigned lull_patience_looks(struct lull_patience *p)
{
    if (p->skip != 0) {
        p->skip--;
        return 0;
    }
    return LULL_PATIENCE_LOOKS;
}

/** Whether looking has found the message. It pays where two of three are found. */
static inline void lull_patience_learn(struct lull_patience *p, bool found)
{
    const unsigned more = p->in_vain * 4 + 3;
    p->in_vain = found                             ? p->in_vain / 2
                 : more < LULL_PATIENCE_MOST_SKIPS ? more
                                                   : LULL_PATIENCE_MOST_SKIPS;
    p->skip = found ? 0 : p->in_vain;
}

/** Between two looks. */
static inline void lull_patience_pause(void)
{
    for (unsigned i = 0; i < LULL_PATIENCE_PAUSES; i++) {
#ifdef __x86_64__
        __builtin_ia32_pause();
#else
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
#endif
    }
}

#endif
