/*
 * Progress within an ensemble: of a thousand frames one takes many seconds.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "flow/plan.h"

#define PRODUCTS (1 << 29) /* complex, of a thread, until progress is told: 40 ms of AVX-512 */
/* What n^3 vectors cost, of such products: eigen_c128/NOTES.md. */
enum { OF_JACOBI = 80, OF_LAPACK = 8 };

/* What a stage costs, in products of one thread. */
static double cost_of_products(const sac_flow *plan)
{
    return 0.5 * plan->n * plan->n * (double)plan->n_points / plan->n_tasks;
}

static double cost_of_vectors(const sac_flow *plan)
{
    return (plan->lapack ? OF_LAPACK : OF_JACOBI) * (double)plan->n * plan->n * plan->n;
}

static double cost_of_all(const sac_flow *plan)
{
    return cost_of_products(plan) + cost_of_vectors(plan) +
           sac_flow_cost(plan) * (double)plan->n_points / plan->n_tasks;
}

double sac_flow_cost(const sac_flow *plan)
{
    const sac_flow_filter *f = &plan->filter;
    const int32_t kept = f->high - f->low, n = plan->n;
    const double basis = f->kind == SAC_FILTER_SVD_AUTO ? 0.1 * n /* a guess */
                         : f->kind == SAC_FILTER_SVD    ? fmin(kept, n - kept)
                                                        : plan->n_basis;
    const double lines = plan->desc.kind == SAC_FLOW_DIRECTIONAL ? plan->n : 0;
    return plan->n * (2 * basis + lines + 4);
}

double sac_flow_share_of_products(const sac_flow *plan)
{
    return cost_of_products(plan) / cost_of_all(plan);
}

double sac_flow_share_of_vectors(const sac_flow *plan)
{
    return (cost_of_products(plan) + cost_of_vectors(plan)) / cost_of_all(plan);
}

bool sac_flow_tell(sac_flow *plan, double share)
{
    const sac_flow_desc *d = &plan->desc;
    const double done = ((double)plan->at + share) / plan->n_transmits;
    const uint64_t steps = (uint64_t)(SAC_FLOW_STEPS * done + 1e-6);
    if (d->progress && steps > plan->told && !plan->cancelled) {
        plan->told = steps;
        plan->cancelled =
            !d->progress(d->progress_ctx, steps, SAC_FLOW_STEPS * (uint64_t)plan->n_ensembles);
    }
    return !plan->cancelled;
}

void sac_flow_run_points(sac_flow *plan, sac_task_fn task, int64_t unit, double cost,
                         const double shares[2])
{
    const int64_t n = plan->n_points;
    const double fits = PRODUCTS * (double)plan->n_tasks / cost;
    const int64_t part = fits < (double)n ? ((int64_t)fits / unit + 1) * unit : n;
    for (int64_t p = 0; p < n && !plan->cancelled; p += part) {
        plan->from = p;
        plan->end = n - p < part ? n : p + part;
        sac_pool_run(plan->pool, plan->n_tasks, task, plan);
        (void)sac_flow_tell(plan,
                            shares[0] + (shares[1] - shares[0]) * (double)plan->end / (double)n);
    }
}
