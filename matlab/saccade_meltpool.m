function varargout = saccade_meltpool(frames, signals, varargin)
%SACCADE_MELTPOOL  Features of a melt pool, and predicted pores, of camera frames.
%
%   [result, counts] = saccade_meltpool(frames, signals, name, value, ...)
%
%   frames    (h, w, n) of uint8, row by column as a picture is shown. h5read gives (w, h, n):
%             permute(frames, [2, 1, 3]). The camera's frames are copied, since the library reads
%             them along rows
%   signals   struct of laser_on, counter, x and y, a number per frame each; [] where 'locate' is
%             not 'laser'
%   result    struct:
%       features     (n, 40) of single; names (1, 40) has their names
%       prediction   (n, 2) of single: densities of pores from lack of fusion and of keyhole
%                    pores, 1/mm^2; zeros without a model
%       flags        (n, 1) of uint32, a sum of 1 (laser off), 2 (no pool), 4 (clipped), 16 (first
%                    after a gap), 32 (place of the laser out of reach)
%   counts    struct: frames, processed, empty, no_pool, clipped, spatters, ...
%
%   'calibration'  (2, 3) from signals.x and signals.y to pixels, counted from 0: column = m(1,:) *
%                  [x; y; 1], row = m(2,:) * [x; y; 1]; or 'pixels', or 'simulated'. Predictions
%                  need it where the laser says the place
%   'model'        path of a model, or 'none'; default: the model that ships
%
%   The numbers are those of `saccade meltpool`, to the bit. Each call is a stream of its own.
%
%   Options:
%     'roi'   8 to 128 pixels; default 40
%         side of the square region of interest (ROI)
%     'roi_align'   1 to 64 pixels; default 8
%         the ROI's first column is a multiple of this where possible: 1, 2, 4 .. 64
%     'locate'   'laser', 'brightest', 'previous' or 'fixed'; default laser
%         how to find the centre of the ROI: laser (by the signals), brightest (pixel),
%         previous (centroid of the last pool) or fixed
%     'fixed_x'   -1 to 4095 pixels; default -1
%         column of the fixed centre; -1: the middle of the frame
%     'fixed_y'   -1 to 4095 pixels; default -1
%         row of the fixed centre; -1: the middle of the frame
%     'static_roi'   true or false; default false
%         keep the ROI around the fixed centre
%     'scan_frame'   true or false; default false
%         count sectors from the direction in which the centre moves, not from the picture's x
%     'threshold'   0 to 256 levels; default 60
%         lowest value of a bright pixel
%     'spatter_min'   1 to 16384 pixels; default 1
%         minimum size of a spatter; smaller ones are ignored as noise
%     'window'   1 to 4096 frames; default 64
%         compute variances over the last W frames with the laser on
%     'rate'   0.001 to 1000000000 Hz; default 20000
%         frames per second
%     'gap_reset'   1e-09 to 1000000000 s; default 0.001
%         start variances again after a gap of S seconds
%     'threads'   0 to 1024; default 0
%         threads on the CPU, for batches; 0: one per core
%     'device'   text; default cpu
%         where to work: cpu, cuda or cuda:N
%     'resident'   0 to 4096 frames; default 32
%         on a GPU: largest batch for the resident kernel, which avoids a launch; larger
%         batches are launched
%     'timeout'   0.001 to 3600 s; default 0.5
%         on a GPU: time without an answer after which it counts as failed
%     'variant'   text
%         variants (implementations) to use, NAME or ROOM:NAME,...; on a GPU: blocks or warps
%         (one frame for each); default: the fastest on this machine
%
%   See also SACCADE_READ_FRAMES, SACCADE_SIMULATE_MELTPOOL, SACCADE_OPTIONS.

% SPDX-License-Identifier: Apache-2.0
  [varargout{1:max(nargout, 1)}] = saccade_mex('meltpool', frames, signals, varargin{:});
end
