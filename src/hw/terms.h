// SPDX-License-Identifier: MIT
/** @file
 * Words that GPU people use: data/terms/gpu.terms.
 */
#ifndef LULL_HW_TERMS_H
#define LULL_HW_TERMS_H

enum { LULL_TERM_ADRENO = 1, LULL_TERM_AMD = 2 };

struct lull_term {
    const char *word;
    unsigned of; ///< Whose word it is: LULL_TERM_...
    const char *text;
};

/** All of them, ended by one without a word. */
extern const struct lull_term lull_terms[];

/** What to run next after a hang, and why: data/terms/hang.terms. Ended alike. */
extern const struct lull_term lull_hang_next[];

#endif
