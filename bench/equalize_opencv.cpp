/*
 * OpenCV's way. In C++ because OpenCV has had no C interface to these functions since version 4.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize_opencv.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

const char *bench_opencv_version(void)
{
    return CV_VERSION;
}

void bench_opencv_threads(int n)
{
    cv::setNumThreads(n);
}

bool bench_opencv_equalize(uint8_t *out, const uint8_t *in, int w, int h, int n_channels)
{
    static cv::Mat hsv, value, equalized;
    try {
        const cv::Mat from(h, w, CV_8UC(n_channels), const_cast<uint8_t *>(in));
        cv::Mat to(h, w, CV_8UC(n_channels), out);
        if (n_channels == 1) {
            cv::equalizeHist(from, to);
            return to.data == out;
        }
        cv::cvtColor(from, hsv, cv::COLOR_RGB2HSV);
        cv::extractChannel(hsv, value, 2);
        cv::equalizeHist(value, equalized);
        cv::insertChannel(equalized, hsv, 2);
        cv::cvtColor(hsv, to, cv::COLOR_HSV2RGB);
        return to.data == out;
    } catch (const cv::Exception &) {
        return false;
    }
}
