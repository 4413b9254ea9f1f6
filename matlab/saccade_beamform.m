function varargout = saccade_beamform(rf, acquisition, varargin)
%SACCADE_BEAMFORM  Delay-and-sum beamforming of ultrasound channel data.
%
%   image = saccade_beamform(rf, acquisition)
%   [image, grid] = saccade_beamform(rf, acquisition, grid, name, value, ...)
%
%   rf            (n_samples, n_elements, n_transmits, n_frames) of int16 or single, or IQ as
%                 complex single. With one transmit the third axis may be frames, as in MUST.
%                 double becomes single, with the warning saccade:double
%   acquisition   a struct `param` of MUST, as it is: fs, fc, pitch, bandwidth, c, t0, PRF,
%                 TXdelay, radius, ... (docs/matlab.md); or a struct of saccade, as
%                 saccade_read_recording and saccade_from_ustb give it:
%       fs_hz, fc_hz      sampling rate, center frequency of the pulse
%       bandwidth         of the pulse at -6 dB, as a fraction of fc_hz; 0: unknown
%       fd_hz             demodulation frequency; 0: fc_hz
%       c_m_s             speed of sound; default 1540
%       frame_rate_hz     0: unknown
%       phase_origin      where the phase of IQ is 0: 'record', at its first sample (default), or
%                         'transmit', at time 0
%       phase_sign        1, or -1 of IQ that was demodulated by exp(+j 2 pi fd t)
%       position_m        (3, n_elements): x, y, z; or n_elements and pitch_m of a linear array; or
%                         n_rows, n_columns and pitch_m of a row-column array
%       normal, width_m, height_m      (3, n_elements), (1, n_elements), (1, n_elements); optional
%       shape             (1, n_elements): 0 of small areas, 1 of rows (lines along x, width_m
%                         long), 2 of columns (along y, height_m long); []: all are areas
%       line_taper        share of a line over which its ends fall off, 0 to 1; simulated alone
%       transmits         (1, n_transmits) structs, or text: 'plane:N:DEG', 'diverging:N[:MM]',
%                         'focused:N[:MM]', 'sa'; of a row-column array both ways, first by the
%                         rows. Fields: kind ('plane', 'diverging', 'focused', 'element' or
%                         'delays'), azimuth_rad, elevation_rad, source_m (3, 1), element (from
%                         1), delays_s (1, n_elements; NaN: does not fire), t0_s (time of the
%                         first sample), weight, apodization (1, n_elements; amplitudes with
%                         which elements fire, []: 1), receives (1, n_elements; false of those
%                         that do not record the echoes, []: all do)
%                   A field of another name is not used, with the warning saccade:field
%   grid          struct of x and z, and y of a volume, in metres: vectors at equal steps; or
%                 matrices of one size with the coordinates of each point, as meshgrid makes them.
%                 [] or left out: steps of a third of a wavelength over the field of the data.
%                 A sector is a struct of azimuth (radians) and depth (metres), and elevation of
%                 a volume, with apex_m (x, y, z; default 0) and radius_m (default 0); 'suit' is
%                 what suits the probe: a sector of a curved or phased array
%   image         (n_z, n_x, n_frames), of a sector (n_depth, n_azimuth, n_frames); of a volume
%                 (n_z, n_x, n_y, n_frames); of matrices their size, then n_frames. With 'lri',
%                 n_transmits stands before n_frames. single in dB; with the kinds iq, envelope
%                 and gray complex single, single and uint8
%
%   'picture', of a sector, is 'auto' or a struct of x and z: the cartesian points to which its
%   envelope is converted. Without it the image stays polar.
%
%   Its bytes are those of `saccade beamform`. Ctrl-C ends the call.
%
%       image = saccade_beamform(RF, param, grid, 'f_number', 1.5);
%       imagesc(grid.x, grid.z, image(:, :, 1), [-60, 0]), colormap gray, axis image
%
%       [image, grid] = saccade_beamform(RF, param, 'suit', 'picture', 'auto');
%
%   Options:
%     'f_number'   0 to 100; default 1.75
%         depth over width of the receive aperture; 0: all elements everywhere, with weight 1
%     'apodization'   text
%         window over the receive aperture: rect, hann, or tukey:A with tapers of share A;
%         default: tukey:0.25
%     'tx_f_number'   0 to 100; default 0
%         depth over width of the field of each diverging or focused wave, or element that
%         fires; 0: all waves everywhere
%     'tx_apodization'   text
%         window over the field of each wave: rect, hann, tukey:A; or lines, where each point
%         takes the one transmit whose axis is nearest; default: hann
%     'interp'   'nearest', 'linear' or 'cubic'; default linear
%         interpolation between samples: nearest, linear or cubic (Catmull-Rom)
%     'outside'   'zero' or 'clamp'; default zero
%         value outside a record: zero, or clamp (the first or last sample)
%     'tier'   'exact', 'fp32' or 'fast'; default fp32
%         precision: exact (delays in double), fp32, or fast (also half precision, on a GPU,
%         within 1e-3)
%     'lri'   true or false; default false
%         output every transmit's low-resolution image instead of their sum
%     'kind'   'iq', 'envelope', 'bmode' or 'gray'; default bmode
%         output: iq (complex; real if RF is not demodulated), envelope, bmode in dB, or gray
%         (bmode in 8 bits)
%     'dynamic_range'   1 to 200 dB; default 60
%         bmode, gray: range shown below a frame's maximum
%     'demodulate'   'auto', 'yes' or 'no'; default auto
%         demodulate RF to IQ before beamforming; auto: all RF, since IQ needs fewer points
%         and samples; yes: also refuse data that is IQ already
%     'decimation'   1 to 1024; default 1
%         demodulated data: keep one of N samples
%     'band_pass'   true or false; default false
%         with demodulate no: first filter RF to the band of the pulse
%     'band'   text
%         band that demodulation and band-pass keep, by its -6 dB width in MHz; wide: three
%         times the pulse's, or what of it fits; default: the pulse's bandwidth, wide if that
%         is unknown
%     'reduction'   text
%         what becomes of element signals: sum, or adaptive weights: cf (coherence factor),
%         gcf:M0 (generalised, 2 M0 + 1 low frequencies; M0 is 1), scf:P (sign coherence to
%         the power P, 1), dmas:P (delay-multiply-and-sum of P-th roots, 2), slsc:Q (short-lag
%         spatial coherence of Q lags, 0.3), mv:L (minimum variance of subarrays of L
%         elements, 0.25); Q and L below 1 are shares of the aperture; default: sum
%     'reduction_over'   'auto', 'transmit', 'compound' or 'all'; default auto
%         signals that adaptive weights are computed from: each transmit's; those after
%         compounding; all, of elements and transmits (cf, scf, dmas); auto: compound for mv,
%         else transmit
%     'reduction_loading'   0.001 to 10; default 0.01
%         mv: diagonal loading, as a share of the mean of the covariance matrix's diagonal;
%         more is closer to the sum
%     'threads'   0 to 1024; default 0
%         threads on the CPU; 0: one per core
%     'device'   text; default cpu
%         where to work: cpu, cuda or cuda:N
%     'variant'   text
%         on the CPU: variants (implementations) to use, NAME or ROOM:NAME,...; default: the
%         fastest on this machine
%     'memory'   0 to 1048576 MB; default 0
%         on a GPU: memory to take at most for channel data and images, unless a single frame
%         needs more; 0: a quarter of what is free
%     'method'   'auto', 'direct' or 'dual-stage'; default auto
%         of row-column arrays: direct, or dual-stage (a few planes, then the volume from
%         these, within a sixteenth of a wavelength); auto: dual-stage with --tier fast, where
%         it can be
%     'layers'   text
%         speeds of sound by depth: thickness in mm and speed in m/s of each layer from the
%         probe on, the last without end, as 5:1450,1540; default: one speed, the recording's
%     'lens'   text
%         thickness in mm and speed of sound in m/s of the lens in front of the elements, as
%         1:1000; default: none, or what the recording's times already hold
%
%   See also SACCADE_READ_RECORDING, SACCADE_SIMULATE_ULTRASOUND, SACCADE_OPTIONS.

% SPDX-License-Identifier: Apache-2.0
  [varargout{1:max(nargout, 1)}] = saccade_mex('beamform', rf, acquisition, varargin{:});
end
