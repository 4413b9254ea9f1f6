function flow_test(command)
% saccade_flow: the values of the command, of planes and of vectors.
% SPDX-License-Identifier: Apache-2.0
  needs(command, 'libhdf5');
  folder = test_folder();
  path = fullfile(folder, 'in.h5');
  run_command(command, ['simulate ultrasound --phantom vessel --transmits plane:3:12 --frames 8' ...
                        ' --elements 24 --scatterers 300 --region -1.5:1.5,5:9 --radius 1.2' ...
                        ' --prf 4000 -o ' path]);
  [rf, acquisition] = saccade_read_recording(path);
  grid = struct('x', linspace(-1e-3, 1e-3, 11), 'z', linspace(6e-3, 8e-3, 21));
  iq = saccade_beamform(rf, acquisition, grid, 'kind', 'iq');
  lris = saccade_beamform(rf, acquisition, grid, 'kind', 'iq', 'lri', true);

  for options = {{}, {'kind', 'power', 'scale', 'linear', 'filter', 'svd:2'}, ...
                 {'average', [5, 3], 'filter', 'polynomial:1'}, {'kind', 'directional'}, ...
                 {'kind', 'vector', 'average', [3, 5]}, {'ensemble', 4, 'step', 2}}
    words = test_options(options{1});
    images = iq;
    if ~isempty(strfind(words, 'vector'))
      images = lris;
    end
    out = fullfile(folder, 'out.npy');
    run_command(command, ['flow ' path ' --grid -1:1:11,6:8:21 -o ' out ' ' words]);
    expected = permute(test_npy_read(out), [2, 1, 3, 4]);
    [got, nyquist] = saccade_flow(images, acquisition, options{1}{:});
    check(isequal(size(got), size(expected)) && isa(got, 'single'), '%s: another size', words);
    check(max(abs(double(got(:)) - double(expected(:)))) <= 1e-5 * max(abs(double(expected(:)))), ...
          '%s differs from the command', words);
    check(abs(nyquist - acquisition.c_m_s * 4000 / (4 * acquisition.fc_hz)) < 1e-9, 'nyquist');
  end

  fails('shape', 'iq: expected complex single', @() saccade_flow(real(iq), acquisition));
  fails('shape', 'all the acquisition', @() saccade_flow(iq, acquisition, 'kind', 'vector'));
  fails('invalid', 'filter', @() saccade_flow(iq, acquisition, 'filter', 'svd:x'));
  without = rmfield(acquisition, 'frame_rate_hz');
  fails('invalid', 'prf', @() saccade_flow(iq, without));
  check(isequal(saccade_flow(iq, without, 'prf', 4000), saccade_flow(iq, acquisition)), 'prf');
end
