function result = saccade_equalize(picture, varargin)
%SACCADE_EQUALIZE  Histogram equalization that keeps hue and saturation.
%
%   result = saccade_equalize(picture)
%   result = saccade_equalize(picture, name, value, ...)
%
%   picture   (h, w) gray, (h, w, 2) gray and alpha, (h, w, 3) RGB or BGR, (h, w, 4) with alpha;
%             or a video (h, w, c, n); of uint8 or uint16. double is refused: im2uint8 and
%             im2uint16 convert pictures of 0 to 1
%   result    the same size and class, and the bytes of `saccade equalize`
%
%   With CLAHE each tile has its own scaling:
%
%       result = saccade_equalize(imread('in.png'), 'clahe', [8, 6], 'clip', 2);
%
%   Options:
%     'bins'   0 to 65536; default 0
%         bins of the histogram, 2 to 65536; 0: one for each value of V
%     'scale'   'first', 'max' or 'minmax'; default first
%         scaling of counts to brightness: first makes the darkest used bin black, minmax bin
%         0, max neither
%     'clahe'   0 to 64, one number or two; default 0
%         equalize locally on a grid of tiles, 8 or 8x6 (across x down); 0: the whole picture
%         at once
%     'clip'   0 to 65536; default 2
%         with clahe: limit of a bin, as a multiple of the mean count; limits contrast; 0: no
%         limit
%     'smooth'   0 to 0.999; default 0
%         video: share of the previous frame's curve to keep, against flicker
%     'threads'   0 to 1024; default 0
%         threads on the CPU; 0: one per core
%     'device'   text; default cpu
%         where to work: cpu, cuda or cuda:N
%     'variant'   text
%         variants (implementations) to use, NAME or ROOM:NAME,...; default: the fastest on
%         this machine
%
%   See also SACCADE_HEATMAP, SACCADE_OPTIONS.

% SPDX-License-Identifier: Apache-2.0
  result = saccade_mex('equalize', picture, varargin{:});
end
