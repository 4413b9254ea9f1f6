function build_test(command)
% saccade_build writes into folders whose names have spaces and other letters, and says what fails.
% SPDX-License-Identifier: Apache-2.0
  folder = fullfile(test_folder(), 'a folder é');
  mkdir(folder);
  include = fullfile(fileparts(mfilename('fullpath')), '..', '..', 'include');
  lib = fullfile(fileparts(command), '..', 'src');
  saccade_build('include', include, 'lib', lib, 'output', folder);
  check(exist(fullfile(folder, ['saccade_mex.' mexext]), 'file') ~= 0, 'nothing is built');
  fails('invalid', 'prefix', @() saccade_build('folder', 'x'));
  fails('invalid', 'output', @() saccade_build('output'));
  fails('io', 'no libsaccade-io', @() saccade_build('prefix', folder));
end
