function folder = test_folder()
% A new folder, removed when Octave ends.
  folder = tempname();
  mkdir(folder);
  atexit_folder(folder);
end

function atexit_folder(folder)
  global test_folders
  if isempty(test_folders)
    atexit('remove_test_folders');
  end
  test_folders{end + 1} = folder;
end
