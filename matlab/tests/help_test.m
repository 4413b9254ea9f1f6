function help_test(command, is_writing)
% Options in help texts are those of the tables. help_test('', true) writes them again.
% SPDX-License-Identifier: Apache-2.0
  folder = fullfile(fileparts(mfilename('fullpath')), '..');
  for name = {'equalize', 'heatmap', 'noise', 'denoise', 'adjust', 'beamform', 'flow', ...
              'meltpool'}
    path = fullfile(folder, ['saccade_' name{1} '.m']);
    text = fileread(path);
    list = evalc(sprintf('saccade_options(''%s'')', name{1}));
    parts = regexp(text, '^(.*\n%   Options:\n)(.*?)(%   See also .*)$', 'tokens', 'once');
    check(numel(parts) == 3, '%s has no lines Options and See also', path);
    written = [parts{1}, regexprep(list, '^(.+)$', '%   $1', 'lineanchors', 'dotexceptnewline'), ...
               sprintf('%%\n'), parts{3}];
    if nargin > 1 && is_writing
      file = fopen(path, 'w');
      fputs(file, written);
      fclose(file);
    end
    check(strcmp(text, written) || nargin > 1, ...
          '%s lists other options than the library: run help_test('''', true)', path);
    check(isempty(regexp(written, '^.{101,}$', 'lineanchors', 'dotexceptnewline', 'once')), ...
          '%s has a line of more than 100 characters', path);
  end
  fails('invalid', 'equalize, heatmap', @() saccade_options('colors'));
end
