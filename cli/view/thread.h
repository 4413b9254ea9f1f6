/*
 * Threads of a view.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_THREAD_H
#define CLI_VIEW_THREAD_H

#include <pthread.h>

/* Starts one that takes no signals: they are the main thread's, or the server's. 0, or an errno. */
int view_thread_start(pthread_t *thread, void *(*run)(void *ctx), void *ctx);

#endif
