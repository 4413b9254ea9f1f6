/*
 * Eigenvectors by cuSOLVER's zheevd, from a library that is loaded when a plan wants it: it is
 * declared here as its manual has it, so that no header of it is needed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "flow/cusolver.h"

#include "base/alloc.h"
#include "base/library.h"
#include "flow/kernels/flow_cuda.h"
#include "gpu/open.h"

/* cusolverStatus_t, cusolverEigMode_t and cublasFillMode_t are ints, handles pointers, complex
 * numbers pairs of doubles. A status is 0 for success. */
enum { NO_MEMORY = 2, WITH_VECTORS = 1, LOWER = 0 };
typedef int create_fn(void **handle);
typedef int destroy_fn(void *handle);
typedef int stream_fn(void *handle, sac_gpu_stream stream);
typedef int size_fn(void *handle, int job, int triangle, int n, const double *a, int row,
                    const double *values, int *n_work);
typedef int zheevd_fn(void *handle, int job, int triangle, int n, double *a, int row,
                      double *values, double *work, int n_work, int *info);

struct sac_flow_cusolver {
    create_fn *create;
    destroy_fn *destroy;
    stream_fn *set_stream;
    size_fn *size;
    zheevd_fn *zheevd;
    void *handle;
    sac_gpu *gpu;
    sac_gpu_stream stream;
    int n, n_work;
    double *a, *values, *work; /* (n, n) c128; (n); (n_work) c128 */
    int *words;                /* zheevd's info; whether an element is not finite */
    int *info;                 /* page-locked; 0: all is well; -i: argument i is wrong; i: so many
                                  values were not found */
    int status;                /* of the last call */
};

static bool load(sac_flow_cusolver *s)
{
    static const char *const names[] = {"libcusolver.so.12", "libcusolver.so.11", NULL};
    void *library = sac_library_load("SAC_CUSOLVER", names);
    return sac_library_find(&s->create, library, "cusolverDnCreate") &&
           sac_library_find(&s->destroy, library, "cusolverDnDestroy") &&
           sac_library_find(&s->set_stream, library, "cusolverDnSetStream") &&
           sac_library_find(&s->size, library, "cusolverDnZheevd_bufferSize") &&
           sac_library_find(&s->zheevd, library, "cusolverDnZheevd");
}

/* Whether cuSOLVER's last call failed. */
static bool has_failed(const sac_flow_cusolver *s)
{
    return s->status || (s->info && *s->info);
}

/* That call in set-up. */
static sac_status refuse(const sac_flow_cusolver *s, sac_error *err)
{
    return s->status == NO_MEMORY
               ? sac_fail(err, SAC_E_NOMEM, "eigen: the GPU has no memory left for cuSOLVER")
               : sac_fail(err, SAC_E_UNSUPPORTED,
                          "eigen: cuSOLVER does not work on this machine (its status is %d, its "
                          "info %d)",
                          s->status, s->info ? *s->info : 0);
}

static sac_status allocate(sac_flow_cusolver *s, sac_error *err)
{
    const size_t n = (size_t)s->n, sample = 2 * sizeof(double);
    const sac_gpu_buffer buffers[] = {{&s->a, n * n * sample},
                                      {&s->values, n * sizeof(double)},
                                      {&s->work, (size_t)s->n_work * sample},
                                      {&s->words, 2 * sizeof(int)}};
    sac_status st = sac_gpu_alloc_all(s->gpu, buffers, sizeof buffers / sizeof *buffers, err);
    st = st ? st : sac_gpu_alloc_pinned(s->gpu, (void **)&s->info, sizeof(int), err);
    if (st == SAC_OK)
        *s->info = 0;
    return st;
}

/* Into `values`, smallest first, and the columns of `a`. */
static sac_status decompose(sac_flow_cusolver *s, const double *g, sac_gpu_stream stream)
{
    sac_status st = sac_flow_cuda_take(stream, s->a, s->words + 1, g, s->n);
    *s->info = s->status = 0;
    if (st == SAC_OK)
        s->status = s->zheevd(s->handle, WITH_VECTORS, LOWER, s->n, s->a, s->n, s->values, s->work,
                              s->n_work, s->words);
    st = st ? st : sac_gpu_copy(s->info, s->words, sizeof(int), stream);
    const sac_status waited = sac_gpu_wait(stream);
    if (waited != SAC_OK)
        s->status = *s->info = 0; /* it is the GPU that failed */
    st = st ? st : waited;
    return st == SAC_OK && has_failed(s) ? SAC_E_DEVICE : st;
}

/* Of elements that are not finite, so a matrix that is. */
static sac_status try_out(sac_flow_cusolver *s, sac_error *err)
{
    const sac_gpu_stream own = sac_gpu_main_stream(s->gpu);
    const size_t bytes = (size_t)s->n * (size_t)s->n * 2 * sizeof(double);
    s->status = s->set_stream(s->handle, own);
    sac_status st = s->status ? SAC_E_DEVICE : sac_gpu_set(s->a, 0xff, bytes, own);
    st = st ? st : decompose(s, s->a, own);
    if (st == SAC_OK)
        s->status = s->set_stream(s->handle, s->stream);
    return has_failed(s) ? refuse(s, err) : sac_gpu_fail(st, err);
}

static sac_status set_up(sac_flow_cusolver *s, sac_error *err)
{
    if (!load(s))
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "eigen: this machine has no cuSOLVER (libcusolver.so.12 or .so.11, of "
                        "CUDA's toolkit)");
    s->status = s->create(&s->handle);
    if (s->status == 0)
        s->status =
            s->size(s->handle, WITH_VECTORS, LOWER, s->n, s->a, s->n, s->values, &s->n_work);
    const sac_status st = s->status ? refuse(s, err) : allocate(s, err);
    return st ? st : try_out(s, err);
}

sac_status sac_flow_cusolver_open(sac_flow_cusolver **solver, sac_gpu *gpu, sac_gpu_stream stream,
                                  int32_t n, sac_error *err)
{
    sac_flow_cusolver *s = *solver = sac_alloc(1, sizeof *s);
    if (!s)
        return sac_fail(err, SAC_E_NOMEM, "flow: no memory for the plan");
    s->gpu = gpu;
    s->stream = stream;
    s->n = n;
    const sac_status st = set_up(s, err);
    if (st != SAC_OK)
        sac_flow_cusolver_close(solver);
    return st;
}

void sac_flow_cusolver_close(sac_flow_cusolver **solver)
{
    sac_flow_cusolver *s = *solver;
    if (!s)
        return;
    if (s->handle)
        (void)s->destroy(s->handle);
    void *memory[] = {s->a, s->values, s->work, s->words};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        sac_gpu_free(s->gpu, memory[i]);
    sac_gpu_free_pinned(s->gpu, s->info);
    sac_free(s);
    *solver = NULL;
}

sac_status sac_flow_cusolver_run(sac_flow_cusolver *s, double *values, double *vectors,
                                 const double *g)
{
    const sac_status st = decompose(s, g, s->stream);
    return st ? st
              : sac_flow_cuda_turn(s->stream, values, vectors, s->values, s->a, s->words + 1, s->n);
}

sac_status sac_flow_cusolver_fail(sac_flow_cusolver *s, sac_status status, sac_error *err)
{
    if (status != SAC_E_DEVICE || !s || !has_failed(s))
        return sac_gpu_fail(status, err);
    (void)sac_fail(err, status,
                   "eigen: cuSOLVER found no eigenvectors (its status is %d, its info %d)",
                   s->status, *s->info);
    s->status = *s->info = 0; /* it is said */
    return status;
}
