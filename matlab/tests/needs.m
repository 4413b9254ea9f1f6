function needs(command, library)
% Skips the test where the build has no such library.
  text = run_command(command, 'info');
  if isempty(regexp(text, ['(?m)^' library ' +[0-9]'], 'once'))
    leave_out(['this build has no ' library]);
  end
end
