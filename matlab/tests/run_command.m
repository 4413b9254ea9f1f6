function text = run_command(command, line)
% What the command prints; it must succeed.
  [status, text] = system([command ' ' line ' 2>&1']);
  check(status == 0, 'saccade %s: %s', line, text);
end
