function remove_test_folders()
% Called as Octave ends.
  global test_folders
  confirm_recursive_rmdir(false, 'local');
  for folder = test_folders
    rmdir(folder{1}, 's');
  end
end
