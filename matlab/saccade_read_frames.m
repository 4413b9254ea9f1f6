function varargout = saccade_read_frames(path, varargin)
%SACCADE_READ_FRAMES  Reads camera frames with the machine's signals, of HDF5.
%
%   [frames, signals, calibration, truth] = saccade_read_frames(path, first, n)
%
%   first, n      which frames, from 1; default: all
%   frames        (h, w, n) of uint8
%   signals       struct of laser_on, counter, x and y, (n, 1) of int32 each
%   calibration   (2, 3), see SACCADE_MELTPOOL
%   truth         of a simulation: struct of columns, (n, 1) each
%
%   What the file does not have is [].
%
%   See also SACCADE_MELTPOOL, SACCADE_SIMULATE_MELTPOOL.

% SPDX-License-Identifier: Apache-2.0
  [varargout{1:max(nargout, 1)}] = saccade_mex('read_frames', path, varargin{:});
end
