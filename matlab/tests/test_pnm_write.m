function test_pnm_write(path, picture)
% Writes (h, w) as PGM, (h, w, 3) as PPM.
  [h, w, c] = size(picture);
  file = fopen(path, 'w', 'ieee-be');
  fprintf(file, 'P%d\n%d %d\n%d\n', 5 + (c == 3), w, h, intmax(class(picture)));
  fwrite(file, permute(picture, [3, 2, 1]), class(picture));
  fclose(file);
end
