/*
 * OpenCV's way. In C++ because OpenCV has had no C interface to these functions since version 4.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion_opencv.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

static cv::Mat frame(const uint8_t *data, int w, int h)
{
    return cv::Mat(h, w, CV_8UC3, const_cast<uint8_t *>(data));
}

bool bench_opencv_heatmap(uint8_t *out, const uint8_t *current, const uint8_t *previous, int w,
                          int h)
{
    static cv::Mat difference, gray;
    try {
        cv::Mat to = frame(out, w, h);
        cv::absdiff(frame(current, w, h), frame(previous, w, h), difference);
        cv::cvtColor(difference, gray, cv::COLOR_BGR2GRAY);
        cv::applyColorMap(gray, to, cv::COLORMAP_TURBO);
        return to.data == out;
    } catch (const cv::Exception &) {
        return false;
    }
}

bool bench_opencv_noise(uint8_t *out, const uint8_t *current, const uint8_t *previous, int w, int h,
                        int threshold)
{
    static cv::Mat difference, channel[3], largest, mask;
    try {
        cv::Mat to = frame(out, w, h);
        cv::absdiff(frame(current, w, h), frame(previous, w, h), difference);
        cv::split(difference, channel);
        cv::max(channel[0], channel[1], largest);
        cv::max(largest, channel[2], largest);
        cv::threshold(largest, mask, threshold, 255, cv::THRESH_BINARY);
        to.setTo(cv::Scalar(0, 0, 0));
        to.setTo(cv::Scalar(0, 0, 255), mask);
        return to.data == out;
    } catch (const cv::Exception &) {
        return false;
    }
}

static void filter_to(cv::Mat &to, const cv::Mat &from, bench_opencv_filter filter)
{
    static cv::Mat average;
    switch (filter) {
    case BENCH_GAUSSIAN3:
        cv::GaussianBlur(from, to, cv::Size(3, 3), 0.8, 0.8, cv::BORDER_REFLECT_101);
        break;
    case BENCH_MEDIAN3:
        cv::medianBlur(from, to, 3);
        break;
    case BENCH_MEDIAN5:
        cv::medianBlur(from, to, 5);
        break;
    case BENCH_MEAN3:
        cv::blur(from, to, cv::Size(3, 3), cv::Point(-1, -1), cv::BORDER_REFLECT_101);
        break;
    case BENCH_AVERAGE:
        if (average.empty())
            from.convertTo(average, CV_32F);
        cv::accumulateWeighted(from, average, 0.2);
        average.convertTo(to, CV_8U);
        break;
    }
}

bool bench_opencv_denoise(uint8_t *out, const uint8_t *in, int w, int h, bench_opencv_filter filter)
{
    try {
        cv::Mat to = frame(out, w, h);
        filter_to(to, frame(in, w, h), filter);
        return to.data == out;
    } catch (const cv::Exception &) {
        return false;
    }
}

bool bench_opencv_levels(uint8_t *out, const uint8_t *in, int w, int h, double factor, double add)
{
    try {
        cv::Mat to = frame(out, w, h);
        frame(in, w, h).convertTo(to, -1, factor, add);
        return to.data == out;
    } catch (const cv::Exception &) {
        return false;
    }
}

bool bench_opencv_colors(uint8_t *out, const uint8_t *in, int w, int h, double saturation)
{
    static const float luma[] = {15 / 128.F, 75 / 128.F, 38 / 128.F};
    cv::Matx33f mix;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            mix(i, k) = static_cast<float>(1 - saturation) * luma[k] +
                        (i == k ? static_cast<float>(saturation) : 0);
    try {
        cv::Mat to = frame(out, w, h);
        cv::transform(frame(in, w, h), to, mix);
        return to.data == out;
    } catch (const cv::Exception &) {
        return false;
    }
}
