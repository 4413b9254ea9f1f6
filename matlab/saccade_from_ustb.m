function [rf, acquisition] = saccade_from_ustb(channel_data)
%SACCADE_FROM_USTB  Channel data of USTB as saccade takes them.
%
%   [rf, acquisition] = saccade_from_ustb(channel_data)
%   image = saccade_beamform(rf, acquisition, grid);
%
%   channel_data   a uff.channel_data, or structs with the same fields: data (time, channel, wave,
%                  frame), sampling_frequency, initial_time, sound_speed, modulation_frequency,
%                  pulse, probe.geometry, sequence
%
%   Waves become plane, diverging (the source lies behind the probe) or focused. Times are
%   initial_time + wave.delay. A source at depth 0 is refused. Which elements fire is
%   wave.apodization's apodization_vector, or with a window wave.apodization_values.
%   This is tested with structs, and has not been run with USTB's own objects.
%
%   See also SACCADE_BEAMFORM.

% SPDX-License-Identifier: Apache-2.0
  rf = channel_data.data;
  if ~isreal(rf) && isequal(double(channel_data.modulation_frequency), 0)
    error('saccade:unsupported', ['data: is complex with a modulation_frequency of 0: give the ' ...
          'real part, or IQ with the frequency of its demodulation']);
  end
  geometry = channel_data.probe.geometry;
  geometry(:, end + 1:7) = 0; % columns that are missing are 0
  theta = geometry(:, 4)';
  phi = geometry(:, 5)';
  acquisition = struct('fs_hz', double(channel_data.sampling_frequency), ...
                       'fc_hz', center_frequency(channel_data), ...
                       'fd_hz', double(channel_data.modulation_frequency), ...
                       'c_m_s', double(channel_data.sound_speed), ...
                       'phase_origin', 'record', ... % the same phase but for a constant
                       'position_m', double(geometry(:, 1:3)'), ...
                       'normal', double([sin(theta) .* cos(phi); sin(phi); ...
                                         cos(theta) .* cos(phi)]), ...
                       'width_m', double(geometry(:, 6)'), 'height_m', double(geometry(:, 7)'));
  for i = numel(channel_data.sequence):-1:1
    transmits(i) = transmit(channel_data.sequence(i), double(channel_data.initial_time), i);
    transmits(i).apodization = amplitudes(channel_data.sequence(i), size(geometry, 1), i);
  end
  acquisition.transmits = transmits;
end

function f = center_frequency(channel_data)
  f = double(channel_data.modulation_frequency);
  try
    f = double(channel_data.pulse.center_frequency);
  catch
    if isempty(f) || f == 0
      error('saccade:invalid', 'pulse: RF needs pulse.center_frequency');
    end
  end
end

function t = transmit(wave, initial_time, number)
  source = wave.source;
  if ~any(double(wave.wavefront) == [0, 1])
    error('saccade:unsupported', 'sequence: wave %d is neither plane nor spherical', number);
  end
  t = struct('kind', 'plane', 'azimuth_rad', double(source.azimuth), ...
             'elevation_rad', double(source.elevation), 'source_m', zeros(3, 1), ...
             't0_s', initial_time + double(wave.delay), 'apodization', []);
  if double(wave.wavefront) == 0 || isinf(source.distance)
    return
  end
  d = double(source.distance);
  t.source_m = d * [sin(t.azimuth_rad) * cos(t.elevation_rad); sin(t.elevation_rad); ...
                    cos(t.azimuth_rad) * cos(t.elevation_rad)];
  if abs(t.source_m(3)) < 1e-9
    error('saccade:unsupported', 'sequence: the source of wave %d lies at depth 0', number);
  end
  t.kind = 'focused';
  if t.source_m(3) < 0
    t.kind = 'diverging';
  end
end

% How strongly each element fires; []: all alike.
function a = amplitudes(wave, n, number)
  a = [];
  window = 0;
  try
    window = double(wave.apodization.window);
    a = double(wave.apodization.apodization_vector(:)');
  catch
    % a wave without them
  end
  if isempty(a) && ~isempty(window) && window ~= 0
    try
      a = double(wave.apodization_values(:)'); % USTB computes them of the wave's probe
    catch
      error('saccade:unsupported', ['sequence: apodization of wave %d is a window, and has no ' ...
            'apodization_values'], number);
    end
  end
  if ~isempty(a) && numel(a) ~= n
    error('saccade:invalid', ['sequence: apodization of wave %d: expected a number for each of ' ...
          '%d elements, got %d'], number, n, numel(a));
  end
end
