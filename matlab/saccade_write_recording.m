function saccade_write_recording(path, rf, acquisition, varargin)
%SACCADE_WRITE_RECORDING  Writes channel data as .h5, or as .npy with its metadata in a .json.
%
%   saccade_write_recording(path, rf, acquisition)
%   saccade_write_recording(path, rf, acquisition, scatterers)
%
%   rf and acquisition are as in SACCADE_BEAMFORM, scatterers (n, 4) the truth of a simulation.
%
%   See also SACCADE_READ_RECORDING.

% SPDX-License-Identifier: Apache-2.0
  saccade_mex('write_recording', path, rf, acquisition, varargin{:});
end
