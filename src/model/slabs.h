// SPDX-License-Identifier: MIT
/** @file
 * Pages that are shared by counting, from large pieces: memory that is new costs a fault for each
 * page that the kernel gives, and of large pieces it gives large pages.
 */
#ifndef LULL_MODEL_SLABS_H
#define LULL_MODEL_SLABS_H

#include <stdint.h>

struct lull_slabs;

/** NULL: no memory. */
struct lull_slabs *lull_slabs_new(void);
/** No page is asked for any more; those that are there stay until the last is dropped. */
void lull_slabs_done(struct lull_slabs *s);

/** A page of 4096 bytes, of undefined contents, with one owner. NULL: no memory. */
uint8_t *lull_slab_page(struct lull_slabs *s);
/** It has one owner more, or less: without one it is given back. NULL: nothing. */
void lull_slab_share(uint8_t *page);
void lull_slab_drop(uint8_t *page);

#endif
