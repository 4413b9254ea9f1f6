function value = test_npy_read(path)
% The numbers of a file NPY, their axes in reverse: (n_frames, n_z, n_x) is (n_x, n_z, n_frames).
  file = fopen(path, 'r', 'ieee-le');
  fread(file, 8);
  head = fread(file, fread(file, 1, 'uint16'), 'uint8=>char')';
  type = regexp(head, '''descr'': ''(...)''', 'tokens'){1}{1};
  shape = fliplr(str2num(['[' regexp(head, '\(([^)]*)\)', 'tokens'){1}{1} ']']));
  types = struct('u1', 'uint8', 'i2', 'int16', 'f4', 'single', 'c8', 'single');
  name = types.(type(2:3));
  value = fread(file, Inf, [name '=>' name]);
  fclose(file);
  if type(2) == 'c'
    value = complex(value(1:2:end), value(2:2:end));
  end
  value = reshape(value, [shape, 1]);
end
