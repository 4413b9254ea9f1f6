function varargout = saccade_flow(iq, acquisition, varargin)
%SACCADE_FLOW  Doppler of an ensemble of ultrasound images: velocity, power, vectors.
%
%   [flow, nyquist] = saccade_flow(iq, acquisition, name, value, ...)
%
%   iq            (z, x, frames) of complex single: SACCADE_BEAMFORM with 'kind', 'iq'; a volume is
%                 (z, x, y, frames). Of vectors (z, x, transmits, frames): with 'lri', true
%   acquisition   struct of saccade, see SACCADE_BEAMFORM: fc_hz, c_m_s and frame_rate_hz (or
%                 'prf') make velocities of phases
%   flow          (z, x, ensembles) of single; of directional and color-power (z, x, 2, ensembles);
%                 of vector the same: the velocity along x, then along z, toward the probe, in m/s
%   nyquist       the largest velocity that can be told, in m/s; 0 if it is unknown
%
%   Options:
%     'kind'   'power', 'color', 'directional', 'variance', 'color-power' or 'vector'; default color
%         power; color: velocity in m/s, toward the probe positive; directional: power toward
%         the probe, then away; variance: of the velocity; color-power: velocity, then power;
%         vector: from plane waves of two or more angles, velocity along x, then toward the
%         probe
%     'filter'   text
%         wall filter, which takes out tissue: none, polynomial:ORDER, svd:K (without the K
%         largest components), svd:LOW:HIGH (components LOW to HIGH - 1 alone, counted from 0)
%         or svd:auto; default: none
%     'eigen'   'jacobi', 'auto', 'lapack' or 'cusolver'; default jacobi
%         of an SVD: jacobi (saccade's own), lapack on the CPU or cusolver on a GPU (the
%         machine's, fast of many frames), or auto: on the CPU lapack of 256 frames or more,
%         on a GPU cusolver of 64, where it is there
%     'prf'   0 to 1000000000 Hz; default 0
%         frames a second; 0: the file's frame rate
%     'ensemble'   0 to 1024; default 0
%         frames of an ensemble; 0: all
%     'step'   0 to 1000000; default 0
%         frames from one ensemble to the next; 0: those of an ensemble
%     'lag'   1 to 1023; default 1
%         frames between those that are compared: the Nyquist velocity is c prf / (4 fc lag)
%     'average'   1 to 255, one number or two; default 1
%         points to average power and autocorrelation over, odd: 5, or 5x3 (across x down)
%     'scale'   'db' or 'linear'; default db
%         power in db of its maximum, or linear
%     'dynamic_range'   1 to 200 dB; default 30
%         of power in dB: from minus this to 0
%     'threads'   0 to 1024; default 0
%         threads on the CPU; 0: one per core
%     'device'   text; default cpu
%         where to work: cpu, cuda or cuda:N
%     'variant'   text
%         on the CPU: variants (implementations) to use, NAME or ROOM:NAME,...; default: the
%         fastest on this machine
%
%   See also SACCADE_BEAMFORM, SACCADE_OPTIONS.

% SPDX-License-Identifier: Apache-2.0
  [varargout{1:max(nargout, 1)}] = saccade_mex('flow', iq, acquisition, varargin{:});
end
