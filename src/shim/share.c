// SPDX-License-Identifier: MIT
// Memory of the program that the GPU sees in another way from now on. Other threads may read it
// meanwhile; what they write while it is copied may be lost.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "shim/shim.h"

// A piece of the address space.
struct piece {
    uint64_t start, end, offset;
    int prot;
};

static void *pointer(uint64_t address)
{
    void *p = NULL;
    memcpy(&p, &address, sizeof p);
    return p;
}

void *lull_shim_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
    const long r = syscall(SYS_mmap, at, size, prot, flags, fd, offset);
    void *p = NULL;
    memcpy(&p, &r, sizeof p);
    return p; // -1 is MAP_FAILED
}

// The text of /proc/self/maps, read without stdio and malloc() of the program's; to be unmapped.
static char *read_maps(size_t *ret_room)
{
    enum { FIRST = 1 << 18, LIMIT = 1 << 28 };
    for (size_t room = FIRST; room <= LIMIT; room *= 4) {
        char *text =
            lull_shim_mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        const int fd =
            (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
        size_t size = 0;
        long n = text != MAP_FAILED && fd >= 0 ? 1 : 0;
        while (n > 0 && size < room - 1) {
            n = syscall(SYS_read, fd, text + size, room - 1 - size);
            size += n > 0 ? (size_t)n : 0;
        }
        if (fd >= 0) {
            syscall(SYS_close, fd);
        }
        if (text == MAP_FAILED || fd < 0) {
            return NULL;
        }
        if (n == 0) { // all of it; the rest is zeros
            *ret_room = room;
            return text;
        }
        munmap(text, room);
    }
    return NULL;
}

// Every mapping of file @p st within offsets [offset, +size).
static void each_piece(const struct stat *st, uint64_t offset, uint64_t size,
                       void (*act)(const struct piece *p, void *arg), void *arg)
{
    size_t room = 0;
    char *text = read_maps(&room);
    for (char *line = text; line != NULL && *line != '\0';) {
        char *end = strchr(line, '\n');
        unsigned long long start = 0, stop = 0, at = 0, inode = 0;
        unsigned dev_major = 0, dev_minor = 0;
        char prot[8] = "";
        if (end != NULL &&
            sscanf(line, "%llx-%llx %7s %llx %x:%x %llu", &start, &stop, prot, &at, &dev_major,
                   &dev_minor, &inode) == 7 &&
            inode == st->st_ino && makedev(dev_major, dev_minor) == st->st_dev &&
            at < offset + size && at + (stop - start) > offset) {
            const uint64_t skip = at < offset ? offset - at : 0;
            const uint64_t last =
                at + (stop - start) > offset + size ? offset + size - at : stop - start;
            const struct piece p = {.start = start + skip,
                                    .end = start + last,
                                    .offset = at + skip,
                                    .prot = (prot[0] == 'r' ? PROT_READ : 0) |
                                            (prot[1] == 'w' ? PROT_WRITE : 0) |
                                            (prot[2] == 'x' ? PROT_EXEC : 0)};
            act(&p, arg);
        }
        line = end != NULL ? end + 1 : NULL;
    }
    if (text != NULL) {
        munmap(text, room);
    }
}

struct moved {
    int fd;
    uint64_t offset;
};

static void move_piece(const struct piece *p, void *arg)
{
    const struct moved *m = arg;
    lull_shim_mmap(pointer(p->start), p->end - p->start, p->prot, MAP_SHARED | MAP_FIXED, m->fd,
                   (off_t)(p->offset - m->offset));
}

void lull_shim_moved(const struct stat *st, const struct lull_wire_reply *r, int fd)
{
    struct moved m = {.fd = fd, .offset = r->offset};
    each_piece(st, r->offset, r->size, move_piece, &m);
}

int lull_shim_share(int fd, const struct lull_wire_reply *r)
{
    void *to = pointer(r->address);
    void *p =
        lull_shim_mmap(NULL, r->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)r->offset);
    if (p == MAP_FAILED) {
        return -errno;
    }
    memcpy(p, to, r->size);
    // In one step: no thread finds a hole.
    if (mremap(p, r->size, r->size, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) {
        const int err = -errno;
        munmap(p, r->size);
        return err;
    }
    return 0;
}

static void unshare_piece(const struct piece *p, void *arg)
{
    const struct lull_wire_reply *r = arg;
    const uint64_t size = p->end - p->start;
    if (p->start < r->address || p->end > r->address + r->size ||
        p->start - r->address != p->offset - r->offset) {
        return; // the program put it elsewhere
    }
    void *own =
        lull_shim_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED) {
        return;
    }
    if ((p->prot & PROT_READ) != 0) {
        memcpy(own, pointer(p->start), size);
    }
    mprotect(own, size, p->prot);
    mremap(own, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, pointer(p->start));
}

void lull_shim_unshare(const struct stat *st, const struct lull_wire_reply *r)
{
    struct lull_wire_reply copy = *r;
    each_piece(st, r->offset, r->size, unshare_piece, &copy);
}
