/*
 * Threads that take no signals.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "thread.h"

#include <signal.h>

int view_thread_start(pthread_t *thread, void *(*run)(void *ctx), void *ctx)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old); /* which the thread has from its beginning on */
    const int failed = pthread_create(thread, NULL, run, ctx);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return failed;
}
