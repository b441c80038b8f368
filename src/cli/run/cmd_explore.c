// SPDX-License-Identifier: MIT
// lull explore: orders of waves in which a kernel goes wrong.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/output.h"
#include "cli/opt/command.h"
#include "cli/opt/input.h"
#include "cli/opt/ranks.h"
#include "cli/run/explore.h"
#include "cli/run/explore_web.h"
#include "explore/search.h"
#include "target/target.h"

enum {
    DEFAULT_ORDERS = 1000,
    SHADER_ORDERS = 100, // Each starts a driver.
    MOST_ORDERS = 1000000000,
    MOST_JOBS = 1024,
    DEFAULT_LEVEL = 2
};
static const uint64_t SHADER_TIMEOUT_NS = 5000000000u;

struct explore {
    struct lull_explore e; // First.
    const char *save;
    uint64_t orders, first, jobs;
    unsigned only; // 1: directed, 2: drawn.
    struct lull_ranks ranks;
    const char *sql, *html;
    struct lull_explore_log log;
    struct lull_error *log_err;
    bool web, over; // over: the search is.
    uint64_t port;
    struct lull_explore_web *page;
    const struct lull_outcome *own;
    const struct lull_order_found *found;
};

enum { ONLY_DIRECTED = 1, ONLY_DRAWN = 2 };

/** NAME=FILE */
LULL_MUST_USE static struct lull_error *expect(void *base, const struct lull_opt *o,
                                               const char *value)
{
    struct explore *x = base;
    const char *equals = strchr(value, '=');
    char *bytes = NULL;
    size_t size = 0;
    if (equals == NULL || equals == value || equals[1] == '\0') {
        return lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not BUFFER=FILE", o->name, value);
    }
    struct lull_error *err = lull_input_read(equals + 1, &bytes, &size);
    struct lull_expect *more =
        err == NULL ? realloc(x->e.expects, (x->e.nexpects + 1) * sizeof *more) : NULL;
    if (err == NULL && more == NULL) {
        free(bytes);
        err = &lull_enomem;
    }
    if (err != NULL) {
        return err;
    }
    x->e.expects = more;
    x->e.given = true;
    lull_files_in(&x->e.run.o.files, equals + 1);
    more[x->e.nexpects++] = (struct lull_expect){
        .name = strndup(value, (size_t)(equals - value)), .bytes = (uint8_t *)bytes, .size = size};
    return more[x->e.nexpects - 1].name != NULL ? NULL : &lull_enomem;
}

static const struct lull_opt kernel_opts[] = {
    {"PROGRAM", .kind = LULL_OPT_IN, LULL_OPT_AT(struct explore, e.run.o.path),
     .flags = LULL_OPT_NEEDED},
    {"--expect", NULL, "BUFFER=FILE",
     "right is what leaves FILE's bytes at the beginning of BUFFER, an argument by its name or "
     "number. With neither --expect nor --check: what leaves in all buffers what the GPU's own "
     "order leaves",
     LULL_OPT_CALL, .call = expect, .flags = LULL_OPT_MANY},
    {0},
};

static const struct lull_opt shader_opts[] = {
    {"--gpu", NULL, "NAME",
     "which GPU: gfx1100, as if not given, or an Adreno, a630, a660 or a740, under Turnip",
     LULL_OPT_TEXT, LULL_OPT_AT(struct explore, e.shaded.o.gpu)},
    {0},
};

static const struct lull_opt opts[] = {
    {"--orders", "--schedules", "N",
     "orders to draw at random; if not given 1000, of a Vulkan shader 100", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct explore, orders), .min = 1, .max = MOST_ORDERS},
    {"--first", NULL, "N", "seed of the first of them; 1 if not given", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct explore, first), .min = 1},
    {"--only", NULL, "directed|drawn",
     "only orders that turn round accesses that race, or only those drawn at random",
     LULL_OPT_CHOICE, LULL_OPT_AT(struct explore, only), .min = ONLY_DIRECTED},
    {"--save", NULL, "FILE",
     "write the schedule that goes wrong, for --schedule of lull run and lull debug", LULL_OPT_OUT,
     LULL_OPT_AT(struct explore, save)},
    {"--sql", NULL, "FILE", "write all orders up to the one that goes wrong, an SQLite database",
     LULL_OPT_OUT, LULL_OPT_AT(struct explore, sql)},
    {"--html", NULL, "FILE", "the same as a page, complete in itself", LULL_OPT_OUT,
     LULL_OPT_AT(struct explore, html)},
    {"--web", NULL, NULL,
     "serve that page on this machine while orders are tried and behind it, until Ctrl-C",
     LULL_OPT_FLAG, LULL_OPT_AT(struct explore, web)},
    {"--port", NULL, "N", "of --web: the port on 127.0.0.1; if not given, or 0, one that is free",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct explore, port), .max = 65535},
    {"--jobs", "-j", "N",
     "processes; as many as there are processors if not given, under mpirun 1 for each rank",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct explore, jobs), .min = 1, .max = MOST_JOBS},
    {0},
};

static const struct lull_opt_group groups[] = {
    {NULL, kernel_opts, 0},
    {NULL, opts, 0},
    {NULL, lull_options_kernel_opts, offsetof(struct explore, e.run.o)},
    {NULL, lull_options_opts, offsetof(struct explore, e.run.o)},
    {NULL, lull_check_opts, offsetof(struct explore, e.run.check)},
    {NULL, lull_engine_opts, offsetof(struct explore, e.run.o.engine)},
    {0},
};

enum { SHADED = offsetof(struct explore, e.shaded.o) };

static const struct lull_opt_group shader_groups[] = {
    {NULL, lull_vk_work_opts, SHADED},
    {NULL, lull_vk_any_opts, SHADED},
    {NULL, lull_vk_shader_opts, SHADED},
    {NULL, lull_vk_expect_opts, SHADED},
    {NULL, lull_vk_tolerance_opts, SHADED},
    {NULL, shader_opts, 0},
    {NULL, opts, 0},
    {NULL, lull_check_same_opts, offsetof(struct explore, e.shaded.o.check)},
    {NULL, lull_assume_opts, offsetof(struct explore, e.shaded.o.assume)},
    {NULL, lull_engine_opts, offsetof(struct explore, e.shaded.o.engine)},
    {0},
};

static bool is_shader(const struct explore *x)
{
    return x->e.ops == &lull_explore_shader;
}

static const char *path_of(const struct explore *x)
{
    return is_shader(x) ? x->e.shaded.o.path : x->e.run.o.path;
}

static const char *part_name(enum lull_search_part part)
{
    return part == LULL_SEARCH_DIRECTED ? "directed" : "drawn";
}

/** The schedule as a file, with what it shows in front. */
static void schedule_text(const struct explore *x, const struct lull_order_found *f,
                          struct lull_str *out)
{
    struct lull_str holds = {0};
    lull_schedule_text(&f->schedule, &holds);
    const char *text = lull_str_text(&holds), *first = strchr(text, '\n');
    lull_str_addf(out, "%.*s\n# %s: ", first != NULL ? (int)(first - text) : 0, text, path_of(x));
    lull_str_add(out, f->text, strcspn(f->text, "\n"));
    for (const char *at = f->places; *at != '\0';) {
        const size_t n = strcspn(at, "\n");
        lull_str_addf(out, "\n# ");
        lull_str_add(out, at, n);
        at += n + (at[n] != '\0');
    }
    lull_str_addf(out, "%s", first != NULL ? first : "\n");
    out->err = out->err != NULL ? out->err : holds.err;
    holds.err = NULL;
    lull_str_free(&holds);
}

static void report_json(const struct explore *x, const struct lull_outcome *own,
                        const struct lull_order_found *f, struct lull_str *out)
{
    struct lull_json j = {.out = out};
    lull_json_open(&j, '{');
    lull_json_put_str(&j, "program", path_of(x));
    lull_json_put_str(&j, "own_order", own->how == LULL_OUTCOME_RIGHT ? "right" : own->text);
    lull_json_put_u64(&j, "orders", f->tried);
    lull_json_put_u64(&j, "directed", f->npairs);
    lull_json_key(&j, "found");
    lull_json_bool(&j, f->found);
    if (f->found) {
        lull_json_put_str(&j, "by", part_name(f->part));
        lull_json_put_u64(&j, "order", f->number);
        lull_json_put_str(&j, "text", f->text);
        lull_json_put_u64(&j, "waits_before", f->before);
        lull_json_put_u64(&j, "runs_to_shrink", f->shrink);
        lull_json_key(&j, "waits");
        lull_json_open(&j, '[');
        for (size_t i = 0; i < f->schedule.n; i++) {
            struct lull_str hold = {0};
            lull_hold_text(&f->schedule.holds[i], &hold);
            lull_json_str(&j, lull_str_text(&hold));
            lull_str_free(&hold);
        }
        lull_json_close(&j, ']');
        lull_json_put_str(&j, "places", f->places);
    }
    lull_json_close(&j, '}');
    lull_str_add(out, "\n", 1);
}

static void report_text(const struct explore *x, const struct lull_outcome *own,
                        const struct lull_order_found *f, struct lull_str *out)
{
    if (own->how != LULL_OUTCOME_RIGHT) {
        lull_str_addf(out, "the GPU's own order goes wrong: %s\n", own->text);
        return;
    }
    lull_str_addf(out, "the GPU's own order is right\n");
    if (!f->found) {
        lull_str_addf(out,
                      "%" PRIu64 " others are, too, %zu of them with racing accesses turned "
                      "round\n",
                      f->tried, f->npairs);
        return;
    }
    lull_str_addf(out, "order %" PRIu64 " (%s%s) goes wrong: %s\n", f->number + 1,
                  part_name(f->part),
                  f->part == LULL_SEARCH_DIRECTED ? ", racing accesses turned round" : "", f->text);
    lull_str_addf(out, "%zu wait%s, of %zu, after %" PRIu64 " more runs:\n", f->schedule.n,
                  f->schedule.n == 1 ? "" : "s", f->before, f->shrink);
    for (const char *at = f->places; *at != '\0';) {
        const size_t n = strcspn(at, "\n");
        lull_str_addf(out, "  ");
        lull_str_add(out, at, n);
        lull_str_addf(out, "\n");
        at += n + (at[n] != '\0');
    }
    if (x->save == NULL) {
        return;
    }
    const char *gpu = x->e.shaded.o.gpu;
    lull_str_addf(out, "saved as %s: lull ", x->save);
    if (is_shader(x)) {
        lull_str_addf(out, "run%s%s", gpu != NULL ? " --gpu " : "", gpu != NULL ? gpu : "");
    } else {
        lull_str_addf(out, "debug -O %u", x->e.run.o.opt_level);
    }
    lull_str_addf(out, " --schedule %s %s ... (the same arguments)\n", x->save, path_of(x));
}

static struct lull_explore_report report_of(const struct explore *x, const struct lull_outcome *own,
                                            const struct lull_order_found *f)
{
    return (struct lull_explore_report){.program = path_of(x),
                                        .first = x->first,
                                        .own = own,
                                        .found = f,
                                        .log = &x->log,
                                        .running = !x->over};
}

/** For a browser: as far as it has come. */
static void page_now(void *ctx, struct lull_str *out)
{
    static const struct lull_order_found nothing = {0};
    const struct explore *x = ctx;
    const struct lull_explore_report r = report_of(x, x->own, x->over ? x->found : &nothing);
    lull_explore_html(&r, out);
}

/** --sql and --html. */
LULL_MUST_USE static struct lull_error *write_reports(struct explore *x,
                                                      const struct lull_outcome *own,
                                                      const struct lull_order_found *f)
{
    const struct lull_explore_report r = report_of(x, own, f);
    lull_explore_log_sort(&x->log, f);
    struct lull_error *err = x->sql != NULL ? lull_explore_sql(&r, x->sql) : NULL;
    if (err == NULL && x->html != NULL) {
        struct lull_str page = {0};
        lull_explore_html(&r, &page);
        err = page.err != NULL ? &lull_enomem : lull_output_write(x->html, page.text, page.size);
        lull_str_free(&page);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *report(struct explore *x, const struct lull_outcome *own,
                                               const struct lull_order_found *f)
{
    struct lull_str out = {0}, file = {0};
    struct lull_error *err = write_reports(x, own, f);
    if (err == NULL && f->found && x->save != NULL) {
        schedule_text(x, f, &file);
        err = file.err != NULL ? &lull_enomem : lull_output_write(x->save, file.text, file.size);
    }
    if (is_shader(x) ? x->e.shaded.o.json : x->e.run.o.json) {
        report_json(x, own, f, &out);
    } else {
        report_text(x, own, f, &out);
    }
    err = err == NULL && out.err != NULL ? &lull_enomem : err;
    if (err == NULL) {
        fputs(lull_str_text(&out), stdout);
    }
    lull_str_free(&file);
    lull_str_free(&out);
    return err;
}

static void tried(void *ctx, enum lull_search_part part, uint64_t number, int rank,
                  const struct lull_outcome *o)
{
    struct explore *x = ctx;
    if (x->log_err == NULL && (x->sql != NULL || x->html != NULL || x->web)) {
        x->log_err = lull_explore_tried(&x->log, part, number, rank, o);
    }
    lull_explore_web_look(x->page);
}

/** The first run was right: search, on rank 0; else help. */
LULL_MUST_USE static struct lull_error *search(struct explore *x, const struct lull_outcome *own,
                                               struct lull_order_found *ret)
{
    const struct lull_pool_options o = {.jobs = (unsigned)x->jobs,
                                        .mpi = lull_ranks_mpi(&x->ranks),
                                        .work = lull_explore_work,
                                        .ctx = &x->e};
    struct lull_pool *pool = NULL;
    struct lull_error *err = lull_pool_new(&o, &pool);
    if (err == NULL && !lull_ranks_first(&x->ranks)) {
        err = lull_pool_serve(pool);
    } else if (err == NULL && own->how == LULL_OUTCOME_RIGHT) {
        const struct lull_order_search s = {.pool = pool,
                                            .seed = x->e.seed,
                                            .first = x->first,
                                            .count = x->only == ONLY_DIRECTED ? 0 : x->orders,
                                            .directed = x->only != ONLY_DRAWN,
                                            .tried = tried,
                                            .ctx = x};
        err = lull_order_search_run(&s, ret);
        err = err != NULL ? err : x->log_err;
    }
    lull_pool_free(pool);
    return err;
}

/** The search and its report. */
LULL_MUST_USE static struct lull_error *explore(struct explore *x, int *status)
{
    struct lull_outcome own = {0};
    struct lull_order_found found = {0};
    struct lull_error *err = lull_ranks_open(&x->ranks);
    err = err != NULL ? err : lull_explore_first(&x->e, &own);
    x->own = &own;
    x->found = &found;
    if (err == NULL && x->web && lull_ranks_first(&x->ranks)) {
        err = lull_explore_web_open((unsigned)x->port, page_now, x, &x->page);
    }
    err = err != NULL ? err : search(x, &own, &found);
    x->over = true;
    if (err == NULL && lull_ranks_first(&x->ranks)) {
        *status =
            own.how != LULL_OUTCOME_RIGHT || found.found ? LULL_EXIT_FINDINGS : LULL_EXIT_CLEAN;
        err = report(x, &own, &found);
    }
    if (err == NULL && x->page != NULL) {
        (void)fflush(stdout);
        err = lull_explore_web_stay(x->page);
    }
    lull_explore_web_close(x->page);
    lull_order_found_done(&found);
    lull_explore_log_done(&x->log);
    lull_outcome_done(&own);
    return err;
}

/** Files that are written, those that are read are in @p f. */
LULL_MUST_USE static struct lull_error *files(const struct explore *x, struct lull_files *f)
{
    lull_files_out(f, x->save);
    lull_files_out(f, x->sql);
    lull_files_out(f, x->html);
    return x->port == 0 || x->web ? NULL : lull_error_new(LULL_ERR_INVALID, "--port is for --web");
}

LULL_MUST_USE static struct lull_error *end(struct explore *x, struct lull_error *err)
{
    for (size_t i = 0; !is_shader(x) && x->e.given && i < x->e.nexpects; i++) {
        free((char *)(uintptr_t)x->e.expects[i].name);
    }
    lull_explore_done(&x->e);
    if (err == NULL) {
        lull_ranks_close(&x->ranks);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *run_kernel(const struct lull_form *form, int argc,
                                                   char **argv, int *status)
{
    struct explore x = {.e.ops = &lull_explore_kernel,
                        .e.run.o = {.opt_level = DEFAULT_LEVEL, .timeout_ms = LULL_TARGET_HANG_MS},
                        .orders = DEFAULT_ORDERS,
                        .first = 1};
    struct lull_opts o = {.form = form, .base = &x};
    struct lull_error *err = lull_opts_parse(&o, argc, argv);
    lull_files_in(&x.e.run.o.files, x.e.run.check.known_path);
    x.e.seed = x.e.run.o.seed;
    err = err != NULL ? err : files(&x, &x.e.run.o.files);
    err = err != NULL ? err : lull_options_files(&x.e.run.o);
    err = err != NULL ? err : explore(&x, status);
    return end(&x, err);
}

LULL_MUST_USE static struct lull_error *run_shader(const struct lull_form *form, int argc,
                                                   char **argv, int *status)
{
    struct explore x = {.e.ops = &lull_explore_shader,
                        .e.shaded = {.form = form, .argc = argc, .argv = argv, .own = opts},
                        .orders = SHADER_ORDERS,
                        .first = 1};
    struct lull_vk_options *v = &x.e.shaded.o;
    struct lull_opts o = {.form = form, .base = &x};
    struct lull_error *err = lull_opts_parse(&o, argc, argv);
    if (err == NULL && getenv("LULL_SOCKET") != NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "not under lull exec: lull explore has its own GPU");
    }
    v->engine.seeded = lull_opts_given(&o, "--seed");
    v->c.timeout_ns = v->c.timeout_ns != 0 ? v->c.timeout_ns : SHADER_TIMEOUT_NS;
    x.e.seed = v->seed;
    x.e.given = v->nexpects != 0;
    lull_files_in(&v->args.files, v->check.known_path);
    err = err != NULL ? err : files(&x, &v->args.files);
    err = err != NULL ? err : lull_assume_check(&v->assume, v->gpu);
    err = err != NULL ? err : lull_vk_options_load(v);
    err = err != NULL ? err : explore(&x, status);
    return end(&x, err);
}

static const struct lull_form form_kernel = {
    .about =
        "PROGRAM is a gfx1100 code object, or a .cl, .s or .ll file that is compiled first; or "
        "a Vulkan compute shader, which has options of its own, below.",
    .groups = groups,
    .after = "If not given: -O2, --timeout 1000.\n"
             "\n"
             "  lull explore sum.cl --grid 256 --block 256 --arg zeros:4:name=out --save "
             "sum.schedule",
    .run = run_kernel,
};

static const struct lull_form form_shader = {
    .about =
        "A Vulkan compute shader (.comp, .glsl or .spv) runs under Debian's RADV, or with "
        "--gpu a630, a660 or a740 under its Turnip. With neither --expect nor --check right is "
        "what leaves in all resources what the GPU's own order leaves.",
    .groups = shader_groups,
    .after = "If not given: --timeout 5000.\n"
             "\n"
             "  lull explore sum.comp --gpu a660 --groups 4 --bind 0.0=zeros:64 --save "
             "sum.schedule",
    .run = run_shader,
};

/** All of them: to find the operand, which says what it is. */
static const struct lull_opt_group any_groups[] = {
    {NULL, kernel_opts, 0},
    {NULL, opts, 0},
    {NULL, lull_options_kernel_opts, 0},
    {NULL, lull_options_opts, 0},
    {NULL, lull_check_opts, 0},
    {NULL, lull_engine_opts, 0},
    {NULL, lull_vk_work_opts, 0},
    {NULL, lull_vk_any_opts, 0},
    {NULL, lull_vk_shader_opts, 0},
    {NULL, lull_vk_tolerance_opts, 0},
    {NULL, shader_opts, 0},
    {NULL, lull_assume_opts, 0},
    {0},
};

LULL_MUST_USE static struct lull_error *run(int argc, char **argv, int *status)
{
    static const struct lull_form any = {.groups = any_groups};
    const struct lull_form *form =
        lull_vk_is_shader(&any, argc, argv) ? &form_shader : &form_kernel;
    return form->run(form, argc, argv, status);
}

const struct lull_command lull_cli_explore = {
    .name = "explore",
    .help = "find an order of waves in which a kernel or a shader goes wrong",
    .about =
        "PROGRAM runs on the model GPU in many orders: first those in which accesses that race "
        "come the other way round, then some drawn at random. Of the first that goes wrong "
        "the fewest waits are kept that still do it.\n"
        "\n"
        "Under mpirun the ranks share the orders.",
    .forms = (const struct lull_form *const[]){&form_kernel, &form_shader, NULL},
    .after = "Exit status 1: an order goes wrong.\n"
             "\n"
             "  mpirun -n 8 lull explore sum.cl ...",
    .run = run,
};
