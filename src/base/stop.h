/*
 * Input and output that signals do not disturb.
 *
 * Reading what may have nothing to read for a long time, until the caller says stop: a signal that
 * comes just before the wait is not lost, since it is a second file that is waited for.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BASE_STOP_H
#define SAC_BASE_STOP_H

#include <sys/types.h>

#include "base/error.h"

#define SAC_NO_STOP (-1) /* for stop_fd: nobody will say stop */

/*
 * open(2) for reading. With a stop_fd a FIFO is opened without waiting for its writer: who reads
 * waits then, and can be stopped.
 */
SAC_INTERNAL int sac_stop_open(const char *path, int stop_fd);

/*
 * read(2). With a stop_fd it first waits until there is something to read, whatever signals come;
 * -1 and ECANCELED where stop_fd becomes readable before that. What is ready is read in any case.
 */
SAC_INTERNAL ssize_t sac_stop_read(int fd, void *to, size_t size, int stop_fd);

/* write(2) until all is written, whatever signals come; false, and errno, where it fails. */
SAC_INTERNAL bool sac_write_all(int fd, const void *data, size_t size);

#endif
