function varargout = saccade_simulate_meltpool(n_frames, varargin)
%SACCADE_SIMULATE_MELTPOOL  Frames of a printed build as its camera sees it, with the truth.
%
%   [frames, signals, calibration, truth] = saccade_simulate_meltpool(n_frames, name, value, ...)
%
%   'regime'   'nominal', 'keyhole', 'lof' (lack of fusion) or 'mixed', the default
%   'seed'     the same seed gives the same frames on every machine; default 1
%
%   Results are as of SACCADE_READ_FRAMES; frames are (96, 96, n_frames), 20,000 per second.
%
%   See also SACCADE_MELTPOOL.

% SPDX-License-Identifier: Apache-2.0
  [varargout{1:max(nargout, 1)}] = saccade_mex('simulate_meltpool', n_frames, varargin{:});
end
