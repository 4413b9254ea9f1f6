/*
 * A thread where and as urgent as asked for.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stream/thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>

#include "base/system.h"

/* Signals that are not the thread's own doing go to the program's other threads. */
static void block_signals(sigset_t *before)
{
    static const int own[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
    sigset_t all;
    (void)sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        (void)sigdelset(&all, own[i]);
    (void)pthread_sigmask(SIG_SETMASK, &all, before);
}

static int start(pthread_t *thread, pthread_attr_t *attributes, int32_t cpu, int32_t priority,
                 void *(*run)(void *), void *arg)
{
    const struct sched_param urgent = {.sched_priority = priority};
    int failed = 0;
    if (priority > 0) {
        failed = pthread_attr_setinheritsched(attributes, PTHREAD_EXPLICIT_SCHED);
        failed = failed ? failed : pthread_attr_setschedpolicy(attributes, SCHED_FIFO);
        failed = failed ? failed : pthread_attr_setschedparam(attributes, &urgent);
    }
    return failed ? failed : sac_system_thread(thread, attributes, cpu, run, arg);
}

sac_status sac_thread_start(pthread_t *thread, int32_t cpu, int32_t priority, void *(*run)(void *),
                            void *arg, sac_error *err)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return sac_fail(err, SAC_E_NOMEM, "thread: no memory to start one");
    sigset_t before;
    block_signals(&before); /* the thread inherits it */
    const int failed = start(thread, &attributes, cpu, priority, run, arg);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    if (failed == 0)
        return SAC_OK;
    if (failed == EPERM)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "priority: the system grants no real-time priority %d here (it takes "
                        "CAP_SYS_NICE, or an rtprio limit as high)",
                        priority);
    if (failed == ENOTSUP && cpu >= 0)
        return sac_fail(err, SAC_E_UNSUPPORTED, "cpu: this system binds no thread to CPU %d", cpu);
    if (failed == EINVAL && cpu >= 0)
        return sac_fail(err, SAC_E_UNSUPPORTED, "cpu: this process may not run on CPU %d", cpu);
    return sac_fail(err, SAC_E_NOMEM, "thread: the system gave none");
}
