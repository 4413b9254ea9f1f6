function picture = saccade_heatmap(current, varargin)
%SACCADE_HEATMAP  x
  picture = saccade_mex('heatmap', current, varargin{:});
end
