// SPDX-License-Identifier: MIT
/* Scripts as gdb has them: blocks that end with `end`, commands of one's own, files. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "debug/session/engine.h"
#include "debug/shell/debugger.h"
#include "debug/shell/script.h"
#include "debug/shell/shell.h"
#include "expr/value.h"

enum { MAX_DEPTH = 64, MAX_ARGS = 10 };

enum block_kind { PLAIN, COMMANDS, DEFINE, DOCUMENT, IF, WHILE };

struct lines {
    char **at; ///< Owned, with its strings.
    size_t n, room;
};

/** A command of the user's own. */
struct user {
    char *name, *help; ///< Owned; help NULL: there is none.
    struct lines lines;
};

struct lull_script {
    struct lull_debug *d;
    const struct lull_script_host *host;
    enum block_kind kind; ///< What is open; PLAIN: nothing.
    char *head;           ///< What stands behind its first word. Owned.
    struct lines open;    ///< Its lines so far.
    unsigned nested;      ///< Blocks in it that wait for their `end`.
    struct user *users;
    size_t nusers;
    unsigned depth;          ///< Files and commands in each other.
    bool leave, again;       ///< loop_break, loop_continue.
    bool in_commands, moved; ///< Of a breakpoint; one of them has let waves run.
};

static void clear(struct lines *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->at[i]);
    }
    free(l->at);
    *l = (struct lines){0};
}

LULL_MUST_USE static struct lull_error *add(struct lines *l, const char *text)
{
    if (l->n == l->room) {
        const size_t room = l->room != 0 ? 2 * l->room : 16;
        char **more = realloc(l->at, room * sizeof *more);
        if (more == NULL) {
            return &lull_enomem;
        }
        l->at = more;
        l->room = room;
    }
    l->at[l->n] = strdup(text);
    return l->at[l->n] != NULL ? (l->n++, NULL) : &lull_enomem;
}

static const char *skip(const char *at)
{
    while (isspace((unsigned char)*at)) {
        at++;
    }
    return at;
}

/** Is @p word the first of @p line? Then what stands behind it; else NULL. */
static const char *behind(const char *line, const char *word)
{
    const size_t n = strlen(word);
    return strncmp(line, word, n) == 0 && (line[n] == '\0' || isspace((unsigned char)line[n]))
               ? skip(line + n)
               : NULL;
}

static enum block_kind begins(const char *line, const char **ret_head)
{
    static const char *const words[] = {NULL, "commands", "define", "document", "if", "while"};
    for (enum block_kind k = COMMANDS; k <= WHILE; k++) {
        *ret_head = behind(line, words[k]);
        if (*ret_head != NULL) {
            return k;
        }
    }
    return PLAIN;
}

static struct user *find_user(const struct lull_script *s, const char *name, size_t n)
{
    for (size_t i = 0; i < s->nusers; i++) {
        if (strlen(s->users[i].name) == n && strncmp(s->users[i].name, name, n) == 0) {
            return &s->users[i];
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *run(struct lull_script *s, const struct lines *l,
                                            size_t from, size_t to);

/** Commands of a breakpoint; one of them that lets waves run is the last of them. */
LULL_MUST_USE static struct lull_error *run_commands(struct lull_script *s, const char *text)
{
    struct lines l = {0};
    struct lull_error *err = NULL;
    lull_cleanup(lull_freep) char *copy = strdup(text);
    char *rest = NULL;
    for (char *at = copy != NULL ? strtok_r(copy, "\n", &rest) : NULL; err == NULL && at != NULL;
         at = strtok_r(NULL, "\n", &rest)) {
        err = strcmp(at, "silent") != 0 ? add(&l, at) : NULL;
    }
    s->in_commands = true;
    s->moved = false;
    err = err != NULL ? err : run(s, &l, 0, l.n);
    s->in_commands = false;
    clear(&l);
    return err;
}

/** A command, and those of the breakpoint that it has come to. */
LULL_MUST_USE static struct lull_error *plain(struct lull_script *s, const char *line)
{
    const unsigned resumes = s->d->resumes;
    struct lull_error *err = s->host->command(s->host->ctx, line);
    s->moved = s->d->resumes != resumes;
    if (s->in_commands) {
        return err;
    }
    while (err == NULL && s->moved && !s->host->ends(s->host->ctx)) {
        const struct lull_breakpoint *b = lull_debug_came_to(s->d);
        s->moved = false;
        if (b != NULL && b->commands != NULL) {
            err = run_commands(s, b->commands);
        }
    }
    s->moved = false;
    return err;
}

/** "$argc", "$arg0" to "$arg9" of @p line become words of @p args. */
static void put_args(const char *line, const char *args, struct lull_str *out)
{
    const char *word[MAX_ARGS];
    int size[MAX_ARGS];
    unsigned n = 0;
    for (const char *at = skip(args); *at != '\0' && n < MAX_ARGS; at = skip(at)) {
        word[n] = at;
        at += strcspn(at, " \t");
        size[n] = (int)(at - word[n]);
        n++;
    }
    while (*line != '\0') {
        const bool arg = strncmp(line, "$arg", 4) == 0;
        const unsigned which =
            arg && isdigit((unsigned char)line[4]) ? (unsigned)(line[4] - '0') : MAX_ARGS;
        if (which < n) {
            lull_str_addf(out, "%.*s", size[which], word[which]);
            line += 5;
        } else if (arg && line[4] == 'c') {
            lull_str_addf(out, "%u", n);
            line += 5;
        } else {
            lull_str_add(out, line++, 1);
        }
    }
}

LULL_MUST_USE static struct lull_error *call(struct lull_script *s, const struct user *u,
                                             const char *args)
{
    struct lines l = {0};
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < u->lines.n; i++) {
        lull_cleanup(lull_str_free) struct lull_str line = {0};
        put_args(u->lines.at[i], args, &line);
        err = add(&l, lull_str_text(&line));
    }
    err = err != NULL ? err : run(s, &l, 0, l.n);
    clear(&l);
    return err;
}

struct completion {
    struct lull_script *s;
    const char *begun;
    size_t kept;            ///< Bytes in front of the word that is completed.
    struct lull_json *json; ///< NULL: as text.
};

static void completed(void *ctx, const char *word)
{
    const struct completion *c = ctx;
    lull_cleanup(lull_str_free) struct lull_str line = {0};
    lull_str_addf(&line, "%.*s%s", (int)c->kept, c->begun, word);
    if (c->json != NULL) {
        lull_json_str(c->json, lull_str_text(&line));
        return;
    }
    lull_str_addf(&line, "\n");
    c->s->host->show(c->s->host->ctx, lull_str_text(&line));
}

/** How a command line could go on. */
static void complete(struct lull_script *s, const char *begun)
{
    lull_cleanup(lull_str_free) struct lull_str object = {0};
    struct lull_json json = {.out = &object};
    struct completion c = {
        .s = s, .begun = begun, .kept = strlen(begun), .json = s->d->json ? &json : NULL};
    while (c.kept > 0 && strchr(" \t,(+-*=[", begun[c.kept - 1]) == NULL) {
        c.kept--;
    }
    if (c.json != NULL) {
        lull_json_open(&json, '{');
        lull_json_put_str(&json, "command", "complete");
        lull_json_key(&json, "lines");
        lull_json_open(&json, '[');
    }
    lull_debug_complete(s->d, begun, completed, &c);
    if (c.json != NULL) {
        lull_json_close(&json, ']');
        lull_json_close(&json, '}');
        lull_str_addf(&object, "\n");
        s->host->show(s->host->ctx, lull_str_text(&object));
    }
}

/** What the user's own command @p u does. */
static void show_help(struct lull_script *s, const struct user *u)
{
    lull_cleanup(lull_str_free) struct lull_str object = {0};
    struct lull_json json = {.out = &object};
    const char *help = u->help != NULL ? u->help : "User-defined.\n";
    if (!s->d->json) {
        s->host->show(s->host->ctx, help);
        return;
    }
    lull_json_open(&json, '{');
    lull_json_put_str(&json, "command", "help");
    lull_json_put_str(&json, "text", help);
    lull_json_close(&json, '}');
    lull_str_addf(&object, "\n");
    s->host->show(s->host->ctx, lull_str_text(&object));
}

/** A file, or a text. */
LULL_MUST_USE static struct lull_error *run_lua(struct lull_script *s, const char *path,
                                                const char *text)
{
    if (s->host->lua == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "this session does not take Lua");
    }
    if (path == NULL && *text == '\0') {
        return lull_error_new(LULL_ERR_INVALID, "lua what? A statement or an expression");
    }
    return s->host->lua(s->host->ctx, path, text);
}

/** A line that begins no block. */
LULL_MUST_USE static struct lull_error *one(struct lull_script *s, const char *line)
{
    const char *path = behind(line, "source");
    if (path != NULL && (*path == '\0' || behind(path, "on") != NULL ||
                         behind(path, "off") != NULL || behind(path, "compare") != NULL)) {
        path = NULL; // lull's own `source`, of a dispatch.
    }
    const size_t n = strcspn(line, " \t");
    const struct user *u = find_user(s, line, n);
    const char *help = behind(line, "help");
    const struct user *about = help != NULL ? find_user(s, help, strlen(help)) : NULL;
    if (about != NULL) {
        show_help(s, about);
        return NULL;
    }
    const char *begun = behind(line, "complete");
    if (begun != NULL) {
        complete(s, begun);
        return NULL;
    }
    const char *lua = behind(line, "lua");
    const size_t length = path != NULL ? strlen(path) : 0;
    const bool is_lua = length > 4 && strcmp(path + length - 4, ".lua") == 0;
    if (u == NULL && (is_lua || lua != NULL)) {
        return run_lua(s, is_lua ? path : NULL, lua);
    }
    if (path == NULL && u == NULL) {
        return plain(s, line);
    }
    if (s->depth == MAX_DEPTH) {
        return lull_error_new(LULL_ERR_INVALID, "more than %d files or commands in each other",
                              MAX_DEPTH);
    }
    s->depth++;
    struct lull_error *err = u != NULL ? call(s, u, line + n) : lull_script_file(s, path);
    s->depth--;
    return err;
}

/** The line of the `end` of the block that begins at @p at, and its `else`, which is @p at if there
 * is none. */
LULL_MUST_USE static struct lull_error *find_end(const struct lines *l, size_t at, size_t to,
                                                 size_t *ret_else, size_t *ret)
{
    unsigned nested = 0;
    const char *head = NULL;
    *ret_else = at;
    for (size_t i = at + 1; i < to; i++) {
        if (strcmp(l->at[i], "end") == 0) {
            if (nested-- == 0) {
                *ret = i;
                return NULL;
            }
        } else if (strcmp(l->at[i], "else") == 0 && nested == 0) {
            *ret_else = i;
        } else {
            nested += begins(l->at[i], &head) != PLAIN;
        }
    }
    return lull_error_new(LULL_ERR_INVALID, "'%s' has no end", l->at[at]);
}

/** Is it true in an active lane? */
LULL_MUST_USE static struct lull_error *holds(struct lull_script *s, const char *text, bool *ret)
{
    struct lull_value v;
    struct lull_error *err = lull_debug_eval(s->d, text, &v);
    *ret = err == NULL && lull_value_truth(&v) != 0;
    return err;
}

/** Rounds of a loop: the lines from @p from to before @p to. */
LULL_MUST_USE static struct lull_error *loop(struct lull_script *s, const struct lines *l,
                                             const char *test, size_t from, size_t to)
{
    bool goes = true;
    struct lull_error *err = NULL;
    while (err == NULL && goes && !s->moved && !s->host->ends(s->host->ctx)) {
        err = holds(s, test, &goes);
        err = err != NULL || !goes ? err : run(s, l, from, to);
        goes = goes && !s->leave;
        s->leave = s->again = false;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *close_block(struct lull_script *s, enum block_kind kind,
                                                    const char *head,
                                                    struct lines *l) LULL_MUST_USE;

/** The block that begins at @p at; @p ret: the line behind it. */
LULL_MUST_USE static struct lull_error *block(struct lull_script *s, const struct lines *l,
                                              size_t at, size_t to, size_t *ret)
{
    const char *head = NULL;
    const enum block_kind kind = begins(l->at[at], &head);
    size_t other = at, end = at;
    bool yes = false;
    struct lull_error *err = find_end(l, at, to, &other, &end);
    *ret = end + 1;
    if (err != NULL) {
        return err;
    }
    if (kind == WHILE) {
        return loop(s, l, head, at + 1, end);
    }
    if (kind == IF) {
        err = holds(s, head, &yes);
        return err != NULL   ? err
               : yes         ? run(s, l, at + 1, other != at ? other : end)
               : other != at ? run(s, l, other + 1, end)
                             : NULL;
    }
    struct lines copy = {0};
    for (size_t i = at + 1; err == NULL && i < end; i++) {
        err = add(&copy, l->at[i]);
    }
    err = err != NULL ? err : close_block(s, kind, head, &copy);
    clear(&copy);
    return err;
}

LULL_MUST_USE static struct lull_error *run(struct lull_script *s, const struct lines *l,
                                            size_t from, size_t to)
{
    struct lull_error *err = NULL;
    const char *head = NULL;
    for (size_t i = from; err == NULL && i < to && !s->leave && !s->again && !s->moved &&
                          !s->d->quit && !s->host->ends(s->host->ctx);) {
        if (begins(l->at[i], &head) != PLAIN) {
            err = block(s, l, i, to, &i);
        } else if (strcmp(l->at[i], "loop_break") == 0 || strcmp(l->at[i], "loop_continue") == 0) {
            s->leave = l->at[i][5] == 'b';
            s->again = !s->leave;
            i++;
        } else {
            err = one(s, l->at[i++]);
        }
    }
    return err;
}

/** Text of all lines, each with its end. */
static char *join(const struct lines *l)
{
    struct lull_str text = {0};
    for (size_t i = 0; i < l->n; i++) {
        lull_str_addf(&text, "%s\n", l->at[i]);
    }
    char *copy = text.err == NULL ? strdup(lull_str_text(&text)) : NULL;
    lull_str_free(&text);
    return copy;
}

/** `commands`: of the breakpoints that @p head names, or of the newest. */
LULL_MUST_USE static struct lull_error *set_commands(struct lull_script *s, const char *head,
                                                     const struct lines *l)
{
    uint64_t first = s->d->next_breakpoint - 1, last = first;
    for (const char *at = skip(head);; first = last = 0) {
        if (*at != '\0') {
            const bool ok = lull_cmd_number(&at, &first);
            const bool range = ok && *at == '-';
            at += range;
            last = first;
            if (!ok || (range && !lull_cmd_number(&at, &last)) || last < first ||
                last - first > UINT16_MAX) {
                return lull_error_new(LULL_ERR_INVALID, "commands '%s': not numbers of breakpoints",
                                      head);
            }
        }
        for (uint64_t n = first; n <= last; n++) {
            struct lull_breakpoint *b =
                n < LULL_PASSING_BREAKPOINT ? lull_debug_breakpoint(s->d, (unsigned)n) : NULL;
            char *text = b != NULL ? join(l) : NULL;
            if (text == NULL) {
                return b == NULL ? lull_error_new(LULL_ERR_INVALID, "no breakpoint %" PRIu64, n)
                                 : &lull_enomem;
            }
            free(b->commands);
            b->commands = text;
        }
        if (*at == '\0') {
            return NULL;
        }
    }
}

/** `define` and `document`: @p help tells which. */
LULL_MUST_USE static struct lull_error *set_user(struct lull_script *s, const char *name,
                                                 struct lines *l, bool help)
{
    const size_t n = strcspn(name, " \t");
    struct user *u = find_user(s, name, n);
    if (n == 0 || name[n] != '\0' || !isalpha((unsigned char)*name)) {
        return lull_error_new(LULL_ERR_INVALID, "'%s' is not a name of a command", name);
    }
    if (u == NULL && help) {
        return lull_error_new(LULL_ERR_INVALID, "document: '%s' is not defined", name);
    }
    if (lull_debug_is_command(name)) {
        return lull_error_new(LULL_ERR_INVALID, "define: '%s' is a command of lull", name);
    }
    if (u == NULL) {
        struct user *more = realloc(s->users, (s->nusers + 1) * sizeof *more);
        char *copy = more != NULL ? strdup(name) : NULL;
        s->users = more != NULL ? more : s->users;
        if (copy == NULL) {
            return &lull_enomem;
        }
        u = &s->users[s->nusers++];
        *u = (struct user){.name = copy};
    }
    if (help) {
        free(u->help);
        u->help = join(l);
        return u->help != NULL ? NULL : &lull_enomem;
    }
    clear(&u->lines);
    u->lines = *l;
    *l = (struct lines){0};
    return NULL;
}

/** The block is whole. What of @p l is not taken stays the caller's. */
LULL_MUST_USE static struct lull_error *close_block(struct lull_script *s, enum block_kind kind,
                                                    const char *head, struct lines *l)
{
    return kind == COMMANDS ? set_commands(s, head, l) : set_user(s, head, l, kind == DOCUMENT);
}

/** A line of the block that is open. */
LULL_MUST_USE static struct lull_error *inside(struct lull_script *s, const char *line)
{
    const char *head = NULL;
    const bool end = strcmp(line, "end") == 0;
    if (!end || s->nested != 0) {
        s->nested -= end;
        s->nested += s->kind != DOCUMENT && begins(line, &head) != PLAIN;
        return add(&s->open, line);
    }
    struct lines l = s->open;
    lull_cleanup(lull_freep) char *first = s->head;
    const enum block_kind kind = s->kind;
    s->kind = PLAIN;
    s->head = NULL;
    s->open = (struct lines){0};
    struct lull_error *err = NULL;
    if (kind == IF || kind == WHILE) { // With its first line and its end it can be run.
        err = add(&l, "end");
        err = err != NULL ? err : run(s, &l, 0, l.n);
        s->leave = s->again = false;
    } else {
        err = close_block(s, kind, first, &l);
    }
    clear(&l);
    return err;
}

struct lull_error *lull_script_line(struct lull_script *s, const char *line)
{
    const char *head = NULL;
    lull_cleanup(lull_freep) char *copy = strdup(skip(line));
    if (copy == NULL) {
        return &lull_enomem;
    }
    for (size_t n = strlen(copy); n > 0 && isspace((unsigned char)copy[n - 1]); n--) {
        copy[n - 1] = '\0';
    }
    if (s->kind != PLAIN) {
        return inside(s, s->kind == DOCUMENT && strcmp(copy, "end") != 0 ? line : copy);
    }
    const enum block_kind kind = begins(copy, &head);
    if (kind == PLAIN) {
        return strcmp(copy, "end") == 0
                   ? lull_error_new(LULL_ERR_INVALID, "an 'end' without a beginning")
                   : one(s, copy);
    }
    s->head = strdup(head);
    s->kind = s->head != NULL ? kind : PLAIN;
    s->nested = 0;
    struct lull_error *err = s->head == NULL ? &lull_enomem : NULL;
    return err != NULL || (kind != IF && kind != WHILE) ? err : add(&s->open, copy);
}

bool lull_script_waits(const struct lull_script *s)
{
    return s->kind != PLAIN;
}

/** What is open is forgotten. */
static void forget(struct lull_script *s)
{
    clear(&s->open);
    free(s->head);
    s->head = NULL;
    s->kind = PLAIN;
}

struct lull_error *lull_script_file(struct lull_script *s, const char *path)
{
    lull_cleanup(lull_fclosep) FILE *f = NULL;
    lull_cleanup(lull_freep) char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    struct lull_error *err = lull_files_fopen(path, &f);
    if (err != NULL) {
        return lull_error_in(err, "script");
    }
    while (err == NULL && !s->d->quit && !s->host->ends(s->host->ctx) &&
           getline(&line, &room, f) > 0) {
        number++;
        line[strcspn(line, "\n")] = '\0';
        err = lull_error_in(lull_script_line(s, line), "%s:%u", path, number);
    }
    if (err == NULL && lull_script_waits(s)) {
        err = lull_error_new(LULL_ERR_INVALID, "%s: the file ends before an 'end'", path);
    }
    forget(s);
    if (err != NULL &&
        lull_error_code(err) == LULL_ERR_INVALID) { // The file is wrong, not the caller.
        struct lull_error *bad = lull_error_new(LULL_ERR_BAD_DATA, "%s", lull_error_message(err));
        lull_error_free(err);
        return bad;
    }
    return err;
}

struct lull_error *lull_script_new(struct lull_debug *d, const struct lull_script_host *host,
                                   struct lull_script **ret)
{
    struct lull_script *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return &lull_enomem;
    }
    s->d = d;
    s->host = host;
    *ret = s;
    return NULL;
}

void lull_script_free(struct lull_script *s)
{
    if (s == NULL) {
        return;
    }
    forget(s);
    for (size_t i = 0; i < s->nusers; i++) {
        free(s->users[i].name);
        free(s->users[i].help);
        clear(&s->users[i].lines);
    }
    free(s->users);
    free(s);
}

void lull_script_users(const struct lull_script *s, void (*found)(void *ctx, const char *name),
                       void *ctx)
{
    for (size_t i = 0; i < s->nusers; i++) {
        found(ctx, s->users[i].name);
    }
}
