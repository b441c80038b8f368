// SPDX-License-Identifier: MIT
/** @file
 * What a program's barriers say of two that touch the same bytes, for --check race: in words.
 */
#ifndef LULL_CLI_CHECK_ORDER_H
#define LULL_CLI_CHECK_ORDER_H

#include "check/race/across.h"
#include "image/names.h"

/** The order of the two of @p of, by what the program says. */
typedef enum lull_names_order lull_check_order_fn(const void *of,
                                                  const struct lull_names_access *what);

/**
 * The order of the bytes of @p p that are asked about: its first, its lowest, its highest.
 *
 * @param[out] ret The first of them that nothing orders.
 */
enum lull_names_order lull_check_order_of(const struct lull_across_pair *p,
                                          lull_check_order_fn *order, const void *of,
                                          const struct lull_across_end **ret);

/** Of two dispatches: the finding's kind. */
const char *lull_check_order_kind(enum lull_names_order order);

/** The same of a transfer and a dispatch. */
const char *lull_check_order_moved(enum lull_names_order order);

/** What is expected between two dispatches. For free(). */
char *lull_check_order_expected(const struct lull_names *n, enum lull_names_order order,
                                enum lull_across_kind kind, uint64_t address);

/** Of LULL_NAMES_LOW between @p a and @p b: the values. For free(). */
char *lull_check_order_low(const struct lull_names *n, const struct lull_names_dispatch *a,
                           const struct lull_names_dispatch *b);

/** What is missing is a barrier of byte @p address. For free(). */
char *lull_check_order_elsewhere(const struct lull_names *n, uint64_t address);

/** A dispatch stored byte @p address of the workgroups of dispatch @p launch, which is indirect:
 * tell of it. @p stored is the finding's then. */
void lull_check_order_grid(struct lull_checks *c, const struct lull_names *n,
                           enum lull_names_order order, uint32_t space,
                           const struct lull_check_site *stored, uint64_t launch, uint64_t address);

/** That dispatch @p launch loads its workgroups, at @p address. */
struct lull_check_site lull_check_order_indirect(uint64_t launch, uint64_t address);

/** Sites of a pair, copies of its own, are of byte @p e. */
void lull_check_order_move(struct lull_check_site sites[2], const struct lull_across_pair *p,
                           const struct lull_across_end *e);

#endif
