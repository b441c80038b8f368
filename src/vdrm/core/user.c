// SPDX-License-Identifier: MIT
// Who makes a call, and its memory.
#include "vdrm/core/user.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "vdrm/core/bo.h"

static _Thread_local struct lull_vd_client *current;
static _Thread_local bool own_calls;

bool lull_vd_own_calls_set(bool own)
{
    const bool before = own_calls;
    own_calls = own;
    return before;
}

// Where calls that begin with this page are written down; LULL_VD_AHEAD: nowhere.
static unsigned find_ahead(const struct lull_vd_seen *seen, uint64_t page)
{
    unsigned i = 0;
    while (i < LULL_VD_AHEAD && (seen->ahead[i].n == 0 || seen->ahead[i].page[0] != page)) {
        i++;
    }
    return i;
}

// What was read is written down for the next call that begins so, and is old.
static void forget(struct lull_vd_seen *seen)
{
    if (seen->n == 0) {
        return;
    }
    unsigned i = find_ahead(seen, seen->page[0]);
    i = i < LULL_VD_AHEAD ? i : seen->next_ahead++ % LULL_VD_AHEAD;
    seen->ahead[i].n = 0;
    for (unsigned k = 0; k < seen->n; k++) {
        if (seen->used[k]) {
            seen->ahead[i].page[seen->ahead[i].n++] = seen->page[k];
        }
    }
    seen->n = 0;
}

void lull_vd_client_set(struct lull_vd_client *client)
{
    current = client;
    if (client != NULL && client->seen != NULL) {
        forget(client->seen);
    }
}

void lull_vd_user_changed(void)
{
    if (current != NULL) {
        current->nwindow = 0;
        if (current->seen != NULL) {
            forget(current->seen);
        }
    }
}

struct lull_vd_client *lull_vd_client_now(void)
{
    return current;
}

pid_t lull_vd_client_pid(void)
{
    return current != NULL ? current->peer.pid : getpid();
}

// A process that ends leaves its number to others: what was read is its own if it is there behind,
// and writing must see it right before. (Between that and the write a number would have to go
// round.)
static int copy(void *own, uint64_t user, size_t size, bool in)
{
    if (size == 0) {
        return 0;
    }
    void *there = NULL;
    memcpy(&there, &user, sizeof there);
    if (own_calls && current == NULL) {
        memcpy(in ? own : there, in ? there : own, size);
        return 0;
    }
    if (!in && current != NULL && !lull_vd_peer_known(&current->peer)) {
        return -EFAULT;
    }
    const struct iovec local = {.iov_base = own, .iov_len = size};
    const struct iovec remote = {.iov_base = there, .iov_len = size};
    const pid_t pid = lull_vd_client_pid();
    const ssize_t n = in ? process_vm_readv(pid, &local, 1, &remote, 1, 0)
                         : process_vm_writev(pid, &local, 1, &remote, 1, 0);
    if (current == NULL && n < 0 && (errno == ENOSYS || errno == EPERM) && user >= LULL_VD_PAGE) {
        // A sandbox without that call: trust the pointer.
        memcpy(in ? own : there, in ? there : own, size);
        return 0;
    }
    const bool same = !in || current == NULL || lull_vd_peer_known(&current->peer);
    return n == (ssize_t)size && same ? 0 : -EFAULT;
}

// The first page of a call with those that such calls have read behind it. Those behind one that is
// not mapped are left out; false: the first one is not.
static bool look_ahead(struct lull_vd_seen *seen, unsigned known)
{
    struct iovec local[LULL_VD_SEEN], remote[LULL_VD_SEEN];
    const unsigned n = seen->ahead[known].n;
    for (unsigned i = 0; i < n; i++) {
        void *there = NULL;
        seen->page[i] = seen->ahead[known].page[i];
        seen->used[i] = i == 0;
        memcpy(&there, &seen->page[i], sizeof there);
        local[i] = (struct iovec){.iov_base = seen->bytes[i], .iov_len = LULL_VD_PAGE};
        remote[i] = (struct iovec){.iov_base = there, .iov_len = LULL_VD_PAGE};
    }
    const ssize_t size = process_vm_readv(current->peer.pid, local, n, remote, n, 0);
    seen->n = size > 0 && lull_vd_peer_known(&current->peer) ? (unsigned)(size / LULL_VD_PAGE) : 0;
    return seen->n != 0;
}

// The bytes of a page that is mapped; NULL: it is not.
static const uint8_t *look_at(struct lull_vd_seen *seen, uint64_t page)
{
    for (unsigned i = 0; i < seen->n; i++) {
        if (seen->page[i] == page) {
            seen->used[i] = true;
            return seen->bytes[i];
        }
    }
    const unsigned known = seen->n == 0 ? find_ahead(seen, page) : LULL_VD_AHEAD;
    if (known < LULL_VD_AHEAD && seen->ahead[known].n > 1 && look_ahead(seen, known)) {
        return seen->bytes[0];
    }
    const unsigned i = seen->n < LULL_VD_SEEN ? seen->n : seen->next++ % LULL_VD_SEEN;
    if (copy(seen->bytes[i], page, LULL_VD_PAGE, true) != 0) {
        lull_vd_user_changed(); // what was in its place is gone
        return NULL;
    }
    seen->page[i] = page;
    seen->used[i] = true;
    seen->n += i == seen->n;
    return seen->bytes[i];
}

// Whether [at, +size) is within [from, +n).
static bool within(uint64_t at, size_t size, uint64_t from, size_t n)
{
    return at >= from && size <= n && at - from <= n - size;
}

// What was to go back with the reply goes there now. @return 0 or -EFAULT.
static int give_back(void)
{
    const bool any = current != NULL && current->has_back;
    if (any) {
        current->has_back = false;
        current->narg = 0;
    }
    return any ? copy(current->back, current->arg, current->nback, false) : 0;
}

int lull_vd_from_user(void *to, uint64_t from, size_t size)
{
    if (current != NULL && within(from, size, current->window_at, current->nwindow)) {
        memcpy(to, current->window + (from - current->window_at), size);
        return 0;
    }
    if (give_back() != 0) {
        return -EFAULT;
    }
    const uint64_t page = from & ~(uint64_t)(LULL_VD_PAGE - 1), at = from - page;
    if (current == NULL || current->seen == NULL || size == 0 || size > LULL_VD_PAGE - at) {
        return copy(to, from, size, true);
    }
    const uint8_t *bytes = look_at(current->seen, page);
    if (bytes == NULL) {
        return -EFAULT;
    }
    memcpy(to, bytes + at, size);
    return 0;
}

int lull_vd_to_user(uint64_t to, const void *from, size_t size)
{
    if (size > 0) {
        lull_vd_user_changed();
    }
    if (give_back() != 0) {
        return -EFAULT;
    }
    if (current != NULL && to == current->arg && size != 0 && size <= current->narg) {
        memcpy(current->back, from, size);
        current->nback = size;
        current->has_back = true;
        return 0;
    }
    return copy((void *)from, to, size, false); // only read
}

ssize_t lull_vd_give(uint64_t to, size_t size, const void *data, size_t n, uint64_t at)
{
    const size_t part = at >= n ? 0 : n - at < size ? (size_t)(n - at) : size;
    return lull_vd_to_user(to, (const char *)data + (part > 0 ? at : 0), part) != 0 ? -EFAULT
                                                                                    : (ssize_t)part;
}
