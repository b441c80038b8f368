// SPDX-License-Identifier: MIT
#include "drm/core/faultlog.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 512, HEX = 16, DECIMAL = 10 };

/** The next line, as text; what is longer than a line of a kernel's log is cut. False: the end. */
static bool next_line(struct lull_cur *c, char ret[LINE])
{
    size_t n = 0;
    const bool some = lull_cur_left(c) != 0;
    for (uint8_t byte = 0; byte != '\n' && lull_cur_left(c) != 0;) {
        byte = lull_cur_u8(c);
        if (byte != '\n' && n < LINE - 1) {
            ret[n++] = (char)(byte >= ' ' && byte <= '~' ? byte : byte == '\t' ? ' ' : '?');
        }
    }
    ret[n] = '\0';
    return some;
}

/** What stands behind @p key; NULL: it is not there. */
static const char *behind(const char *line, const char *key)
{
    const char *at = strstr(line, key);
    return at != NULL ? at + strlen(key) : NULL;
}

/** A number behind @p key, which ends the word; false: none. */
static bool number(const char *line, const char *key, int base, uint64_t *ret)
{
    const char *at = behind(line, key);
    char *end = NULL;
    if (at == NULL || strspn(at, "0123456789abcdefABCDEF") == 0) {
        return false;
    }
    *ret = strtoull(at, &end, base);
    return end != at;
}

static bool number32(const char *line, const char *key, int base, uint32_t *ret)
{
    uint64_t n = 0;
    const bool got = number(line, key, base, &n);
    *ret = got ? (uint32_t)n : *ret;
    return got;
}

/** Text behind @p key up to @p stop. */
static void text(const char *line, const char *key, const char *stop, char ret[LULL_FAULTLOG_TEXT])
{
    const char *at = behind(line, key);
    const char *end = at != NULL ? strstr(at, stop) : NULL;
    size_t n = at == NULL ? 0 : end != NULL ? (size_t)(end - at) : strlen(at);
    n = n < LULL_FAULTLOG_TEXT - 1 ? n : LULL_FAULTLOG_TEXT - 1;
    if (at != NULL) {
        memcpy(ret, at, n);
        ret[n] = '\0';
    }
}

/** "(1,2,3,4)", at the end of the line. */
static bool scratch(const char *line, uint32_t ret[4])
{
    const char *at = strrchr(line, '(');
    for (unsigned i = 0; at != NULL && i < 4; i++) {
        char *end = NULL;
        ret[i] = (uint32_t)strtoul(at + 1, &end, DECIMAL);
        at = end != at + 1 && *end == (i < 3 ? ',' : ')') ? end : NULL;
    }
    return at != NULL;
}

/** "*** gpu fault: ttbr0=... iova=... dir=READ type=TRANSLATION source=TP (0,0,0,1)", or
 * "*** gpu fault: iova=... flags=0 (0,0,0,1)". */
static bool msm(const char *line, struct lull_faultlog *f)
{
    const char *at = behind(line, "*** gpu fault: ");
    at = at != NULL ? at : behind(line, "*** fault: ");
    uint32_t flags = 0;
    if (at == NULL || !number(at, "iova=", HEX, &f->address)) {
        return false;
    }
    f->kind = LULL_FAULTLOG_MSM;
    f->has_address = true;
    f->has_ttbr0 = number(at, "ttbr0=", HEX, &f->ttbr0);
    f->dir = strstr(at, "dir=WRITE") != NULL  ? LULL_FAULTLOG_WRITE
             : strstr(at, "dir=READ") != NULL ? LULL_FAULTLOG_READ
                                              : LULL_FAULTLOG_UNKNOWN;
    if (number32(at, "flags=", DECIMAL, &flags)) { // IOMMU_FAULT_READ is 0, IOMMU_FAULT_WRITE 1
        f->dir = (flags & 1) != 0 ? LULL_FAULTLOG_WRITE : LULL_FAULTLOG_READ;
    }
    text(at, "type=", " ", f->type);
    text(at, "source=", " (", f->source);
    f->has_scratch = scratch(at, f->scratch);
    return true;
}

/** "gpu fault ring 0 fence 5 status 00800005 rb 0030/0030 ib1 00000001/0010 ib2 00000002/0020" */
static bool msm_hang(const char *line, struct lull_faultlog *f)
{
    const char *at = behind(line, "gpu fault ring ");
    const char *ib1 = NULL, *ib2 = NULL;
    if (at == NULL || strspn(at, "0123456789") == 0) {
        return false;
    }
    f->kind = LULL_FAULTLOG_MSM_HANG;
    f->ring = (uint32_t)strtoul(at, NULL, DECIMAL);
    (void)number32(at, "fence ", HEX, &f->fence);
    f->has_status = number32(at, "status ", HEX, &f->status);
    f->has_ib = number(at, "ib1 ", HEX, &f->ib1) && number(at, "ib2 ", HEX, &f->ib2);
    ib1 = behind(at, "ib1 ");
    ib2 = behind(at, "ib2 ");
    if (f->has_ib) {
        (void)number32(ib1, "/", HEX, &f->ib1_rem);
        (void)number32(ib2, "/", HEX, &f->ib2_rem);
    }
    return true;
}

/** "amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:8 pasid:32771)"; old
 * kernels have more in the parentheses. */
static bool amd(const char *line, struct lull_faultlog *f)
{
    const char *at = strstr(line, "hub");
    while (at != NULL && (behind(at, " page fault (") == NULL || strchr(at, ']') == NULL)) {
        at = strstr(at + 1, "hub");
    }
    const char *open = at != NULL ? at : line;
    while (open > line && *open != '[') {
        open--;
    }
    if (at == NULL || *open != '[') {
        return false;
    }
    f->kind = LULL_FAULTLOG_AMD;
    text(open, "[", "]", f->hub);
    f->has_vmid = number32(at, "vmid:", DECIMAL, &f->vmid);
    (void)number32(at, "pasid:", DECIMAL, &f->pasid);
    text(at, "for process ", " thread", f->process);
    return true;
}

/** A line that goes on about a fault of amdgpu. */
static void amd_more(const char *line, struct lull_faultlog *f)
{
    uint64_t n = 0;
    if (number(line, "starting at address 0x", HEX, &n)) {
        f->has_address = true;
        f->address = n;
        const char *client = behind(line, "from client ");
        f->client = client != NULL ? (uint32_t)strtoul(client, NULL, 0) : 0;
    }
    if (number32(line, "L2_PROTECTION_FAULT_STATUS:0x", HEX, &f->status)) {
        f->has_status = true;
    }
    if (behind(line, "UTCL2 client ID: ") != NULL) {
        text(line, "UTCL2 client ID: ", " (0x", f->source);
    }
    uint32_t rw = 0;
    if (number32(line, "  RW: 0x", HEX, &rw) || number32(line, ": RW: 0x", HEX, &rw)) {
        f->dir = rw != 0 ? LULL_FAULTLOG_WRITE : LULL_FAULTLOG_READ;
    }
    if (f->process[0] == '\0') {
        text(line, "in process ", " thread", f->process);
        text(line, "for process ", " thread", f->process);
        text(line, " Process ", " thread", f->process);
    }
}

static bool begins(const char *line, struct lull_faultlog *f)
{
    *f = (struct lull_faultlog){0};
    return msm(line, f) || msm_hang(line, f) || amd(line, f);
}

bool lull_faultlog_next(struct lull_cur *c, struct lull_faultlog *ret)
{
    char line[LINE];
    struct lull_faultlog f = {0};
    while (f.kind == LULL_FAULTLOG_NONE && next_line(c, line)) {
        if (!begins(line, &f) && strstr(line, "L2_PROTECTION_FAULT_STATUS:0x") != NULL) {
            f.kind = LULL_FAULTLOG_AMD; // that line by itself
            amd_more(line, &f);
        }
    }
    while (f.kind == LULL_FAULTLOG_AMD) {
        struct lull_cur ahead = *c;
        struct lull_faultlog other = {0};
        if (!next_line(&ahead, line) || begins(line, &other)) {
            break;
        }
        amd_more(line, &f);
        *c = ahead;
    }
    *ret = f;
    return f.kind != LULL_FAULTLOG_NONE;
}
