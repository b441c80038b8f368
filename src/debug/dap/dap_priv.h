// SPDX-License-Identifier: MIT
/** @file
 * Between the files of the adapter: wire.c moves messages, args.c reads arguments, serve.c answers
 * requests, run.c lets waves run and tells events, breaks.c has breakpoints of all kinds, state.c
 * waves and frames, values.c scopes and variables, code.c instructions and memory.
 *
 * Scopes and variables are the JSON that commands of the shell give (`info registers`), so what
 * a command can show an editor can, too.
 */
#ifndef LULL_DEBUG_DAP_DAP_PRIV_H
#define LULL_DEBUG_DAP_DAP_PRIV_H

#include <jansson.h>

#include "debug/dap/dap.h"

enum {
    LULL_DAP_MAX_MESSAGE = 16 << 20, ///< Bytes.
    LULL_DAP_NO_WAVE = 1,            ///< Thread that stands for the GPU while no wave stands.
    LULL_DAP_FIRST_WAVE = 2,         ///< Thread of wave 0.
    LULL_DAP_TARGETS = 64,           ///< Of one line.
};

struct lull_dap_wire {
    int in, out;
    char *bytes; ///< Read and not taken. Owned.
    size_t n, room;
    uint64_t taken; ///< Bytes of the stream in front of bytes[0].
    bool ended;     ///< The client has closed its end.
    unsigned seq;   ///< Of the next message that goes out.
};

/** What a variablesReference means: number + 1 in the list. */
struct lull_dap_ref {
    json_t *value;       ///< Its parts. Owned.
    char expression[64]; ///< Of which part n is EXPRESSION[n]; "": parts have their own.
    char type[32];       ///< Of lanes: of each.
    bool members;        ///< Parts are members of EXPRESSION.
    int frame;           ///< An id: of the wave's frame that it is seen from.
};

struct lull_dap_break {
    unsigned number;  ///< The session's.
    const char *kind; ///< "source", "function", "instruction", "data", "exception".
    char *source;     ///< Of kind source. Owned.
    bool waits;       ///< The client was told that no code has its line.
};

struct lull_dap {
    const struct lull_dap_host *host;
    struct lull_dap_wire wire;
    struct lull_debug *d; ///< NULL: nothing was launched.
    json_t *later;        ///< Requests that came while waves ran.
    struct lull_dap_ref *refs;
    size_t nrefs, refs_room;
    struct lull_dap_break *breaks; ///< Owned.
    size_t nbreaks, breaks_room;
    json_t *launched;     ///< Arguments of `launch`; NULL: none yet. Owned.
    json_t *asked;        ///< What the client has set, in order: {"command", "arguments"}.
    char *checks, *stops; ///< By filters, with commas: attached; of these those that stop.
    char *why; ///< Of the exception for which thread why_thread stands; NULL: none. Owned.
    json_int_t why_thread;
    uint64_t targets[LULL_DAP_TARGETS]; ///< Of gotoTargets, ntargets: number + 1 is the id.
    unsigned ntargets;
    json_t *functions;   ///< Of stepInTargets: {"id", "label"}. Owned.
    bool tells_progress; ///< The client shows it,
    bool in_progress;    ///< and was told that waves run.
    int64_t run_since;   ///< When they were let go, in milliseconds.
    json_int_t patience; ///< After so many it is told.
    unsigned nprogress;
    char *no_checks; ///< Why checks could not be attached; NULL: nobody tried. Owned.
    bool replaying;  ///< The client's breakpoints are set again.
    bool lines_from_0, columns_from_0;
    bool on_entry, attached, running, trusted;
    bool pause; ///< Asked for while waves ran.
    bool over;  ///< The client is done.
    bool told_end;
    struct lull_error *broken;      ///< Of the channel, while waves ran. Owned.
    bool (*interrupted)(void *ctx); ///< The session's own, before the adapter's.
    void *interrupt_ctx;
};

// wire.c

/** Read what is there, after at most @p ms (-1: for ever), from the client and what is printed. */
struct lull_error *lull_dap_listen(struct lull_dap *p, int ms) LULL_MUST_USE;
/** What is printed goes to the client. */
void lull_dap_printed(struct lull_dap *p);
/** The next whole message; NULL: there is none yet. */
struct lull_error *lull_dap_take(struct lull_dap_wire *w, json_t **ret) LULL_MUST_USE;
/** Send an event. Takes @p body, which may be NULL. */
void lull_dap_event(struct lull_dap *p, const char *event, json_t *body);
/** Answer @p request: with @p body, which is taken, or with @p err, which is not. */
void lull_dap_answer(struct lull_dap *p, const json_t *request, json_t *body,
                     const struct lull_error *err);
/** Text for the client's console, of category "console", "stdout", "important". */
void lull_dap_output(struct lull_dap *p, const char *category, const char *text, size_t size);

// args.c

/** A string of @p args, NULL if there is none. */
const char *lull_dap_text(const json_t *args, const char *key);
/** A number from @p least to @p most; @p missing if there is none. */
struct lull_error *lull_dap_number(const json_t *args, const char *key, json_int_t least,
                                   json_int_t most, json_int_t missing,
                                   json_int_t *ret) LULL_MUST_USE;
/** An address, "0x...", with "offset" added. */
struct lull_error *lull_dap_address(const json_t *args, const char *key,
                                    uint64_t *ret) LULL_MUST_USE;

// Requests. @p args: an object, perhaps an empty one. @p body: what is answered, an object.

typedef struct lull_error *lull_dap_request(struct lull_dap *p, const json_t *args, json_t *body);

lull_dap_request lull_dap_launch, lull_dap_attach, lull_dap_configured, lull_dap_continue,
    lull_dap_next, lull_dap_step_in, lull_dap_step_out, lull_dap_step_back,
    lull_dap_reverse_continue, lull_dap_restart; // run.c
lull_dap_request lull_dap_set_breakpoints, lull_dap_set_functions, lull_dap_set_instructions,
    lull_dap_set_data, lull_dap_set_exceptions, lull_dap_data_info; // breaks.c
lull_dap_request lull_dap_threads, lull_dap_stack;                  // state.c
lull_dap_request lull_dap_scopes, lull_dap_variables, lull_dap_set_variable,
    lull_dap_set_expression, lull_dap_evaluate; // values.c
lull_dap_request lull_dap_locations, lull_dap_completions,
    lull_dap_exception_info; // look.c
lull_dap_request lull_dap_modules, lull_dap_sources, lull_dap_goto_targets, lull_dap_goto,
    lull_dap_step_in_targets;                                         // places.c
lull_dap_request lull_dap_disassemble, lull_dap_read, lull_dap_write; // code.c

// run.c

/** Open what was launched, with p->checks. */
struct lull_error *lull_dap_open(struct lull_dap *p) LULL_MUST_USE;
/** Tell the client what has happened. */
void lull_dap_tell(struct lull_dap *p);
/** Waves are let go now, or stand again. */
void lull_dap_progress(struct lull_dap *p, bool begins);

// places.c

/** Run the wave in focus into the function @p target of stepInTargets. */
struct lull_error *lull_dap_step_into(struct lull_dap *p, json_int_t target) LULL_MUST_USE;

// breaks.c

/** Filters of exceptions, for `initialize`. */
json_t *lull_dap_filters(void);
/** Tell of breakpoints whose code has come. */
void lull_dap_tell_breaks(struct lull_dap *p);
/** Does the client know the session's breakpoint @p number? */
bool lull_dap_knows(const struct lull_dap *p, unsigned number);

/** None is set any more; the session is gone. */
void lull_dap_drop_all(struct lull_dap *p);

// checks.c

/** Add the checks to the list of filters. */
void lull_dap_check_filters(json_t *list);
/** The check of @p filter; NULL: it is not one. */
const char *lull_dap_check_of(const char *filter);
/** Take the filters of a setExceptionBreakpoints. @return Whether one is a check that is not
 * attached. */
bool lull_dap_more_checks(struct lull_dap *p, const json_t *args);
/** Is the check @p name attached by filters? */
bool lull_dap_is_checked(const struct lull_dap *p, const char *name);
/** Of the attached those that the client has chosen stop. */
void lull_dap_stop_for_checks(struct lull_dap *p);
// look.c

/** Thread @p thread has stopped; @p why: for which exception, NULL: for none. */
void lull_dap_note_why(struct lull_dap *p, json_int_t thread, const char *why);

// state.c

/** Put the focus on a thread. @p id: from the client. */
struct lull_error *lull_dap_focus(struct lull_dap *p, json_int_t id) LULL_MUST_USE;
/** The id that the client has of frame @p depth of the wave in focus. */
int lull_dap_frame_id(const struct lull_dap *p, unsigned depth);
/** Put the focus on the wave of the frame @p id, and on that frame. @p id: from the client. */
struct lull_error *lull_dap_frame(struct lull_dap *p, json_int_t id) LULL_MUST_USE;
/** {"name", "path"} of a file as the compiler wrote it. */
json_t *lull_dap_file(const struct lull_dap *p, const char *file);

// values.c

/** What a shell command says as JSON. */
struct lull_error *lull_dap_command(struct lull_dap *p, const char *command,
                                    json_t **ret) LULL_MUST_USE;
/** Values of before are no more. */
void lull_dap_forget(struct lull_dap *p);

/** Is @p type one of the source's, not of registers' bits ("u32")? NULL: no. */
bool lull_dap_is_typed(const char *type);
/** The bits @p hex ("0x...") as a type of C or of lull's expressions has them; of others as they
 * are. */
void lull_dap_value_text(const char *type, const char *hex, struct lull_str *out);
/** Give each of @p variables, a list, what the lines @p text of `info locals` say of it as member
 * "text". */
void lull_dap_add_texts(json_t *variables, const char *text);
/** Make the text of a reply of `print` @p expression the value's alone. */
void lull_dap_own_text(json_t *said, const char *expression);

#endif
