% Features of a simulated melt pool, and the pores that they predict.
[frames, signals, calibration] = saccade_simulate_meltpool(2000, 'seed', 30);
[result, counts] = saccade_meltpool(frames, signals, 'calibration', calibration);
on = bitand(result.flags, 1) == 0;
fprintf('%d frames, %d with the laser on; mean area %.1f pixels, %.2f pores/mm^2 predicted\n', ...
        counts.frames, counts.processed, mean(result.features(on, 1)), ...
        mean(sum(result.prediction(on, :), 2)));
