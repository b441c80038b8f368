// SPDX-License-Identifier: MIT
#include "cli/replay/override.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

LULL_MUST_USE static struct lull_error *run(const char *generator, uint64_t start, uint64_t size,
                                            const char *file)
{
    char from[64] = "", bytes[64] = "";
    int status = 0;
    (void)snprintf(from, sizeof from, "--vastart=%" PRIu64, start);
    (void)snprintf(bytes, sizeof bytes, "--vasize=%" PRIu64, size);
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        (void)dup2(STDERR_FILENO, STDOUT_FILENO); // standard output is the report
        (void)execlp(generator, generator, from, bytes, file, (char *)NULL);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (pid < 0) {
        return lull_error_os(errno, "%s", generator);
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return lull_error_new(LULL_ERR_BAD_DATA, "the generator %s %s %d", generator,
                              WIFEXITED(status) ? "ended with status" : "was ended by signal",
                              WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    }
    return NULL;
}

/** Buffers of @p made, and its stream as stream @p i of @p s. */
LULL_MUST_USE static struct lull_error *take(const struct lull_rp_submit *made,
                                             struct lull_rp_submit *s, size_t i)
{
    struct lull_error *err = NULL;
    for (size_t b = 0; err == NULL && b < made->nbuffers; b++) {
        err = lull_rp_submit_add(s, &made->buffers[b]);
    }
    for (size_t b = 0; err == NULL && b < made->nlogs; b++) {
        err = lull_rp_submit_add_log(s, &made->logs[b]);
    }
    s->streams[i].address = made->streams[0].address;
    s->streams[i].dwords = made->streams[0].dwords;
    return err;
}

LULL_MUST_USE static struct lull_error *read_made(const char *file, struct lull_rp_submit *s,
                                                  size_t i)
{
    struct lull_stream *in = NULL;
    struct lull_rp_reader *reader = NULL;
    struct lull_rp_submit made = {0};
    bool more = false;
    struct lull_error *err = lull_stream_open(file, &in);
    err = err != NULL ? err : lull_rp_reader_new(in, 0, &reader);
    err = err != NULL ? err : lull_rp_reader_next(reader, &made, &more);
    if (err == NULL && !more) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "a command stream is missing");
    }
    err = err != NULL ? err : take(&made, s, i);
    lull_rp_submit_done(&made);
    lull_rp_reader_free(reader);
    lull_stream_free(in);
    return err;
}

struct lull_error *lull_replay_override(struct lull_replay *r, struct lull_rp_submit *s,
                                        uint64_t number, const char *generator)
{
    struct lull_replay_temp t = {{0}, {0}};
    uint64_t start = 0, size = 0;
    size_t i = 0;
    while (i < s->nstreams && s->streams[i].number != number) {
        i++;
    }
    if (i == s->nstreams) {
        return NULL;
    }
    struct lull_error *err = lull_rp_device_place(r->device, s);
    if (err != NULL) {
        return err;
    }
    err = lull_replay_temp_new(&t);
    if (err != NULL) {
        return err;
    }
    lull_rp_device_hole(r->device, &start, &size);
    err = run(generator, start, size, t.file);
    err = err != NULL ? err : lull_error_in(read_made(t.file, s, i), "what %s wrote", generator);
    lull_replay_temp_done(&t);
    return err;
}
