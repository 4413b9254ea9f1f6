/*
 * Linked into every test program: one that waits for what does not come ends, and says so; and none
 * chooses variants by times that were measured on the machine it runs on.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    DEADLINE_S = 1400
}; /* before CTest's own; the longest takes some minutes under sanitizers */

static void give_up(int number)
{
    static const char text[] = "the deadline is over: this test waits for ever\n";
    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(1);
}

__attribute__((constructor)) static void set_deadline(void)
{
    signal(SIGALRM, give_up);
    alarm(DEADLINE_S);
}

__attribute__((constructor)) static void choose_by_tables(void)
{
    (void)setenv("SAC_WISDOM", "", 1);
}
