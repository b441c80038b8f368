// SPDX-License-Identifier: MIT
#include "file/dwarf.h"

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

// The rows of one table as libdw gives them.
struct table {
    Dwarf_Lines *lines;
    size_t count;
};

// Paths repeat row after row: keep each once.
static const char *keep_path(struct lull_dwarf_lines *all, const char *path)
{
    if (path == NULL) {
        return "";
    }
    for (size_t i = all->count; i > 0 && i + 64 > all->count; i--) {
        if (strcmp(all->lines[i - 1].file, path) == 0) {
            return all->lines[i - 1].file;
        }
    }
    size_t size = strlen(path) + 1;
    char *copy = lull_arena_calloc(&all->arena, size, 1);
    if (copy != NULL) {
        memcpy(copy, path, size);
    }
    return copy;
}

LULL_MUST_USE static struct lull_error *add_row(struct lull_dwarf_lines *all, Dwarf_Line *row)
{
    struct lull_dwarf_line line = {0};
    Dwarf_Addr address = 0;
    int number = 0;
    int column = 0;
    if (dwarf_lineaddr(row, &address) != 0 || dwarf_lineno(row, &number) != 0 ||
        dwarf_linecol(row, &column) != 0 || dwarf_linebeginstatement(row, &line.is_stmt) != 0 ||
        dwarf_lineendsequence(row, &line.end) != 0 ||
        dwarf_lineprologueend(row, &line.prologue_end) != 0) {
        return lull_error_new(LULL_ERR_BAD_DATA, "row %zu: %s", all->count, dwarf_errmsg(-1));
    }
    line.address = address;
    line.line = number > 0 ? (uint32_t)number : 0;
    line.column = column > 0 ? (uint32_t)column : 0;
    line.file = keep_path(all, dwarf_linesrc(row, NULL, NULL));
    if (line.file == NULL) {
        return &lull_enomem;
    }
    all->lines[all->count++] = line;
    return NULL;
}

// Move to the table at *off. 1, 0 after the last, -1 on an error of libdw.
static int next_table(Dwarf *dwarf, Dwarf_Off *off, Dwarf_CU **cu, struct table *ret)
{
    Dwarf_Off next = 0;
    Dwarf_Files *files = NULL;
    size_t nfiles = 0;
    int r = dwarf_next_lines(dwarf, *off, &next, cu, &files, &nfiles, &ret->lines, &ret->count);
    if (r == 0 && next <= *off) {
        return -1; // no progress
    }
    *off = next;
    return r < 0 ? -1 : r == 0;
}

LULL_MUST_USE static struct lull_error *count_rows(Dwarf *dwarf, size_t *ret)
{
    Dwarf_Off off = 0;
    Dwarf_CU *cu = NULL;
    struct table t = {0};
    size_t count = 0;
    int r = 0;
    while ((r = next_table(dwarf, &off, &cu, &t)) > 0) {
        count += t.count;
    }
    *ret = count;
    return r == 0 ? NULL
                  : lull_error_new(LULL_ERR_BAD_DATA, "line table at 0x%llx: %s",
                                   (unsigned long long)off, dwarf_errmsg(-1));
}

static int by_address(const void *a, const void *b)
{
    const struct lull_dwarf_line *x = a;
    const struct lull_dwarf_line *y = b;
    if (x->address != y->address) {
        return x->address < y->address ? -1 : 1;
    }
    return (int)y->end - (int)x->end;
}

// Stable: rows of one address keep the compiler's order, of which the last counts.
static void sort_rows(struct lull_dwarf_lines *all, struct lull_dwarf_line *room)
{
    for (size_t width = 1; width < all->count; width *= 2) {
        for (size_t start = 0; start < all->count; start += 2 * width) {
            size_t mid = start + width < all->count ? start + width : all->count;
            size_t end = mid + width < all->count ? mid + width : all->count;
            size_t a = start;
            size_t b = mid;
            for (size_t out = start; out < end; out++) {
                bool left =
                    a < mid && (b == end || by_address(&all->lines[a], &all->lines[b]) <= 0);
                room[out] = all->lines[left ? a++ : b++];
            }
        }
        memcpy(all->lines, room, all->count * sizeof *room);
    }
}

LULL_MUST_USE static struct lull_error *read_dwarf(Dwarf *dwarf, struct lull_dwarf_lines *all)
{
    size_t count = 0;
    struct lull_error *err = count_rows(dwarf, &count);
    if (err != NULL || count == 0) {
        return err;
    }
    all->lines = lull_arena_calloc(&all->arena, count, sizeof *all->lines);
    struct lull_dwarf_line *room = lull_arena_calloc(&all->arena, count, sizeof *room);
    err = all->lines == NULL || room == NULL ? &lull_enomem : NULL;
    Dwarf_Off off = 0;
    Dwarf_CU *cu = NULL;
    struct table t = {0};
    while (err == NULL && next_table(dwarf, &off, &cu, &t) > 0) {
        for (size_t i = 0; err == NULL && i < t.count && all->count < count; i++) {
            err = add_row(all, dwarf_onesrcline(t.lines, i));
        }
    }
    if (err == NULL) {
        sort_rows(all, room);
    }
    return err;
}

struct lull_error *lull_dwarf_read_lines(const void *image, size_t size,
                                         struct lull_dwarf_lines *ret)
{
    struct lull_dwarf_lines all = {0};
    elf_version(EV_CURRENT);
    // libelf needs aligned, writable memory.
    char *copy = calloc(size + 1, 1);
    if (copy == NULL) {
        return &lull_enomem;
    }
    memcpy(copy, image, size);
    Elf *elf = elf_memory(copy, size);
    struct lull_error *err = NULL;
    if (elf == NULL) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "libelf: %s", elf_errmsg(-1));
    }
    // Without debug sections libdw makes no Dwarf: that is not an error here.
    Dwarf *dwarf = elf != NULL ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
    if (dwarf != NULL) {
        err = lull_error_in(read_dwarf(dwarf, &all), "debug information");
        dwarf_end(dwarf);
    }
    elf_end(elf);
    free(copy);
    if (err != NULL) {
        lull_dwarf_lines_done(&all);
        return err;
    }
    *ret = all;
    return NULL;
}

void lull_dwarf_lines_done(struct lull_dwarf_lines *lines)
{
    lull_arena_done(&lines->arena);
    *lines = (struct lull_dwarf_lines){0};
}

const struct lull_dwarf_line *lull_dwarf_line_at(const struct lull_dwarf_lines *lines,
                                                 uint64_t address)
{
    size_t low = 0;
    size_t high = lines->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (lines->lines[mid].address <= address) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low == 0 || lines->lines[low - 1].end ? NULL : &lines->lines[low - 1];
}
