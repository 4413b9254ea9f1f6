/*
 * A test that waits for what does not come ends, and says so: linked into every test program.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <signal.h>
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
