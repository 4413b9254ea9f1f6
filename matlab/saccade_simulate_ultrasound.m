function rf = saccade_simulate_ultrasound(acquisition, scatterers, n_samples, varargin)
%SACCADE_SIMULATE_ULTRASOUND  Channel data of scatterers, by linear acoustics.
%
%   rf = saccade_simulate_ultrasound(acquisition, scatterers, n_samples, name, value, ...)
%
%   acquisition   struct of saccade, see SACCADE_BEAMFORM
%   scatterers    (n, 4): x, y, z in metres, amplitude
%   rf            (n_samples, n_elements, n_transmits) of single
%
%   'attenuation'   in dB/cm/MHz, there and back counted; default 0
%   'noise'         level of white noise in dB below the largest sample; default 0: none
%   'seed'          of the noise; default 0
%   'threads'       0, the default: one per core
%   'layers', 'lens'   speeds of sound by depth, '5:1450,1540' and '1:1000': see SACCADE_BEAMFORM
%   'elevation_focus_m'   depth at which elements of a height focus across; default 0: flat
%
%       linear = struct('fs_hz', 20e6, 'fc_hz', 5e6, 'n_elements', 128, 'pitch_m', 3e-4, ...
%                       'transmits', 'plane:11:16');
%       rf = saccade_simulate_ultrasound(linear, [0, 0, 0.02, 1], 1024);
%
%       cross = struct('fs_hz', 12e6, 'fc_hz', 3e6, 'n_rows', 64, 'n_columns', 64, ...
%                      'pitch_m', 2.5e-4, 'transmits', 'plane:16:10'); % 32: rows, then columns
%       rf = saccade_simulate_ultrasound(cross, [0, 0, 0.02, 1], 600);
%
%   See also SACCADE_BEAMFORM.

% SPDX-License-Identifier: Apache-2.0
  rf = saccade_mex('simulate_ultrasound', acquisition, scatterers, n_samples, varargin{:});
end
