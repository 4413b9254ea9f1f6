function info = saccade_info()
%SACCADE_INFO  x
  info = saccade_mex('info');
end
