// SPDX-License-Identifier: MIT
#include "cli/run/debug_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "check/checks.h"
#include "check/hazards.h"
#include "cli/opt/gpu.h"

enum { PART = 64 }; // Lanes.

static struct lull_check_code code_of(const struct lull_ds *s)
{
    return s->program.image == NULL || s->launched.code == NULL
               ? (struct lull_check_code){.api = s->check.api, .lines = s->check.lines}
               : (struct lull_check_code){.image = s->program.image,
                                          .va = s->launched.code->va,
                                          .size = s->launched.code->size};
}

/** Is @p name in @p names, a list with commas? */
static bool is_in(const char *names, const char *name)
{
    const size_t size = strlen(name);
    for (const char *at = names; *at != '\0';) {
        const size_t n = strcspn(at, ",");
        if (n == size && strncmp(at, name, n) == 0) {
            return true;
        }
        at += n + (at[n] == ',');
    }
    return false;
}

static void only(void *ctx, const char *those, const char *stops)
{
    struct lull_ds *s = ctx;
    free(s->check_those);
    free(s->check_stops);
    s->check_those = strdup(those);
    s->check_stops = strdup(stops);
}

/** Nobody wants to be stopped for what @p f is of. */
static bool is_quiet(const struct lull_ds *s, const struct lull_finding *f)
{
    return s->check_those != NULL && s->check_stops != NULL && is_in(s->check_those, f->check) &&
           !is_in(s->check_stops, f->check);
}

static size_t nchecks(const struct lull_ds *s)
{
    return s->check.checks != NULL ? lull_checks_count(s->check.checks) : 0;
}

static size_t nhazards(const struct lull_ds *s)
{
    return s->check.hazards != NULL ? lull_hazards_count(s->check.hazards) : 0;
}

/** What was found since waves went on last is new. */
static void look(struct lull_ds *s)
{
    if (s->check_resumes != s->debug->resumes) {
        s->check_resumes = s->debug->resumes;
        s->check_first = s->check_count;
        s->hazard_first = s->hazard_count;
    }
    s->check_count = nchecks(s);
    s->hazard_count = nhazards(s);
}

/** The debugger shows waves of more than 64 lanes in parts. */
static uint32_t wave_of(const struct lull_check_site *site)
{
    const uint32_t parts = site->lanes > PART ? site->lanes / PART : 1;
    return site->wave * parts + (site->whole ? 0 : site->lane / PART);
}

/** Is that part of the wave that did it the one of @p w? On an Adreno its number is its place. */
static bool in_parts(const struct lull_hazard *h, const struct lull_wave_info *w)
{
    const bool part = h->lanes[0] == 0 && h->lanes[1] != 0;
    return h->place == w->slot >> 1 && w->second_half == part;
}

/** The newest hazard of the wave in that place that was not gone on from. */
static const struct lull_hazard *hazard_of(struct lull_ds *s, const struct lull_wave_info *w,
                                           size_t *ret)
{
    look(s);
    const bool quiet = s->check_those != NULL && s->check_stops != NULL &&
                       is_in(s->check_those, "hazards") && !is_in(s->check_stops, "hazards");
    for (size_t i = s->hazard_count; !quiet && i-- > s->hazard_first;) {
        const struct lull_hazard *h = lull_hazards_at(s->check.hazards, i);
        const bool there = s->check.adreno ? in_parts(h, w) : h->place == w->hw_id1;
        if (there && memcmp(h->group, w->workgroup, sizeof h->group) == 0) {
            *ret = i;
            return h;
        }
    }
    return NULL;
}

/** The newest finding of the wave in that place that was not gone on from. */
static const struct lull_finding *finding_of(struct lull_ds *s, const struct lull_wave_info *w,
                                             size_t *ret)
{
    const struct lull_checks *c = s->check.checks;
    look(s);
    for (size_t i = s->check_count; i-- > s->check_first;) {
        const struct lull_finding *f = lull_checks_at(c, i);
        const struct lull_check_site *last = &f->sites[f->sites[1].there ? 1 : 0];
        if ((s->check.adreno || f->place == w->hw_id1) && wave_of(last) == w->wave_in_group &&
            last->workgroup[0] == w->workgroup[0] && last->workgroup[1] == w->workgroup[1] &&
            last->workgroup[2] == w->workgroup[2] && !is_quiet(s, f)) {
            *ret = i;
            return f;
        }
    }
    return NULL;
}

static uint64_t checked(void *ctx, const struct lull_wave_info *w)
{
    struct lull_ds *s = ctx;
    size_t i = 0;
    const struct lull_finding *f = finding_of(s, w, &i);
    const struct lull_hazard *h = f == NULL ? hazard_of(s, w, &i) : NULL;
    if (h != NULL) {
        return h->lanes[0] != 0 ? h->lanes[0] & -h->lanes[0] : 1;
    }
    if (f == NULL) {
        return 0;
    }
    const struct lull_check_site *last = &f->sites[f->sites[1].there ? 1 : 0];
    return last->whole ? (w->exec != 0 ? w->exec & -w->exec : 1) : UINT64_C(1) << last->lane % PART;
}

/** Is the wave the one of that site? */
static bool is_of(const struct lull_check_site *site, const struct lull_wave_info *w)
{
    return wave_of(site) == w->wave_in_group &&
           memcmp(site->workgroup, w->workgroup, sizeof site->workgroup) == 0;
}

static bool other(void *ctx, const struct lull_wave_info *w, struct lull_debug_other *ret)
{
    struct lull_ds *s = ctx;
    look(s);
    for (size_t i = s->check_count; i-- > s->check_first;) {
        const struct lull_finding *f = lull_checks_at(s->check.checks, i);
        const bool second = is_of(&f->sites[1], w);
        if (f->sites[0].there && f->sites[1].there && (second || is_of(&f->sites[0], w))) {
            const struct lull_check_site *to = &f->sites[second ? 0 : 1];
            *ret = (struct lull_debug_other){
                .wave = wave_of(to), .lane = to->lane % PART, .pc = to->pc};
            memcpy(ret->workgroup, to->workgroup, sizeof ret->workgroup);
            return true;
        }
    }
    return false;
}

static void add_one(const struct lull_ds *s, size_t i, struct lull_str *out, struct lull_json *json)
{
    const struct lull_finding *f = lull_checks_at(s->check.checks, i);
    const struct lull_check_code code = code_of(s);
    struct lull_str text = {0};
    lull_check_show(&s->check, &code, i, &text);
    lull_str_add(out, lull_str_text(&text), text.size);
    if (json != NULL) {
        lull_json_open(json, '{');
        lull_json_put_str(json, "check", f->check);
        lull_json_put_str(json, "kind", f->what);
        lull_json_put_str(json, "text", lull_str_text(&text));
        lull_json_put_u64(json, "count", f->count);
        lull_check_sites(f, &code, json);
        lull_json_close(json, '}');
    }
    lull_str_free(&text);
}

static void add_hazard(const struct lull_ds *s, size_t i, struct lull_str *out,
                       struct lull_json *json)
{
    const struct lull_hazard *h = lull_hazards_at(s->check.hazards, i);
    const struct lull_check_code code = code_of(s);
    struct lull_str text = {0};
    lull_check_show_hazard(&s->check, &code, i, &text);
    lull_str_add(out, lull_str_text(&text), text.size);
    if (json != NULL) {
        lull_json_open(json, '{');
        lull_json_put_str(json, "check", "hazards");
        lull_json_put_str(json, "kind", lull_hazard_name(h->kind));
        lull_json_put_str(json, "text", lull_str_text(&text));
        lull_json_put_u64(json, "count", h->count);
        lull_json_close(json, '}');
    }
    lull_str_free(&text);
}

/** Lines of the shaders in which something was found. */
static void renew_lines(struct lull_ds *s)
{
    if (s->check.vulkan && s->check_lined != nchecks(s)) {
        lull_check_lines_free(s->check.lines);
        s->check.lines = lull_check_lines_read(s->check.checks, lull_host_folder(&s->host));
        if (!s->check_judged && lull_check_wants_names(&s->check)) { // Names of what they are of.
            lull_check_api_free(s->check.api);
            s->check.api = NULL;
            lull_error_free(lull_check_api_read(s->host.kernel, lull_host_folder(&s->host),
                                                s->check.adreno, &s->check.api));
        }
        s->check_lined = nchecks(s);
    }
}

static void findings(void *ctx, const struct lull_wave_info *w, struct lull_str *out,
                     struct lull_json *json)
{
    struct lull_ds *s = ctx;
    size_t i = 0;
    renew_lines(s);
    if (w != NULL && finding_of(s, w, &i) != NULL) {
        if (json != NULL) {
            lull_json_key(json, "finding");
        }
        add_one(s, i, out, json);
    } else if (w != NULL && hazard_of(s, w, &i) != NULL) {
        if (json != NULL) {
            lull_json_key(json, "finding");
        }
        add_hazard(s, i, out, json);
    }
    if (w == NULL && s->check.vulkan && !s->check_judged && !lull_host_alive(&s->host)) {
        s->check_judged = true; // Two dispatches: by what the program has called in the end.
        lull_check_judge(&s->check, s->host.kernel, lull_host_folder(&s->host));
    }
    for (i = 0; w == NULL && i < nchecks(s); i++) {
        add_one(s, i, out, json);
    }
    for (i = 0; w == NULL && i < nhazards(s); i++) {
        add_hazard(s, i, out, json);
    }
}

static void again(void *ctx, bool begins)
{
    struct lull_ds *s = ctx;
    if (s->check.checks != NULL) {
        lull_checks_again(s->check.checks, begins, s->check.vulkan);
    }
    if (s->check.hazards != NULL && !s->check.vulkan) {
        lull_hazards_again(s->check.hazards, begins);
    }
    s->check_resumes = s->debug->resumes;
    s->check_first = s->check_count = nchecks(s);
    s->hazard_first = s->hazard_count = nhazards(s);
}

/** All that was found by the time at which a wave was stopped is new for it. */
static size_t stands(void *ctx, size_t n)
{
    struct lull_ds *s = ctx;
    s->check_first = n != 0 ? 0 : s->check_first;
    s->hazard_first = n != 0 ? 0 : s->hazard_first;
    return nchecks(s) + nhazards(s);
}

struct lull_error *lull_ds_check(struct lull_ds *s, struct lull_kernel *k)
{
    s->check.adreno = lull_gpu_is_adreno(s->host.gpu);
    s->check.vulkan = s->host.argv != NULL;
    if (s->check.wanted == 0) {
        return NULL;
    }
    if (k == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "--check is for lull's own GPUs");
    }
    if (s->check.vulkan) {
        s->check.modules.dir = lull_host_folder(&s->host);
    }
    struct lull_error *err = lull_check_start(&s->check, k);
    if (err == NULL && s->check.checks != NULL) {
        lull_checks_stop(s->check.checks);
    }
    if (err == NULL && s->check.hazards != NULL) {
        lull_hazards_stop(s->check.hazards);
    }
    return err;
}

void lull_ds_check_hooks(struct lull_ds *s)
{
    if (s->check.checks != NULL || s->check.hazards != NULL) {
        s->debug->checked = checked;
        s->debug->findings = findings;
        s->debug->other = other;
        s->debug->check_only = only;
        s->debug->check_again = again;
        s->debug->check_stands = stands;
    }
}
