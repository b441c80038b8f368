// SPDX-License-Identifier: MIT
/* The command line of the debugger: gdb's words, with unique prefixes, "name/8xw args". */
#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/shell/debugger.h"
#include "debug/shell/shell.h"
#include "debug/source/beside.h"

struct entry {
    const char *name;
    const char *alias; ///< A short form that wins over prefixes, or NULL.
    lull_cmd_fn *run;
    const char *args, *help;
};

static lull_cmd_fn cmd_apropos, cmd_help, cmd_quit;

static const struct entry entries[] = {
    {"advance", NULL, lull_cmd_until, "PLACE", "run the focused wave to PLACE"},
    {"apropos", NULL, cmd_apropos, "REGEX", "commands whose help has REGEX"},
    {"awatch", NULL, lull_cmd_awatch, "PLACE [if EXPR]", "stop at loads and stores of PLACE"},
    {"backtrace", "bt", lull_cmd_backtrace, "[full] [N | -N]",
     "where the focused wave is, and who called"},
    {"break", "b", lull_cmd_break, "[PLACE] [at gid X[,Y[,Z]]] [if EXPR] | packet WHICH",
     "stop where a wave comes to PLACE: symbol, symbol+N, FILE:LINE, LINE, *ADDRESS; in front of "
     "packets of an Adreno: [STREAM:] and a number, 0xADDRESS, CP_NAME or a register"},
    {"call", NULL, lull_cmd_print, "[/F] EXPR", "value of EXPR"},
    {"catch", NULL, lull_cmd_catch,
     "dispatch|draw [N | pipeline HASH | name REGEX | ask] | frame [N] | fp [KIND...]",
     "stop in front of a dispatch or draw of a program, also 'break -launch'; or behind an "
     "instruction "
     "that "
     "raises invalid, denormal, divzero, overflow, underflow, inexact, intdiv, all"},
    {"clear", NULL, lull_cmd_clear, "[PLACE]", "delete the breakpoints at PLACE, or at this line"},
    {"condition", NULL, lull_cmd_condition, "N [EXPR]",
     "breakpoint N stops only if EXPR is true in some active lane"},
    {"continue", "c", lull_cmd_continue, "[N]",
     "let waves run until something stops; N: pass this breakpoint N-1 times"},
    {"debug", NULL, lull_cmd_debug, "pixel X Y [sample S] [prim N] [draw N]",
     "go on to the wave that shades that pixel, its first instruction, and that lane"},
    {"delete", "d", lull_cmd_delete, "[N | M-N...]", "delete breakpoints"},
    {"disable", NULL, lull_cmd_disable, "[N | M-N...]", "keep breakpoints but do not stop at them"},
    {"disassemble", "disas", lull_cmd_disassemble, "[/s] [/r] [PLACE [,COUNT | ,+BYTES | ,END]]",
     "list code around the pc or from PLACE; /s: with source lines, /r: with its bytes"},
    {"display", NULL, lull_cmd_display, "[/F EXPR]", "print EXPR at every stop"},
    {"down", NULL, lull_cmd_down, "[N]", "look at the frame N further in"},
    {"dprintf", NULL, lull_cmd_dprintf, "PLACE,\"FORMAT\",EXPR,...",
     "print where a wave comes to PLACE, a line for each lane, and go on"},
    {"dump", NULL, lull_cmd_dump,
     "buffer NAME|N|START,SIZE out=FILE | target [N] | depth | stencil out=FILE.png | image N "
     "[level=L] [slice=S] out=FILE.png | mesh [after] out=FILE.obj | "
     "overdraw|primitives [frame] out=FILE.png | memory FILE "
     "START SIZE",
     "write GPU memory to a file; an image's file not named .png gets four dwords a texel; "
     "a mesh is what goes into the held draw; what comes out of it (mesh after, overdraw, "
     "primitives) lets it run to its end, with 'frame' the frame"},
    {"echo", NULL, lull_cmd_echo, "TEXT", "print TEXT"},
    {"enable", NULL, lull_cmd_enable, "[delete | once | count N] [N | M-N...]",
     "stop at breakpoints again; once, or N times, then they are disabled; delete: once, then they "
     "are gone"},
    {"finish", "fin", lull_cmd_finish, "",
     "run to the end of the function, and show what it returns; in a kernel to its s_endpgm"},
    {"focus", NULL, lull_cmd_focus, "[wave N] [lane N] [wg X,Y,Z thread N]",
     "choose the wave and lane that commands speak of"},
    {"frame", "f", lull_cmd_frame, "[N | function NAME | apply all|N [-q] [-c] [-s] COMMAND]",
     "look at frame N of backtrace: its variables are meant then; or a command for each frame"},
    {"goto", NULL, lull_cmd_goto, "TIME | start | end | insn N",
     "to that time of the dispatch, as 'info when' says it; in front of instruction N of the "
     "focused wave"},
    {"help", "h", cmd_help, "[COMMAND]", "this list, or what a command does"},
    {"ignore", NULL, lull_cmd_ignore, "N COUNT", "pass breakpoint N COUNT times"},
    {"info", "i", lull_cmd_info, "WHAT",
     "locals | args | scope PLACE | frame | waves [-all|-groups|M-N] | lanes | dispatches | "
     "dispatch [N] | draws | draw [N] [state] | pipeline | descriptors | push-constants | access | "
     "registers [scalar|vector|hw|NAME] | bos | breakpoints | watchpoints | display | "
     "line [PLACE] | lines | source | symbol ADDR | address SYMBOL | functions | types | "
     "variables [PATTERN] | printf | when | writer PLACE | findings; of an Adreno: packets [N] | "
     "regs [PATTERN] | submits; of its crash dump: crash | firmware | missing"},
    {"interrupt", NULL, lull_cmd_interrupt, "", "stop all waves that run"},
    {"kill", "k", lull_cmd_kill, "", "kill the waves of the program"},
    {"lane", NULL, lull_cmd_lane, "N", "focus on lane N"},
    {"lanes", NULL, lull_cmd_lanes, "where EXPR", "lanes of the focused wave where EXPR is true"},
    {"list", "l", lull_cmd_list, "[PLACE | FIRST,LAST | -]",
     "source lines around the pc or PLACE, from FIRST on; then those behind, or with - before"},
    {"next", "n", lull_cmd_next, "[N]", "step N source lines, over calls"},
    {"nexti", "ni", lull_cmd_nexti, "[N]", "step N instructions, over calls"},
    {"nextp", "np", lull_cmd_nextp, "[N]", "step N packets, over the buffers that they call"},
    {"other", NULL, lull_cmd_other, "",
     "the wave and lane of the other access of what a check has found, as of a race: where it has "
     "gone on, back in time to when it was there"},
    {"output", NULL, lull_cmd_output, "EXPR",
     "value of EXPR in the focused lane, without a name and a newline"},
    {"pixel", NULL, lull_cmd_pixel, "[X Y] [sample S] [target N] [frame N] | off",
     "what draws did to a pixel: primitives that covered it, tests, values before and after"},
    {"primitive", NULL, lull_cmd_primitive, "N [instance M] [draw N]",
     "go on to the lane of primitive N: geometry, mesh, or (patches) tessellation control shader"},
    {"print", "p", lull_cmd_print, "[/F] EXPR[@N]",
     "value of EXPR, or of N that lie one behind the other; F: x z d u o f t c a"},
    {"ptype", NULL, lull_cmd_ptype, "EXPR | TYPE",
     "the type of EXPR with its members: what typedefs stand for"},
    {"printf", NULL, lull_cmd_printf, "\"FORMAT\",EXPR,...",
     "print values of the focused lane as C's printf has it"},
    {"quit", "q", cmd_quit, "", "leave; what runs is killed"},
    {"record", NULL, lull_cmd_record, "save FILE",
     "the kernel's code, arguments and order in one file, for lull debug --replay"},
    {"reverse", NULL, lull_cmd_reverse,
     "-continue [-until PLACE] | -stepi [N] | -step [N] | -nexti [N] | -next [N] | -finish | "
     "-stepp [N]",
     "back in time: to a breakpoint, or to who wrote what is watched; N instructions or source "
     "lines of the focused wave, over calls or into them; to the call of the function; of an "
     "Adreno to the packet N before, by a replay from the "
     "beginning"},
    {"rc", NULL, lull_cmd_rc, "[-until PLACE]",
     "reverse-continue: back to a breakpoint, or to who wrote what is watched; or to who wrote "
     "PLACE "
     "last"},
    {"rn", NULL, lull_cmd_rn, "[N]", "reverse-next: back N source lines, over calls"},
    {"rni", NULL, lull_cmd_rni, "[N]", "reverse-nexti: back N instructions, over calls"},
    {"rs", NULL, lull_cmd_rs, "[N]", "reverse-step: back N source lines"},
    {"rsi", NULL, lull_cmd_rsi, "[N]", "reverse-stepi: back N instructions"},
    {"run", "r", lull_cmd_run, "", "start the program"},
    {"rwatch", NULL, lull_cmd_rwatch, "PLACE [if EXPR]", "stop at loads of PLACE"},
    {"save", NULL, lull_cmd_save, "breakpoints FILE", "write breakpoints as commands, for source"},
    {"set", NULL, lull_cmd_set,
     "PLACE = EXPR | var PLACE = EXPR | breakpoint mode trap|step | breakpoint pending auto|on|off "
     "| scheduler-locking off|step|on "
     "| "
     "dprintf-style gdb|agent | listsize N | pagination on|off | timeout MS | record-memory "
     "MIB|off | record-writers on|off",
     "write a register or memory, or a setting"},
    {"shell", NULL, lull_cmd_shell, "COMMAND",
     "run a command of this machine's shell; also !COMMAND"},
    {"show", NULL, lull_cmd_show, "[SETTING | values | convenience]",
     "the settings, or one; what was printed, as $1; variables that were set"},
    {"source", NULL, lull_cmd_source,
     "on [-O0..3|g] | off | compare [all] [--tolerance ulp:N|rel:X] [-O0..3|g]",
     "let the held dispatch run code that lull compiles of its SPIR-V, with lines; or run it both "
     "ways and compare what they write; 'all': so for all that come"},
    {"start", NULL, lull_cmd_start, "",
     "start the program and stop every wave at its first instruction"},
    {"step", "s", lull_cmd_step, "[N]", "step N source lines"},
    {"stepi", "si", lull_cmd_stepi, "[N]", "step N instructions"},
    {"stepp", "sp", lull_cmd_stepp, "[N]", "step N packets of an Adreno's command processor"},
    {"table", NULL, lull_cmd_table, "[/F] EXPR[, EXPR...] [-waves M-N]",
     "what is given, in all waves and lanes, a row for each wave, equal ones together"},
    {"thread", NULL, lull_cmd_thread, "[N | apply all|N-M COMMAND]",
     "focus on wave N; or a command for each wave that stands"},
    {"tbreak", "tb", lull_cmd_tbreak, "PLACE", "break once"},
    {"undisplay", NULL, lull_cmd_undisplay, "[N]", "forget a display"},
    {"until", "u", lull_cmd_until, "[PLACE | packet WHICH]",
     "run the focused wave to PLACE, or to a line further down, out of a loop; or to that packet, "
     "also STREAM:NUMBER alone"},
    {"up", NULL, lull_cmd_up, "[N]", "look at the frame N further out: that of the caller"},
    {"vertex", NULL, lull_cmd_vertex, "N [instance M] [draw N]",
     "go on to the lane of the vertex shader for vertex N, counted in the draw (or its indices)"},
    {"vm", NULL, lull_cmd_vm, "walk ADDRESS", "walk the page tables as hardware would"},
    {"watch", NULL, lull_cmd_watch, "[--software] PLACE [if EXPR]",
     "stop at stores to PLACE: ADDRESS, buffer+N, {u64}ADDRESS; in software: when it changes"},
    {"wave", NULL, lull_cmd_thread, "N [lane M] | where EXPR | apply all|N-M COMMAND",
     "focus on wave N; or the waves where EXPR is true in some lane; or a command for each"},
    {"when", NULL, lull_cmd_when, "", "where in time it is, and what is remembered"},
    {"where", NULL, lull_cmd_backtrace, "", "where the focused wave is, and who called"},
    {"web", NULL, lull_cmd_web, "[PORT]", "go on in a page for a browser, as with --web"},
    {"wg", NULL, lull_cmd_workgroup, "X[,Y,Z] [thread N]", "focus on a workgroup's work-item"},
    {"whatis", NULL, lull_cmd_whatis, "EXPR | TYPE", "the name of the type of EXPR"},
    {"why", NULL, lull_cmd_why, "[-depth N] [-control] [-dot FILE] [-html FILE] PLACE",
     "what made the value of a register, a variable, NAME[INDEX] or memory: the instruction that "
     "wrote it, its operands and what made those, N steps back"},
    {"x", NULL, lull_cmd_x, "[/NFU] ADDRESS",
     "memory: N units of size U (b h w g) in format F (x z d u o f t c a i s)"},
};

enum { NENTRIES = sizeof entries / sizeof entries[0] };

LULL_MUST_USE static struct lull_error *find_entry(const char *name, size_t n,
                                                   const struct entry **ret);

/* What gdb's scripts have besides commands (script.h). */
static const char script_help[] =
    "commands [N...] ... end    done when breakpoint N, or the newest, has stopped something\n"
    "define NAME ... end        a command of your own; $arg0 to $arg9, $argc\n"
    "document NAME ... end      its help\n"
    "if EXPR ... else ... end   true if EXPR is in an active lane\n"
    "while EXPR ... end         loop_break, loop_continue\n"
    "source FILE                the commands of a file; of FILE.lua what Lua makes of it\n"
    "lua TEXT                   a statement of Lua, or an expression that is shown\n"
    "complete TEXT              how the command line TEXT could go on\n";

/** A member of the list of commands. */
static void json_entry(struct lull_cmd *c, const struct entry *e)
{
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
        lull_json_put_str(c->json, "name", e->name);
        lull_json_put_str(c->json, "alias", e->alias != NULL ? e->alias : "");
        lull_json_put_str(c->json, "arguments", e->args);
        lull_json_put_str(c->json, "help", e->help);
        lull_json_close(c->json, '}');
    }
}

/** Begin the list, or end it. */
static void json_commands(struct lull_cmd *c, bool begin)
{
    if (c->json != NULL && begin) {
        lull_json_key(c->json, "commands");
        lull_json_open(c->json, '[');
    } else if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
}

LULL_MUST_USE static struct lull_error *cmd_apropos(struct lull_cmd *c)
{
    regex_t re;
    if (*c->args == '\0' || regcomp(&re, c->args, REG_EXTENDED | REG_ICASE | REG_NOSUB) != 0) {
        return lull_error_new(LULL_ERR_INVALID, "'%s' is not a regular expression", c->args);
    }
    json_commands(c, true);
    for (size_t i = 0; i < NENTRIES; i++) {
        const struct entry *e = &entries[i];
        if (regexec(&re, e->name, 0, NULL, 0) == 0 || regexec(&re, e->help, 0, NULL, 0) == 0 ||
            regexec(&re, e->args, 0, NULL, 0) == 0) {
            lull_str_addf(c->out, "%s -- %s\n", e->name, e->help);
            json_entry(c, e);
        }
    }
    json_commands(c, false);
    regfree(&re);
    return NULL;
}

LULL_MUST_USE static struct lull_error *cmd_help(struct lull_cmd *c)
{
    const struct entry *about = NULL;
    if (*c->args != '\0') {
        struct lull_error *err = find_entry(c->args, strcspn(c->args, " \t"), &about);
        if (err == NULL) {
            lull_str_addf(c->out, "%s %s\n%s\n", about->name, about->args, about->help);
            json_commands(c, true);
            json_entry(c, about);
            json_commands(c, false);
        }
        return err;
    }
    json_commands(c, true);
    for (size_t i = 0; i < NENTRIES; i++) {
        const struct entry *e = &entries[i];
        json_entry(c, e);
        int pad = 46 - (int)strlen(e->name) - (int)strlen(e->args);
        lull_str_addf(c->out, "%s %s%*s %s\n", e->name, e->args, pad > 0 ? pad : 1, "", e->help);
    }
    json_commands(c, false);
    lull_str_addf(c->out, "%s", script_help);
    return NULL;
}

const char *lull_cmd_name(size_t i)
{
    return i < NENTRIES ? entries[i].name : NULL;
}

bool lull_debug_is_command(const char *name)
{
    for (size_t i = 0; i < NENTRIES; i++) {
        const struct entry *e = &entries[i];
        if (strcmp(e->name, name) == 0 || (e->alias != NULL && strcmp(e->alias, name) == 0)) {
            return true;
        }
    }
    return false;
}

LULL_MUST_USE static struct lull_error *cmd_quit(struct lull_cmd *c)
{
    c->d->quit = true;
    return NULL;
}

LULL_MUST_USE static struct lull_error *find_entry(const char *name, size_t n,
                                                   const struct entry **ret)
{
    const struct entry *found = NULL;
    struct lull_str several = {0};
    unsigned matches = 0;
    for (size_t i = 0; i < NENTRIES; i++) {
        const struct entry *e = &entries[i];
        bool exact = (strlen(e->name) == n && strncmp(e->name, name, n) == 0) ||
                     (e->alias != NULL && strlen(e->alias) == n && strncmp(e->alias, name, n) == 0);
        if (exact) {
            lull_str_free(&several);
            *ret = e;
            return NULL;
        }
        if (strncmp(e->name, name, n) == 0) {
            lull_str_addf(&several, " %s", e->name);
            found = e;
            matches++;
        }
    }
    struct lull_error *err = NULL;
    if (matches == 0) {
        err =
            lull_error_new(LULL_ERR_INVALID, "no command '%.*s': 'help' lists them", (int)n, name);
    } else if (matches > 1) {
        err = lull_error_new(LULL_ERR_INVALID, "'%.*s' is one of:%s", (int)n, name,
                             lull_str_text(&several));
    }
    lull_str_free(&several);
    *ret = found;
    return err;
}

/* "/8xw" behind a name. */
LULL_MUST_USE static struct lull_error *parse_slash(const char **at, bool code, struct lull_cmd *c)
{
    if (**at != '/') {
        return NULL;
    }
    const char *p = *at + 1;
    char *end = NULL;
    if (isdigit((unsigned char)*p) || *p == '-') {
        long n = strtol(p, &end, 10);
        if (n <= 0 || n > 65536) {
            return lull_error_new(LULL_ERR_INVALID, "'%.*s' is not a count of 1 to 65536",
                                  (int)(end > p ? end - p : 1), p);
        }
        c->count = (unsigned)n;
        p = end;
    }
    for (; isalpha((unsigned char)*p); p++) {
        if (strchr("bhwg", *p) != NULL) {
            c->size = *p;
        } else if (strchr(code ? "mrs" : "xduftcisaoz", *p) != NULL) {
            c->format = *p;
        } else {
            return lull_error_new(LULL_ERR_INVALID,
                                  code ? "no format '%c' (s, m: with source lines, r: with bytes)"
                                       : "no format '%c' (x z d u o f t c a i s, sizes b h w g)",
                                  *p);
        }
    }
    *at = p;
    return NULL;
}

LULL_MUST_USE static struct lull_error *run_entry(struct lull_debug *d, const struct entry *e,
                                                  struct lull_cmd *c, struct lull_str *out)
{
    if (!d->json) {
        c->out = out;
        return e->run(c);
    }
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    lull_cleanup(lull_str_free) struct lull_str object = {0};
    struct lull_json json = {.out = &object};
    c->out = &text;
    c->json = &json;
    lull_json_open(&json, '{');
    lull_json_put_str(&json, "command", e->name);
    struct lull_error *err = e->run(c);
    if (err == NULL) {
        lull_json_put_str(&json, "text", lull_str_text(&text));
        lull_json_close(&json, '}');
        lull_str_addf(out, "%s\n", lull_str_text(&object));
    }
    return err;
}

struct lull_error *lull_debug_command(struct lull_debug *d, const char *line, struct lull_str *out)
{
    while (isspace((unsigned char)*line)) {
        line++;
    }
    if (*line == '\0' || *line == '#') {
        return NULL;
    }
    lull_cleanup(lull_freep) char *copy = strdup(line);
    if (copy == NULL) {
        return &lull_enomem;
    }
    lull_beside_enable(d);
    for (size_t n = strlen(copy); n > 0 && isspace((unsigned char)copy[n - 1]); n--) {
        copy[n - 1] = '\0';
    }
    const char *at = copy;
    while (isalpha((unsigned char)*at)) {
        at++;
    }
    const struct entry *e = NULL;
    if (lull_cmd_is_gdbs(copy)) {
        return NULL;
    }
    lull_cleanup(lull_str_free) struct lull_str here = {0};
    if (lull_cmd_said_here(copy, &here)) {
        return lull_debug_command(d, lull_str_text(&here), out);
    }
    const bool host = *copy == '!';
    at += host;
    struct lull_error *err = lull_cmd_not_here(copy);
    if (err == NULL) {
        err = host ? find_entry("shell", strlen("shell"), &e)
                   : find_entry(copy, (size_t)(at - copy), &e);
    }
    struct lull_cmd c = {.d = d, .command = lull_debug_command};
    if (err == NULL && e->run != lull_cmd_shell) {
        err = parse_slash(&at, e->run == lull_cmd_disassemble, &c);
    }
    if (err != NULL) {
        return err;
    }
    while (isspace((unsigned char)*at)) {
        at++;
    }
    if (*at == '/' && e->run != lull_cmd_shell) { // "display /x $s0"
        err = parse_slash(&at, e->run == lull_cmd_disassemble, &c);
        while (isspace((unsigned char)*at)) {
            at++;
        }
    }
    lull_cleanup(lull_str_free) struct lull_str place = {0};
    c.args = lull_cmd_explicit(at, &place) ? lull_str_text(&place) : at;
    const unsigned next = d->next_breakpoint;
    err = err != NULL ? err : run_entry(d, e, &c, out);
    if (err == NULL && d->next_breakpoint != next) {
        err = lull_debug_set_convenience(d, "bpnum", d->next_breakpoint - 1);
    }
    return err;
}
