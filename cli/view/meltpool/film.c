/*
 * A file of frames, and the thread that makes its records.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "film.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "beamform/job.h"
#include "view/thread.h"

#define NEWS_NS INT64_C(100000000) /* between two calls of `news` */

struct pool_film {
    cli_meltpool_job *job; /* the thread's, while it runs */
    sac_frames_in *in;     /* of looks */
    uint8_t *pixels;       /* (h, w) */
    cli_meltpool_layers layers;
    double first[2], last[2];                 /* of maps; both 0: there are none */
    float (*truth)[SAC_MELTPOOL_PREDICTIONS]; /* (n); NULL: the file has none */

    pthread_t thread;
    bool has_thread;
    atomic_bool is_ending;
    void (*news)(const void *ctx);
    const void *ctx;

    /* Written by the thread, read behind n_done. */
    sac_meltpool_record *records; /* (n) */
    double (*last_pools)[2];      /* (n), with SAC_MELTPOOL_PREVIOUS; -1: there was none */

    pthread_mutex_t lock; /* of all below */
    int64_t n_done;
    sac_meltpool_counts counts;
    pool_columns columns;
    sac_error error;

    pool_map map; /* a look's */
    int64_t map_begin, map_end;
};

static int64_t n_frames(const pool_film *f)
{
    return f->job->info->n_frames;
}

static sac_status read_truth(pool_film *f, sac_error *err)
{
    enum { BATCH = 65536 };
    sac_meltpool_truth *truth = cli_grow(NULL, 0, BATCH, sizeof *truth);
    sac_status st = SAC_OK;
    f->truth = cli_grow(NULL, 0, (size_t)n_frames(f), sizeof *f->truth);
    for (int64_t at = 0, n; at < n_frames(f) && st == SAC_OK; at += n) {
        n = n_frames(f) - at < BATCH ? n_frames(f) - at : BATCH;
        st = sac_frames_read(f->in, NULL, NULL, truth, at, n, err);
        for (int64_t i = 0; i < n && st == SAC_OK; i++) {
            f->truth[at + i][0] = truth[i].lof_density;
            f->truth[at + i][1] = truth[i].keyhole_density;
        }
    }
    free(truth);
    return st;
}

static int check_memory(const pool_film *f, bool is_sure)
{
    const double wanted = (double)n_frames(f) * sizeof *f->records;
    const double is_free = cli_beamform_free_bytes();
    return is_sure || is_free <= 0 || wanted <= is_free / 2
               ? CLI_DONE
               : cli_fail("`%s`: its records take %.0f MB of memory, more than half of what is "
                          "free (%.0f MB): --yes to go on",
                          f->job->input, wanted / 1e6, is_free / 1e6);
}

int pool_film_open(pool_film **out, cli_meltpool_job *job, bool is_sure)
{
    pool_film *f = *out = cli_grow(NULL, 0, 1, sizeof *f);
    sac_error err = {0};
    f->job = job;
    pthread_mutex_init(&f->lock, NULL);
    const int status = check_memory(f, is_sure);
    if (status != CLI_DONE) {
        return status;
    }
    sac_status st = sac_frames_open(&f->in, job->input, &err);
    if (st == SAC_OK && sac_frames_get_info(f->in)->n_frames != n_frames(f)) {
        return cli_fail("`%s`: has changed since it was opened", job->input);
    }
    f->layers.gap_frames = job->options.layer_gap_s * job->desc.rate_hz;
    if (st == SAC_OK && job->info->has_signals) {
        st = cli_meltpool_layers_scan(&f->layers, f->in, &err);
    }
    if (st == SAC_OK && job->info->has_truth) {
        st = read_truth(f, &err);
    }
    if (f->layers.n_on > 0) {
        cli_meltpool_layers_square(&f->layers, f->first, f->last);
    }
    f->pixels = cli_grow(NULL, 0, (size_t)job->info->w * (size_t)job->info->h, 1);
    f->records = cli_grow(NULL, 0, (size_t)n_frames(f), sizeof *f->records);
    f->map_begin = -1;
    return st == SAC_OK ? CLI_DONE : cli_error(&err);
}

/* Where the pool of each frame was searched, which the one before it said. */
static sac_status follow(pool_film *f, int64_t first, int64_t n, sac_error *err)
{
    const cli_meltpool_job *job = f->job;
    const int64_t shape[] = {job->info->h, job->info->w};
    sac_status st = SAC_OK;
    for (int64_t i = 0; i < n && st == SAC_OK; i++) {
        const sac_meltpool_record *r = &job->records[i];
        double *at = f->last_pools[first + i];
        sac_meltpool_outline o = {.struct_size = sizeof o};
        sac_array frame;
        if (first + i == 0 || r->flags & SAC_MELTPOOL_GAP) {
            at[0] = at[1] = -1;
        }
        st = sac_array_view(&frame, job->frames + i * shape[0] * shape[1], SAC_U8, 2, shape, err);
        st = st ? st
                : sac_meltpool_find_outline(&o, NULL, &job->desc, &frame, &r->signals,
                                            at[0] < 0 ? NULL : at, err);
        if (first + i + 1 < n_frames(f)) {
            memcpy(at + 2, o.area > 0 ? o.pool : at, 2 * sizeof *at);
        }
    }
    return st;
}

static void add(pool_film *f, int64_t first, int64_t n)
{
    memcpy(f->records + first, f->job->records, (size_t)n * sizeof *f->records);
    pthread_mutex_lock(&f->lock);
    for (int64_t i = first; i < first + n; i++) {
        pool_columns_add(&f->columns, i, &f->records[i], f->truth ? f->truth[i] : NULL);
    }
    f->counts.struct_size = sizeof f->counts;
    sac_meltpool_get_counts(f->job->plan, &f->counts);
    f->n_done = first + n;
    pthread_mutex_unlock(&f->lock);
}

static void *work(void *ctx)
{
    pool_film *f = ctx;
    sac_error err = {0};
    sac_status st = SAC_OK;
    int64_t told_ns = cli_clock_ns();
    for (int64_t first = 0, n; first < n_frames(f) && st == SAC_OK; first += n) {
        if (atomic_load_explicit(&f->is_ending, memory_order_relaxed)) {
            return NULL;
        }
        st = cli_meltpool_step(f->job, first, &n, &err);
        if (st == SAC_OK && f->last_pools) {
            st = follow(f, first, n, &err);
        }
        if (st == SAC_OK) {
            add(f, first, n);
        }
        if (cli_clock_ns() - told_ns >= NEWS_NS) {
            told_ns = cli_clock_ns();
            f->news(f->ctx);
        }
    }
    pthread_mutex_lock(&f->lock);
    f->error = err;
    pthread_mutex_unlock(&f->lock);
    f->news(f->ctx);
    return NULL;
}

static void end(pool_film *f)
{
    if (f->has_thread) {
        atomic_store_explicit(&f->is_ending, true, memory_order_relaxed);
        pthread_join(f->thread, NULL);
        f->has_thread = false;
    }
}

/* What a run would refuse, or do with the wrong places. */
static sac_status check(const cli_meltpool_job *job, sac_error *err)
{
    const bool by_laser = job->desc.locate == SAC_MELTPOOL_LASER;
    const char *why = by_laser && !job->info->has_signals ? "the file has no signals"
                      : job->model && cli_meltpool_lacks_calibration(job)
                          ? "the file has no calibration, which predictions need"
                          : NULL;
    if (why) {
        err->status = SAC_E_INVALID;
        snprintf(err->text, sizeof err->text, "locate: expected brightest, previous or fixed: %s",
                 why);
    }
    return err->status;
}

static int start(pool_film *f)
{
    const int failed = view_thread_start(&f->thread, work, f);
    f->has_thread = !failed;
    return failed;
}

static void clear(pool_film *f)
{
    cli_meltpool_job *job = f->job;
    job->run_ns = job->read_ns = 0;
    memset(job->sums, 0, sizeof job->sums);
    atomic_store_explicit(&f->is_ending, false, memory_order_relaxed);
    free(f->last_pools);
    f->last_pools = job->desc.locate == SAC_MELTPOOL_PREVIOUS
                        ? cli_grow(NULL, 0, (size_t)n_frames(f), sizeof *f->last_pools)
                        : NULL;
    pthread_mutex_lock(&f->lock);
    f->n_done = 0;
    f->counts = (sac_meltpool_counts){.struct_size = sizeof f->counts};
    f->error = (sac_error){0};
    f->map_begin = -1;
    memset(&f->columns, 0, sizeof f->columns);
    f->columns.width = (n_frames(f) + POOL_COLUMNS - 1) / POOL_COLUMNS;
    f->columns.width = f->columns.width > 0 ? f->columns.width : 1;
    pthread_mutex_unlock(&f->lock);
}

sac_status pool_film_begin(pool_film *f, const sac_meltpool_desc *desc,
                           void (*news)(const void *ctx), const void *ctx, sac_error *err)
{
    /* What does not change while the thread works. */
    cli_meltpool_job next = {.options = f->job->options,
                             .input = f->job->input,
                             .info = f->job->info,
                             .model = f->job->model,
                             .desc = *desc};
    sac_meltpool *plan = NULL;
    sac_histogram *times = NULL;
    if (cli_meltpool_calibrate(&next, next.options.calibration) != CLI_DONE) {
        err->status = SAC_E_INVALID;
        snprintf(err->text, sizeof err->text, "calibration: cannot be read any more");
        return err->status;
    }
    sac_status st = check(&next, err);
    st = st ? st : sac_meltpool_open(&plan, &next.desc, err);
    if (st == SAC_OK && sac_histogram_open(&times, err) != SAC_OK) {
        sac_meltpool_close(&plan);
        st = err->status;
    }
    if (st != SAC_OK) {
        return st;
    }
    end(f);
    if (!f->job->gpu_failed) { /* else it ends with the process */
        sac_meltpool_close(&f->job->plan);
    }
    sac_histogram_close(&f->job->times);
    f->job->desc = next.desc;
    f->job->desc.variant = NULL; /* the caller's */
    f->job->calibration = next.calibration;
    f->job->plan = plan;
    f->job->times = times;
    f->news = news;
    f->ctx = ctx;
    clear(f);
    if (start(f) != 0) {
        err->status = SAC_E_NOMEM;
        snprintf(err->text, sizeof err->text, "view: no thread");
    }
    return err->status;
}

sac_status pool_film_look(pool_film *f, pool_film_frame *out, int64_t frame, sac_error *err)
{
    *out = (pool_film_frame){.pixels = f->pixels, .has_truth = f->truth != NULL};
    const sac_status st = sac_frames_read(
        f->in, f->pixels, f->job->info->has_signals ? &out->signals : NULL, NULL, frame, 1, err);
    if (f->truth) {
        memcpy(out->truth, f->truth[frame], sizeof out->truth);
    }
    pthread_mutex_lock(&f->lock);
    out->is_done = frame < f->n_done;
    pthread_mutex_unlock(&f->lock);
    if (out->is_done) {
        out->record = f->records[frame];
        const double *at = f->last_pools ? f->last_pools[frame] : NULL;
        out->last_pool = at && at[0] >= 0 ? at : NULL;
    }
    return st;
}

void pool_film_get(pool_film *f, pool_film_state *out, int32_t value)
{
    pthread_mutex_lock(&f->lock);
    out->n_done = f->n_done;
    out->counts = f->counts;
    out->error = f->error;
    out->from = pool_columns_get(&f->columns, out->rows, value);
    pthread_mutex_unlock(&f->lock);
}

const pool_map *pool_film_map(pool_film *f, int64_t frame, int64_t n_done, int64_t *layer)
{
    const cli_meltpool_layers *l = &f->layers;
    if (l->n_on == 0) {
        return NULL;
    }
    *layer = 0;
    while (*layer + 1 < l->n && l->begins[*layer + 1] <= frame) {
        ++*layer;
    }
    const int64_t begin = l->begins[*layer];
    const int64_t end_at = *layer + 1 < l->n ? l->begins[*layer + 1] : n_frames(f);
    const int64_t upto = end_at < n_done ? end_at : n_done;
    if (f->map_begin != begin || f->map_end > upto) {
        pool_map_clear(&f->map, f->first, f->last[0] - f->first[0]);
        f->map_begin = f->map_end = begin;
    }
    for (; f->map_end < upto; f->map_end++) {
        pool_map_add(&f->map, &f->records[f->map_end], f->truth ? f->truth[f->map_end] : NULL);
    }
    return &f->map;
}

int64_t pool_film_width(const pool_film *f)
{
    return f->columns.width;
}

const sac_histogram *pool_film_times(const pool_film *f)
{
    return f->job->times;
}

void pool_film_close(pool_film **film)
{
    pool_film *f = *film;
    if (f) {
        end(f);
        sac_frames_close(&f->in);
        pthread_mutex_destroy(&f->lock);
        free(f->layers.begins);
        free(f->truth);
        free(f->last_pools);
        free(f->records);
        free(f->pixels);
        free(f);
    }
    *film = NULL;
}
