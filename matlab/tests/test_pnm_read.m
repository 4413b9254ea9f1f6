function picture = test_pnm_read(path)
% Reads what the command wrote: PGM or PPM, without comments.
  file = fopen(path, 'r', 'ieee-be');
  head = fscanf(file, 'P%d %d %d %d', 4);
  fread(file, 1);
  type = sprintf('uint%d', log2(head(4) + 1));
  c = 1 + 2 * (head(1) == 6);
  picture = fread(file, Inf, [type '=>' type]);
  fclose(file);
  picture = permute(reshape(picture, c, head(2), head(3)), [3, 2, 1]);
end
