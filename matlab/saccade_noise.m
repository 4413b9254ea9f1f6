function varargout = saccade_noise(current, varargin)
%SACCADE_NOISE  Which pixels of a frame changed, and how many.
%
%   [picture, changed] = saccade_noise(current, previous, name, value, ...)
%   [pictures, changed] = saccade_noise(video, name, value, ...)
%
%   current, previous   frames of uint8: (h, w) gray, (h, w, 3) RGB, or (h, w, 4), of which the
%                       fourth is ignored
%   video               (h, w, c, n), with c = 1 of gray ones. Each frame is compared with the one
%                       before, the first one with itself, as by `saccade noise`
%   picture             of the size of the frames; with the view `bits` (h, ceil(w / 8)): eight
%                       pixels of a row per byte, the left one in the lowest bit
%   changed             the number of pixels that changed; of a video (1, n)
%
%   Options:
%     'view'   'mask', 'overlay', 'pure' or 'bits'; default mask
%         mask: changes red on black; overlay, pure: changes red on the previous frame; bits:
%         one bit per pixel
%     'threshold'   0 to 255 levels; default 20
%         a pixel has changed if any color differs by more than T
%     'threads'   0 to 1024; default 0
%         threads on the CPU; 0: one per core
%     'device'   text; default cpu
%         where to work: cpu, cuda or cuda:N
%     'variant'   text
%         variants (implementations) to use, NAME or ROOM:NAME,...; default: the fastest on
%         this machine
%
%   See also SACCADE_HEATMAP, SACCADE_DENOISE, SACCADE_OPTIONS.

% SPDX-License-Identifier: Apache-2.0
  [varargout{1:max(nargout, 1)}] = saccade_mex('noise', current, varargin{:});
end
