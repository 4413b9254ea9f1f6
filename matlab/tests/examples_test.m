function examples_test(command)
% The examples run, and print what they should.
% SPDX-License-Identifier: Apache-2.0
  expected = {'beamform_must', '^brightest at x = 0.0 mm, z = 20.[0-3] mm'; ...
              'changes', '^10 maps of 160 x 120; pixels changed: 0 420'; ...
              'equalize_picture', 'became 0 to 255; by tiles'; ...
              'melt_pool', '^2000 frames, \d+ with the laser on; mean area [1-9]'};
  folder = fullfile(fileparts(mfilename('fullpath')), '..', 'examples');
  found = dir(fullfile(folder, '*.m'));
  check(numel(found) == rows(expected), '%d examples, of which %d are tested', numel(found), ...
        rows(expected));
  for i = 1:rows(expected)
    if i == 4
      needs(command, 'cJSON');
    end
    text = run_example(fullfile(folder, [expected{i, 1} '.m']));
    check(~isempty(regexp(text, expected{i, 2}, 'once')), '%s: %s', expected{i, 1}, text);
    printf('%s: %s', expected{i, 1}, text);
  end
end

% With variables of its own.
function text = run_example(path)
  text = evalc(sprintf('source(''%s'')', path));
end
