// SPDX-License-Identifier: MIT
// lull debug --replay: what is recorded is what is debugged.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/opt/options.h"
#include "cli/run/debug_capture.h"
#include "cli/run/debug_session.h"
#include "cli/run/record.h"
#include "cli/run/record_adreno.h"
#include "cli/run/record_program.h"

/** The record of a program's dispatch: lull is the program that submits it again. */
LULL_MUST_USE static struct lull_error *replay_as_program(struct lull_ds *s)
{
    static char run[] = "run", device[] = "--device", node[] = "/dev/dri/renderD128", end[] = "--";
    char *self = realpath("/proc/self/exe", NULL), *file = realpath(s->replay, NULL);
    char *argv[] = {self, run, device, node, end, file, NULL};
    memcpy(s->replay_argv, argv, sizeof argv);
    s->host.argv = s->replay_argv;
    return self != NULL && file != NULL ? NULL : &lull_enomem;
}

/** The record of a dispatch on an Adreno: a capture, which is put back as any is. */
LULL_MUST_USE static struct lull_error *replay_as_capture(struct lull_ds *s)
{
    bool is = false;
    struct lull_error *err = lull_record_adreno_look(s->replay, &is, &s->options.seed,
                                                     &s->replay_stood, &s->replay_place);
    s->options.path = s->replay;
    return err != NULL || is ? err
                             : lull_error_new(LULL_ERR_INVALID,
                                              "%s: a capture, but 'record save' has not written "
                                              "it: lull debug %s",
                                              s->replay, s->replay);
}

struct lull_error *lull_ds_replay(struct lull_ds *s, const struct lull_opts *o)
{
    const char *other = lull_opts_given_of(o, lull_options_kernel_opts);
    other = other != NULL ? other : lull_opts_given_of(o, lull_schedule_opts);
    other = other != NULL ? other : lull_opts_given_of(o, lull_printf_host_opts);
    other = other == NULL && lull_opts_given(o, "--seed") ? "--seed" : other;
    other = other == NULL && s->host.argv != NULL ? "program" : other;
    struct lull_error *err = NULL;
    const bool before = s->options.path != NULL || s->host.argv != NULL;
    if (s->replay != NULL && before && s->options.schedule == NULL &&
        lull_schedule_is(s->replay)) { // What lull explore saved, instead of a record.
        s->options.schedule = s->replay;
        s->replay = NULL;
    }
    if (s->replay != NULL && (other != NULL || s->options.path != NULL || s->attach != NULL)) {
        err = lull_error_new(LULL_ERR_INVALID, "--replay has a kernel of its own: no %s",
                             other != NULL             ? other
                             : s->options.path != NULL ? s->options.path
                                                       : "--attach");
    } else if (s->replay != NULL) {
        s->replay_capture = lull_debug_file_is(s->replay, LULL_KIND_RD);
        err = s->replay_capture
                  ? replay_as_capture(s)
                  : lull_record_program_look(s->replay, &s->replay_program, &s->options.seed,
                                             &s->replay_stood, &s->replay_place);
        err = err != NULL         ? err
              : s->replay_capture ? NULL
              : s->replay_program ? replay_as_program(s)
                                  : lull_replayed_open(s->replay, &s->options, &s->replayed);
    }
    return err;
}
