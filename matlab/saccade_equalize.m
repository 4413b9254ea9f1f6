function picture = saccade_equalize(picture, varargin)
%SACCADE_EQUALIZE  Histogram equalization that keeps hue and saturation.
  picture = saccade_mex('equalize', picture, varargin{:});
end
