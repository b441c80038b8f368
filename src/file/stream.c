// SPDX-License-Identifier: MIT
#include "file/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <isa-l/igzip_lib.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "base/files.h"

enum { BLOCK_BYTES = 1 << 16, MOST_AT_ONCE = 1 << 30, ZSTD_WINDOW_LOG = 27 };
enum { SECOND_MS = 1000, LOOK_BYTES_LOG = 20, MOST_FREE = 1 << 30, MOST_RATIO = 1024 };

enum form { PLAIN, GZIP, ZSTD };

struct lull_stream {
    int fd;             // -1: memory
    const uint8_t *mem; // borrowed
    size_t mem_left;
    uint64_t before; // packed bytes before in[0]
    size_t pos, end; // of in[]
    enum form form;
    bool inside; // a gzip member or zstd frame is not yet complete
    bool no_memory;
    int os_error;
    const struct lull_stream_watch *watch; // borrowed; NULL: nobody asks
    bool can_wait;                         // a pipe, a terminal
    time_t begin, told;
    uint64_t unpacked;
    size_t ahead_pos, ahead_end; // of ahead[]: what was peeked at and not yet read
    const char *trouble;         // what is wrong with the packing; static, or of libzstd
    struct inflate_state *z;
    int damage; // what it said; 0: nothing
    ZSTD_DStream *zstd;
    uint8_t in[BLOCK_BYTES];
    uint8_t ahead[LULL_STREAM_PEEK];
};

static time_t now(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

static void tell(struct lull_stream *s, enum lull_stream_wait wait)
{
    const time_t t = s->watch != NULL ? now() : s->told;
    if (t != s->told) {
        s->told = t;
        s->watch->fn(s->watch->ctx, wait, s->unpacked, (unsigned)(t - s->begin));
    }
}

// Until there is something to read, or nothing more to come.
static void wait_for_data(struct lull_stream *s, enum lull_stream_wait wait)
{
    struct pollfd p = {.fd = s->fd, .events = POLLIN};
    while (s->watch != NULL && s->can_wait && poll(&p, 1, SECOND_MS) == 0) {
        tell(s, wait);
    }
}

// More packed bytes behind those that are left. False: there are none.
static bool fill(struct lull_stream *s)
{
    if (s->pos != 0) {
        memmove(s->in, s->in + s->pos, s->end - s->pos);
        s->before += s->pos;
        s->end -= s->pos;
        s->pos = 0;
    }
    size_t room = sizeof s->in - s->end;
    if (s->fd < 0) {
        room = s->mem_left < room ? s->mem_left : room;
        if (room != 0) {
            memcpy(s->in + s->end, s->mem, room);
            s->mem += room;
            s->mem_left -= room;
            s->end += room;
        }
        return room != 0;
    }
    ssize_t n = -1;
    wait_for_data(s, LULL_STREAM_WAITS_DATA);
    do {
        n = s->os_error == 0 ? read(s->fd, s->in + s->end, room) : 0;
    } while (n < 0 && errno == EINTR);
    s->os_error = n < 0 ? errno : s->os_error;
    s->end += n > 0 ? (size_t)n : 0;
    return n > 0;
}

// What the file is packed with: the magic numbers of RFC 1952 and RFC 8878.
LULL_MUST_USE static struct lull_error *find_form(struct lull_stream *s)
{
    static const uint8_t gzip[] = {0x1f, 0x8b}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    while (s->end < sizeof zstd && fill(s)) {
    }
    if (s->end >= sizeof gzip && memcmp(s->in, gzip, sizeof gzip) == 0) {
        s->form = GZIP;
        s->z = calloc(1, sizeof *s->z);
        return s->z != NULL ? NULL : &lull_enomem;
    }
    if (s->end >= sizeof zstd && memcmp(s->in, zstd, sizeof zstd) == 0) {
        s->form = ZSTD;
        s->zstd = ZSTD_createDStream();
        if (s->zstd == NULL ||
            ZSTD_isError(ZSTD_DCtx_setParameter(s->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG))) {
            return &lull_enomem;
        }
    }
    return NULL;
}

// A file without bytes of its own may make us wait. A FIFO was opened without waiting for a writer.
static void prepare_to_wait(struct lull_stream *s)
{
    struct stat st = {0};
    s->can_wait = fstat(s->fd, &st) == 0 && !S_ISREG(st.st_mode);
    s->begin = s->told = now();
    const int flags = fcntl(s->fd, F_GETFL);
    if (s->fd != STDIN_FILENO && flags >= 0 && (flags & O_NONBLOCK) != 0) {
        if (S_ISFIFO(st.st_mode)) {
            wait_for_data(s, LULL_STREAM_WAITS_WRITER);
        }
        (void)fcntl(s->fd, F_SETFL, flags & ~O_NONBLOCK);
    }
}

LULL_MUST_USE static struct lull_error *start(int fd, const void *data, size_t size,
                                              const struct lull_stream_watch *watch,
                                              struct lull_stream **ret)
{
    struct lull_stream *s = malloc(sizeof *s);
    if (s == NULL) {
        if (fd > STDIN_FILENO) {
            close(fd);
        }
        return &lull_enomem;
    }
    memset(s, 0, offsetof(struct lull_stream, in)); // the rest is large, and mostly not used
    s->fd = fd;
    s->mem = data;
    s->mem_left = size;
    s->watch = watch;
    if (watch != NULL) {
        prepare_to_wait(s);
    }
    struct lull_error *err = find_form(s);
    if (err != NULL) {
        lull_stream_free(s);
        return err;
    }
    *ret = s;
    return NULL;
}

struct lull_error *lull_stream_open_watched(const char *path, const struct lull_stream_watch *watch,
                                            struct lull_stream **ret)
{
    int fd = STDIN_FILENO;
    struct lull_error *err = NULL;
    if (strcmp(path, "-") != 0 && watch == NULL) {
        err = lull_files_open(path, &fd);
    } else if (strcmp(path, "-") != 0) {
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        err = fd < 0 ? lull_error_os(errno, "%s", path) : NULL;
    }
    return err != NULL ? err : start(fd, NULL, 0, watch, ret);
}

struct lull_error *lull_stream_open(const char *path, struct lull_stream **ret)
{
    return lull_stream_open_watched(path, NULL, ret);
}

struct lull_error *lull_stream_of(const void *data, size_t size, struct lull_stream **ret)
{
    return start(-1, data, size, NULL, ret);
}

// What is wrong, in zlib's words where it has some.
static const char *of_inflate(int code)
{
    switch (code) {
    case ISAL_INVALID_BLOCK:
        return "invalid block type";
    case ISAL_INVALID_SYMBOL:
        return "invalid code";
    case ISAL_INVALID_LOOKBACK:
        return "invalid distance too far back";
    case ISAL_INVALID_WRAPPER:
        return "incorrect header check";
    case ISAL_UNSUPPORTED_METHOD:
        return "unknown compression method";
    case ISAL_INCORRECT_CHECKSUM:
        return "incorrect data check";
    default:
        return "gzip data are damaged";
    }
}

// The beginning of a gzip member. False: there is none, or its flags are of no known format (RFC
// 1952, 2.3.1.2).
static bool begin_gzip(struct lull_stream *s)
{
    enum { FLAGS = 3, RESERVED = 0xe0 };
    while (s->end - s->pos <= FLAGS && fill(s)) {
    }
    if (s->end - s->pos > FLAGS && (s->in[s->pos + FLAGS] & RESERVED) != 0) {
        s->trouble = "unknown header flags set";
        return false;
    }
    isal_inflate_init(s->z);
    s->z->crc_flag = ISAL_GZIP;
    s->inside = s->pos != s->end;
    return s->inside;
}

// It unpacks ahead into a buffer of its own, and says that what is behind is damaged before it
// gives that.
static size_t from_ahead(struct inflate_state *z, uint8_t *buf, size_t room)
{
    const size_t have = (size_t)(z->tmp_out_valid - z->tmp_out_processed);
    const size_t n = have < room ? have : room;
    memcpy(buf, z->tmp_out_buffer + z->tmp_out_processed, n);
    z->tmp_out_processed += (int32_t)n;
    return n;
}

// One step of unpacking; false: it can go no further.
static bool step_gzip(struct lull_stream *s, uint8_t *buf, size_t room, size_t *wrote)
{
    struct inflate_state *z = s->z;
    if (!s->inside && !begin_gzip(s)) {
        return false;
    }
    if (s->damage != 0) {
        *wrote = from_ahead(z, buf, room);
        s->trouble = *wrote == 0 ? of_inflate(s->damage) : NULL;
        return *wrote != 0;
    }
    z->next_in = s->in + s->pos;
    z->avail_in = (uint32_t)(s->end - s->pos); // at most BLOCK_BYTES
    z->next_out = buf;
    z->avail_out = (uint32_t)(room < MOST_AT_ONCE ? room : MOST_AT_ONCE);
    const int code = isal_inflate(z);
    const size_t took = s->end - s->pos - z->avail_in;
    *wrote = (size_t)(z->next_out - buf);
    s->pos += took;
    s->damage = code < 0 ? code : 0;
    s->inside = code < 0 || z->block_state != ISAL_BLOCK_FINISH;
    if (!s->inside || code < 0 || *wrote != 0 || took != 0 || fill(s)) {
        return true;
    }
    s->trouble = s->pos == s->end ? "gzip data end too early" : of_inflate(0);
    return false;
}

static bool step_zstd(struct lull_stream *s, uint8_t *buf, size_t room, size_t *wrote)
{
    if (!s->inside && s->pos == s->end && !fill(s)) {
        return false;
    }
    ZSTD_inBuffer in = {s->in, s->end, s->pos};
    ZSTD_outBuffer out = {buf, room, 0};
    const size_t code = ZSTD_decompressStream(s->zstd, &out, &in);
    const bool moved = in.pos != s->pos || out.pos != 0;
    *wrote = out.pos;
    s->pos = in.pos;
    if (ZSTD_isError(code)) {
        s->trouble = ZSTD_getErrorName(code);
        return false;
    }
    s->inside = code != 0;
    if (!moved && s->inside && !fill(s)) {
        s->trouble = "zstd data end too early";
        return false;
    }
    return true;
}

static bool step_plain(struct lull_stream *s, uint8_t *buf, size_t room, size_t *wrote)
{
    if (s->pos == s->end && !fill(s)) {
        return false;
    }
    const size_t n = s->end - s->pos < room ? s->end - s->pos : room;
    memcpy(buf, s->in + s->pos, n);
    s->pos += n;
    *wrote = n;
    return true;
}

// Does it unpack to more than any file that means well?
static bool is_bomb(struct lull_stream *s)
{
    const bool bomb = s->form != PLAIN && s->unpacked > MOST_FREE && // the product has 64 bits
                      (s->unpacked - MOST_FREE) / MOST_RATIO > s->before + s->pos;
    if (bomb) {
        s->trouble = "more than 1 GiB, and 1024 times what is packed";
    }
    return bomb;
}

size_t lull_stream_read(struct lull_stream *s, void *buf, size_t size)
{
    uint8_t *to = buf;
    size_t got = s->ahead_end - s->ahead_pos;
    got = got < size ? got : size;
    memcpy(to, s->ahead + s->ahead_pos, got);
    s->ahead_pos += got;
    bool more = s->trouble == NULL;
    while (more && got < size) {
        size_t wrote = 0;
        more = s->form == GZIP   ? step_gzip(s, to + got, size - got, &wrote)
               : s->form == ZSTD ? step_zstd(s, to + got, size - got, &wrote)
                                 : step_plain(s, to + got, size - got, &wrote);
        got += wrote;
        const uint64_t before = s->unpacked;
        s->unpacked += wrote;
        if (before >> LOOK_BYTES_LOG != s->unpacked >> LOOK_BYTES_LOG) {
            tell(s, LULL_STREAM_READS);
            more = more && !is_bomb(s);
        }
    }
    return got;
}

size_t lull_stream_peek(struct lull_stream *s, const uint8_t **ret)
{
    const size_t have = s->ahead_end - s->ahead_pos;
    memmove(s->ahead, s->ahead + s->ahead_pos, have);
    s->ahead_pos = s->ahead_end = 0; // as if nothing were there, to read behind it
    s->ahead_end = have + lull_stream_read(s, s->ahead + have, sizeof s->ahead - have);
    *ret = s->ahead;
    return s->ahead_end;
}

uint64_t lull_stream_packed(const struct lull_stream *s)
{
    return s->before + s->pos;
}

struct lull_error *lull_stream_error(const struct lull_stream *s)
{
    if (s->os_error != 0) {
        return lull_error_os(s->os_error, "byte %" PRIu64 ": read", s->before + s->end);
    }
    if (s->no_memory) {
        return &lull_enomem;
    }
    return s->trouble == NULL ? NULL
                              : lull_error_new(LULL_ERR_BAD_DATA, "packed byte %" PRIu64 ": %s",
                                               s->before + s->pos, s->trouble);
}

void lull_stream_free(struct lull_stream *s)
{
    if (s == NULL) {
        return;
    }
    if (s->fd > STDIN_FILENO) {
        close(s->fd);
    }
    free(s->z);
    ZSTD_freeDStream(s->zstd);
    free(s);
}
