function picture = saccade_heatmap(current, varargin)
%SACCADE_HEATMAP  How much a frame differs from the one before, as a picture in colors.
%
%   picture = saccade_heatmap(current, previous, name, value, ...)
%   pictures = saccade_heatmap(video, name, value, ...)
%
%   current, previous   frames of uint8: (h, w) gray, (h, w, 3) RGB, or (h, w, 4), of which the
%                       fourth is ignored
%   video               (h, w, c, n), with c = 1 of gray ones. Each frame is compared with the one
%                       before, the first one with itself, as by `saccade heatmap`
%   picture             (h, w, 3) of uint8; of frames with 4 channels (h, w, 4). Of a video
%                       (h, w, 3, n)
%
%   Options:
%     'map'   'sine', 'gray', 'jet', 'turbo' or 'viridis'; default sine
%         colors: sine (blue, green, red), gray, jet, turbo or viridis
%     'scale'   1 to 765; default 765
%         sum of differences at the end of the map; 510 as in Battilana's program
%     'threads'   0 to 1024; default 0
%         threads on the CPU; 0: one per core
%     'device'   text; default cpu
%         where to work: cpu, cuda or cuda:N
%     'variant'   text
%         variants (implementations) to use, NAME or ROOM:NAME,...; default: the fastest on
%         this machine
%
%   See also SACCADE_NOISE, SACCADE_DENOISE, SACCADE_OPTIONS.

% SPDX-License-Identifier: Apache-2.0
  picture = saccade_mex('heatmap', current, varargin{:});
end
