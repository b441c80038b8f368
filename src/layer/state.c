// SPDX-License-Identifier: MIT
// The layer's one static object: its lock, its map, its file.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drm/amdgpu/frame_abi.h"
#include "layer/layer.h"

enum { NBUCKETS = 4096 };

static struct {
    pthread_mutex_t lock;
    struct lull_layer_entry *buckets[NBUCKETS];
    int fd;    // -1: closed
    pid_t pid; // who opened fd
    uint64_t submits, stacks;
    bool working; // Something was submitted since the host waited.
    int gpu;      // -1: closed
    pid_t gpu_pid;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1, .gpu = -1};

void lull_layer_lock(void)
{
    pthread_mutex_lock(&state.lock);
}

void lull_layer_unlock(void)
{
    pthread_mutex_unlock(&state.lock);
}

static struct lull_layer_entry **bucket_of(enum lull_layer_kind kind, uint64_t handle)
{
    uint64_t h = (handle ^ (uint64_t)kind << 56) * UINT64_C(0x9e3779b97f4a7c15);
    return &state.buckets[h >> 52];
}

struct lull_layer_entry *lull_layer_find(enum lull_layer_kind kind, uint64_t handle)
{
    struct lull_layer_entry *e = *bucket_of(kind, handle);
    while (e != NULL && (e->kind != kind || e->handle != handle)) {
        e = e->next;
    }
    return e;
}

struct lull_layer_entry *lull_layer_put(enum lull_layer_kind kind, uint64_t handle)
{
    struct lull_layer_entry *e = lull_layer_find(kind, handle);
    if (e == NULL) {
        e = calloc(1, sizeof *e);
        if (e == NULL) {
            return NULL;
        }
        struct lull_layer_entry **bucket = bucket_of(kind, handle);
        e->kind = kind;
        e->handle = handle;
        e->next = *bucket;
        *bucket = e;
    }
    return e;
}

void *lull_layer_drop(enum lull_layer_kind kind, uint64_t handle)
{
    struct lull_layer_entry **at = bucket_of(kind, handle);
    while (*at != NULL && ((*at)->kind != kind || (*at)->handle != handle)) {
        at = &(*at)->next;
    }
    struct lull_layer_entry *e = *at;
    if (e == NULL) {
        return NULL;
    }
    void *data = e->data;
    *at = e->next;
    free(e);
    return data;
}

void lull_layer_each(enum lull_layer_kind kind, void (*fn)(struct lull_layer_entry *e, void *arg),
                     void *arg)
{
    for (size_t i = 0; i < NBUCKETS; i++) {
        struct lull_layer_entry *next = NULL;
        for (struct lull_layer_entry *e = state.buckets[i]; e != NULL; e = next) {
            next = e->next; // fn may drop e.
            if (e->kind == kind) {
                fn(e, arg);
            }
        }
    }
}

static const char *directory(void)
{
    const char *dir = secure_getenv("LULL_NAMES");
    return dir != NULL && dir[0] != '\0' ? dir : NULL;
}

bool lull_layer_on(void)
{
    return directory() != NULL;
}

static void append(const char *text, size_t size)
{
    ssize_t got = 0;
    do {
        got = write(state.fd, text, size);
    } while (got < 0 && errno == EINTR);
}

// The virtual driver is asked by a file of its own; on another GPU the call does nothing.
void lull_layer_presented(void)
{
    const pid_t pid = getpid();
    const int error = errno;
    if (state.gpu >= 0 && state.gpu_pid != pid) {
        close(state.gpu);
        state.gpu = -1;
    }
    if (state.gpu < 0) {
        state.gpu = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
        state.gpu_pid = pid;
    }
    if (state.gpu >= 0) {
        (void)ioctl(state.gpu, LULL_IOCTL_PRESENTED);
    }
    errno = error;
}

struct lull_json lull_layer_record(struct lull_str *out, const char *kind)
{
    struct lull_json j = {.out = out};
    lull_json_open(&j, '{');
    lull_json_put_str(&j, "k", kind);
    return j;
}

// A process, or the child of a fork, starts a file of its own.
static void open_file(void)
{
    pid_t pid = getpid();
    const char *dir = directory();
    if (dir == NULL || (state.fd >= 0 && state.pid == pid)) {
        return;
    }
    if (state.fd >= 0) {
        close(state.fd);
    }
    struct lull_str path = {0};
    lull_str_addf(&path, "%s/%ld.names", dir, (long)pid);
    state.fd = path.err != NULL
                   ? -1
                   : open(lull_str_text(&path), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    state.pid = pid;
    lull_str_free(&path);
    char exe[4096] = "";
    ssize_t size = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[size > 0 ? size : 0] = '\0';
    char *program = lull_layer_utf8(exe);
    struct lull_str line = {0};
    struct lull_json j = lull_layer_record(&line, "start");
    lull_json_put_u64(&j, "version", 1);
    lull_json_put_u64(&j, "pid", (uint64_t)pid);
    lull_json_put_str(&j, "program", program != NULL ? program : "");
    lull_json_close(&j, '}');
    lull_str_addf(&line, "\n");
    if (state.fd >= 0 && line.err == NULL) {
        append(line.text, line.size);
    }
    lull_str_free(&line);
    free(program);
}

void lull_layer_write(struct lull_json *j)
{
    lull_json_close(j, '}');
    lull_str_addf(j->out, "\n");
    open_file();
    if (state.fd >= 0 && j->out->err == NULL) {
        append(j->out->text, j->out->size);
    }
    lull_str_free(j->out);
}

const void *lull_layer_in_chain(const void *chain, VkStructureType type)
{
    const VkBaseInStructure *p = chain;
    while (p != NULL && p->sType != type) {
        p = p->pNext;
    }
    return p;
}

uint64_t lull_layer_submit_number(void)
{
    state.working = true;
    return state.submits++;
}

void lull_layer_waited(void)
{
    if (state.working) {
        struct lull_str line = {0};
        struct lull_json j = lull_layer_record(&line, "wait");
        state.working = false;
        lull_layer_write(&j);
    }
}

uint64_t lull_layer_stack_number(void)
{
    return ++state.stacks;
}

static bool write_all(int fd, const uint8_t *data, size_t size)
{
    while (size > 0) {
        ssize_t got = write(fd, data, size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        data += got;
        size -= (size_t)got;
    }
    return true;
}

// FNV-1a, 64 bit. Source: Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash Algorithm".
static uint64_t hash_of(const uint8_t *data, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ data[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

uint64_t lull_layer_save(const void *code, size_t size, struct lull_str *ret_name)
{
    uint64_t hash = hash_of(code, size);
    const char *dir = directory();
    if (dir == NULL) {
        return hash;
    }
    lull_str_addf(ret_name, "%ld-%016llx.spv", (long)getpid(), (unsigned long long)hash);
    struct lull_str path = {0};
    lull_str_addf(&path, "%s/%s", dir, lull_str_text(ret_name));
    bool good = false;
    if (path.err == NULL && ret_name->err == NULL) {
        int fd = open(lull_str_text(&path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        good = fd < 0 ? errno == EEXIST : write_all(fd, code, size);
        if (fd >= 0) {
            close(fd);
        }
        if (fd >= 0 && !good) {
            unlink(lull_str_text(&path));
        }
    }
    lull_str_free(&path);
    if (!good) {
        lull_str_free(ret_name);
    }
    return hash;
}

// Bytes of the UTF-8 sequence at text, 0 if it is none. Source: RFC 3629, section 4.
static size_t sequence(const unsigned char *text)
{
    unsigned c = text[0];
    size_t size = c < 0x80                ? 1
                  : c >= 0xc2 && c < 0xe0 ? 2
                  : c >= 0xe0 && c < 0xf0 ? 3
                  : c >= 0xf0 && c < 0xf5 ? 4
                                          : 0;
    for (size_t i = 1; i < size; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool wrong = (c == 0xe0 && text[1] < 0xa0) || (c == 0xed && text[1] > 0x9f) ||
                 (c == 0xf0 && text[1] < 0x90) || (c == 0xf4 && text[1] > 0x8f);
    return wrong ? 0 : size;
}

char *lull_layer_utf8(const char *text)
{
    char *copy = strdup(text != NULL ? text : "");
    for (unsigned char *p = (unsigned char *)copy; p != NULL && *p != '\0';) {
        size_t size = sequence(p);
        if (size == 0) {
            *p = '?';
            size = 1;
        }
        p += size;
    }
    return copy;
}

void lull_layer_label_push(struct lull_layer_labels *l, const char *name)
{
    if (l->depth == l->nends) {
        size_t room = 2 * l->nends + 8;
        size_t *ends = realloc(l->ends, room * sizeof *ends);
        if (ends == NULL) {
            return;
        }
        l->ends = ends;
        l->nends = room;
    }
    l->ends[l->depth++] = l->text.size;
    char *clean = lull_layer_utf8(name);
    struct lull_str quoted = {0};
    struct lull_json j = {.out = &quoted};
    lull_json_str(&j, clean != NULL ? clean : "");
    lull_str_addf(&l->text, "%s%s", l->text.size > 0 ? "," : "", lull_str_text(&quoted));
    lull_str_free(&quoted);
    free(clean);
}

void lull_layer_label_pop(struct lull_layer_labels *l)
{
    if (l->depth > 0) { // One that was opened elsewhere is not ours to close.
        size_t end = l->ends[--l->depth];
        if (l->text.text != NULL && end <= l->text.size) {
            l->text.size = end;
            l->text.text[end] = '\0';
        }
    }
}

void lull_layer_labels_done(struct lull_layer_labels *l)
{
    lull_str_free(&l->text);
    free(l->ends);
    *l = (struct lull_layer_labels){0};
}
