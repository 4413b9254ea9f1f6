function varargout = saccade_adjust(frames, varargin)
%SACCADE_ADJUST  Brightness, contrast, saturation and gain of a picture or video.
%
%   out = saccade_adjust(frames, name, value, ...)
%
%   frames   (h, w), (h, w, c) with c of 1, 3 or 4 (the fourth is kept), or a video (h, w, c, n);
%            of uint8
%   out      the same size and class, and the bytes of `saccade adjust`
%
%   Options:
%     'brightness'   -100 to 100 %; default 0
%         share of white that is added to every color
%     'contrast'   0 to 4; default 1
%         factor about mid gray: 1 leaves it, 0 gives mid gray alone
%     'saturation'   0 to 4; default 1
%         factor of the colors: 1 leaves them, 0 gives gray; gray frames have none
%     'gain'   0 to 16; default 1
%         factor from black: 1 leaves the picture, 2 makes it twice as bright
%     'threads'   0 to 1024; default 0
%         threads on the CPU; 0: one per core
%     'device'   text; default cpu
%         where to work: cpu, cuda or cuda:N
%     'variant'   text
%         variants (implementations) to use, NAME or ROOM:NAME,...; default: the fastest on
%         this machine
%
%   See also SACCADE_EQUALIZE, SACCADE_DENOISE, SACCADE_OPTIONS.

% SPDX-License-Identifier: Apache-2.0
  [varargout{1:max(nargout, 1)}] = saccade_mex('adjust', frames, varargin{:});
end
