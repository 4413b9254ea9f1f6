% What changes in a video: a heat map of each frame, and how many pixels changed.
video = zeros(120, 160, 3, 10, 'uint8'); % or read(VideoReader('in.mp4'))
for i = 1:10
  video(50:70, 10 * i:10 * i + 15, :, i) = 200;
end
maps = saccade_heatmap(video, 'map', 'turbo');
[~, changed] = saccade_noise(video, 'threshold', 20);
fprintf('%d maps of %d x %d; pixels changed:%s\n', size(maps, 4), size(maps, 2), size(maps, 1), ...
        sprintf(' %d', changed));
