% Beamforms with a struct as MUST has it. MUST's own data: load PWI_disk.mat, of RF and param.
param = struct('fs', 20e6, 'fc', 5e6, 'pitch', 3e-4, 'Nelements', 64, 'bandwidth', 70, ...
               'c', 1540, 't0', 0, 'TXdelay', zeros(1, 64));
linear = struct('fs_hz', param.fs, 'fc_hz', param.fc, 'n_elements', 64, 'pitch_m', param.pitch, ...
                'transmits', 'plane:1:0');
RF = saccade_simulate_ultrasound(linear, [0, 0, 0.02, 1; 4e-3, 0, 0.025, 1], 1024);

grid = struct('x', linspace(-8e-3, 8e-3, 161), 'z', linspace(10e-3, 30e-3, 201));
image = saccade_beamform(RF, param, grid, 'f_number', 1.5);
[~, brightest] = max(image(:));
[row, column] = ind2sub(size(image), brightest);
fprintf('brightest at x = %.1f mm, z = %.1f mm\n', 1e3 * grid.x(column), 1e3 * grid.z(row));
% imagesc(grid.x, grid.z, image, [-60, 0]), colormap gray, axis image
