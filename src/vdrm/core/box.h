// SPDX-License-Identifier: MIT
/** @file
 * Memory of a connection that both ends look at, so that a call takes no message while both run.
 *
 * Each way has a state and room for one message. Who is going to look there says so (LOOKS) before
 * the other end can have a reason to send; who sends writes the message and makes it FULL, if
 * somebody looks still. In all other cases messages go over the socket as without a box: where
 * nobody looks any more (SHUT), or a descriptor comes along (SOCKET tells the other end that it
 * looks at the wrong place). So nobody waits for memory longer than it wants, and who sleeps is
 * woken by the socket.
 *
 * What the other end writes may be anything: a message is copied before it is looked at.
 */
#ifndef LULL_VDRM_CORE_BOX_H
#define LULL_VDRM_CORE_BOX_H

#include <stdbool.h>

#include "vdrm/core/patience.h"
#include "vdrm/core/wire.h"

enum {
    LULL_BOX_LINE = 64,    ///< The host's caches have lines of so many bytes, or a part of it.
    LULL_BOX_LOOKS = 1500, ///< Until a look at the socket is worth it: some 30 us.
    LULL_BOX_TAIL = LULL_WIRE_MAX_ARG + 2 * LULL_WIRE_AROUND,
};

/** Of who receives. */
enum lull_box_state { LULL_BOX_SHUT, LULL_BOX_LOOKS_HERE, LULL_BOX_FULL, LULL_BOX_SOCKET };

/** The file that BOX gives has one of these. */
struct lull_box {
    uint32_t to_driver; ///< enum lull_box_state.
    uint8_t apart[LULL_BOX_LINE - sizeof(uint32_t)];
    uint32_t to_program;
    uint8_t apart_too[LULL_BOX_LINE - sizeof(uint32_t)];
    struct lull_wire_request request;
    uint64_t ntail;
    uint8_t tail[LULL_BOX_TAIL]; ///< Behind the request, ntail bytes.
    struct lull_wire_reply reply;
    uint64_t nback;
    uint8_t back[LULL_WIRE_MAX_ARG]; ///< Behind the reply, nback bytes.
};

/** Whoever receives at @p state is going to look; or not, and wants to be woken. */
static inline void lull_box_look(uint32_t *state, bool looks)
{
    __atomic_store_n(state, looks ? LULL_BOX_LOOKS_HERE : LULL_BOX_SHUT, __ATOMIC_RELEASE);
}

/** Look at @p state for a while. @return FULL: a message is there. Else it comes, or came, over
 * the socket. */
static inline enum lull_box_state lull_box_wait(uint32_t *state)
{
    uint32_t now = __atomic_load_n(state, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i < LULL_BOX_LOOKS && now == LULL_BOX_LOOKS_HERE; i++) {
#ifdef __x86_64__
        __builtin_ia32_pause();
#else
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
#endif
        now = __atomic_load_n(state, __ATOMIC_ACQUIRE);
    }
    if (now == LULL_BOX_LOOKS_HERE &&
        __atomic_compare_exchange_n(state, &now, LULL_BOX_SHUT, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_ACQUIRE)) {
        now = LULL_BOX_SHUT;
    }
    return (enum lull_box_state)now;
}

/** May a message be written for who receives at @p state? */
static inline bool lull_box_open(const uint32_t *state)
{
    return __atomic_load_n(state, __ATOMIC_ACQUIRE) == LULL_BOX_LOOKS_HERE;
}

/** The message is written (FULL), or comes over the socket (SOCKET). @return Whether whoever
 * receives still looked. */
static inline bool lull_box_tell(uint32_t *state, enum lull_box_state how)
{
    uint32_t looks = LULL_BOX_LOOKS_HERE;
    return __atomic_compare_exchange_n(state, &looks, (uint32_t)how, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

#endif
