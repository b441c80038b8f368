// SPDX-License-Identifier: MIT
/** @file
 * Between the files that write registers of shaders that draw: reloc_graphics.c, which reads their
 * code and writes those of pixel shaders, reloc_vertex.c, and reloc_keys.c, which serves both.
 */
#ifndef LULL_CC_RELOC_GRAPHICS_H
#define LULL_CC_RELOC_GRAPHICS_H

#include "cc/reloc_priv.h"

enum {
    LULL_RL_TARGETS = 8,
    LULL_RL_POSITIONS = 5,
    LULL_RL_MAX_KEYS = 64, ///< Of parameters.
};

/** What the code of a shader says. */
struct lull_rl_code {
    unsigned positions, interps;
    unsigned format[LULL_RL_TARGETS], z_mask;
    bool message, kill, writes;
};

/** A parameter that one of the two shaders names: docs/formats/lull-intrinsics.md. */
struct lull_rl_parameter {
    unsigned key;
    bool flat;
    bool primitive; ///< Of a primitive, not of a vertex; those are the last.
};

/** Attributes in which the front end says what parameters there are. */
extern const char lull_rl_writes[], lull_rl_reads[];

/** The parameters that an attribute of the shader lists; -1: it has no such attribute. */
int lull_rl_parameter_list(LLVMValueRef fn, const char *name,
                           struct lull_rl_parameter list[LULL_RL_MAX_KEYS]);
/** How many of the parameters are of primitives; 0 without a list. */
unsigned lull_rl_of_primitives(LLVMValueRef fn, const char *name);
/** Is the word in an attribute of the shader? */
bool lull_rl_says(LLVMValueRef fn, const char *name, const char *word);

/** Keys and their values. */
void lull_rl_map(struct lull_str *s, const char *key, size_t n);
void lull_rl_put(struct lull_str *s, const char *key, uint64_t value);
void lull_rl_put_bool(struct lull_str *s, const char *key, bool value);

/** Registers of a primitive shader; how many keys that are. */
size_t lull_rl_put_primitive(struct lull_str *s, const struct lull_rl *rl,
                             const struct lull_rl_entry *e, const struct lull_rl_code *c);
/** ... of a geometry shader of gfx9, but what its copy shader says. */
size_t lull_rl_put_emitter(struct lull_str *s, const struct lull_rl *rl,
                           const struct lull_rl_entry *e);
/** ... of a hardware vertex shader of gfx9, also one that copies what a geometry shader emits. */
size_t lull_rl_put_vertex(struct lull_str *s, const struct lull_rl *rl,
                          const struct lull_rl_entry *e, const struct lull_rl_code *c);
#endif
