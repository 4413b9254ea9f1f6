/*
 * saccade: sensor samples into pictures and decisions, in real time. Includes the whole core API;
 * saccade/io.h and saccade/ladder.h belong to libraries of their own.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_SACCADE_H
#define SACCADE_SACCADE_H

#include <saccade/array.h>
#include <saccade/base.h>
#include <saccade/beamform.h>
#include <saccade/device.h>
#include <saccade/equalize.h>
#include <saccade/histogram.h>
#include <saccade/jitter.h>
#include <saccade/label.h>
#include <saccade/measure.h>
#include <saccade/measure_ultrasound.h>
#include <saccade/meltpool.h>
#include <saccade/motion.h>
#include <saccade/param.h>
#include <saccade/signal.h>
#include <saccade/simulate.h>
#include <saccade/simulate_meltpool.h>
#include <saccade/stream.h>

#endif
