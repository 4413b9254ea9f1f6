function varargout = saccade_denoise(frames, varargin)
%SACCADE_DENOISE  Removes noise from a picture or video: mean, Gaussian, median, or over time.
%
%   [clean, level] = saccade_denoise(frames, name, value, ...)
%
%   frames   (h, w), (h, w, c) with c of 1 to 4, or a video (h, w, c, n); of uint8
%   clean    the same size and class, and the bytes of `saccade denoise`. The method `temporal`,
%            which is the default, needs a video: it gives the first frame back as it is
%   level    of the method `temporal`: standard deviation of the noise, in levels
%
%   Options:
%     'method'   'mean', 'gaussian', 'median' or 'temporal'; default temporal
%         mean, gaussian or median of a window, or temporal: over frames, weaker where the
%         picture moves
%     'window'   3 to 5; default 3
%         side of the window, 3 or 5
%     'sigma'   0 to 100; default 0
%         gaussian: standard deviation in pixels; 0: 0.8 for window 3, 1.1 for window 5
%     'strength'   0 to 1; default 0.8
%         temporal: share of the past to keep where nothing moves
%     'noise'   0 to 64 levels; default 0
%         temporal: standard deviation of the noise; 0: estimated from the picture
%     'threads'   0 to 1024; default 0
%         threads on the CPU; 0: one per core
%     'device'   text; default cpu
%         where to work: cpu, cuda or cuda:N
%     'variant'   text
%         variants (implementations) to use, NAME or ROOM:NAME,...; default: the fastest on
%         this machine
%
%   See also SACCADE_HEATMAP, SACCADE_NOISE, SACCADE_OPTIONS.

% SPDX-License-Identifier: Apache-2.0
  [varargout{1:max(nargout, 1)}] = saccade_mex('denoise', frames, varargin{:});
end
