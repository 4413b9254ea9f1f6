function varargout = saccade_read_recording(path, varargin)
%SACCADE_READ_RECORDING  Reads ultrasound channel data: MAT v5 and v7.3, HDF5, NPY.
%
%   [rf, acquisition, scatterers] = saccade_read_recording(path, name, value, ...)
%
%   rf            (n_samples, n_elements, n_transmits, n_frames) of int16, single or complex single
%   acquisition   struct, see SACCADE_BEAMFORM
%   scatterers    (n, 4) of a simulation: x, y, z in metres, amplitude
%
%   Options override what the file says: fs, fc, fd (Hz), c (m/s), t0 (s), pitch (m), bandwidth (a
%   fraction of fc), transmits ('plane:75:16'); first_frame (from 1) and n_frames choose frames,
%   first_transmit (from 1) and n_transmits transmits: the others are not read.
%
%   See also SACCADE_BEAMFORM, SACCADE_WRITE_RECORDING.

% SPDX-License-Identifier: Apache-2.0
  [varargout{1:max(nargout, 1)}] = saccade_mex('read_recording', path, varargin{:});
end
