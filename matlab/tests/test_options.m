function text = test_options(options)
% {'clahe', [4 3], 'f_number', 1.5} as the command takes them: '--clahe 4x3 --f-number 1.5'.
  text = '';
  for i = 1:2:numel(options)
    value = options{i + 1};
    if islogical(value)
      value = '';
    elseif isnumeric(value)
      value = strjoin(arrayfun(@(x) sprintf('%.15g', x), value, 'UniformOutput', false), 'x');
    end
    text = [text ' --' strrep(options{i}, '_', '-') ' ' value];
  end
end
