# shellcheck shell=sh
# What quickstart and check share: installing missing Debian packages, building a preset. Sourced,
# from the root of the tree.
# SPDX-License-Identifier: Apache-2.0
required=''
optional=''

step() {
    printf '\n== %s\n' "$*"
}

# need PACKAGES PROBE...: without them nothing builds. Missing if the probe, a command, fails.
need() {
    packages=$1
    shift
    "$@" >/dev/null 2>&1 || required="$required $packages"
}

# want PACKAGE "WHAT IS LOST" PROBE...: goes on without it, and says what is lost.
want() {
    package=$1
    lost=$2
    shift 2
    "$@" >/dev/null 2>&1 || optional="$optional$package|$lost
"
}

# What every build needs. A compiler without libc's headers is no compiler.
need_build_tools() {
    need 'gcc libc6-dev' cc -E -include stdio.h -x c /dev/null
    need cmake cmake --version
    need ninja-build ninja --version
    need pkg-config pkg-config --version
    want libvips-dev 'pictures are PNM only (no PNG, JPEG, TIFF, WebP)' pkg-config --exists vips
    want libmatio-dev 'no MAT files are read' pkg-config --exists matio zlib
    want zlib1g-dev 'compressed HDF5 files are refused' pkg-config --exists zlib
    want libhdf5-dev 'no HDF5 files are read or written' pkg-config --exists hdf5
    want libzstd-dev 'no delta streams' pkg-config --exists libzstd
    want libxxhash-dev 'no delta streams' pkg-config --exists libxxhash
    want liblz4-dev 'no fast delta streams' pkg-config --exists liblz4
    want libsodium-dev 'no keys that authenticate packets' pkg-config --exists libsodium
    want libcairo2-dev 'no plots, and no axes around pictures of ultrasound' pkg-config --exists cairo
    want libwebsockets-dev 'no saccade view' pkg-config --exists libwebsockets
    want libcjson-dev 'no metadata in JSON next to NPY, no models, no comparison of results' pkg-config --exists libcjson
}

# The Python package: headers and NumPy of the system's Python.
want_python() {
    want python3-dev 'no Python package' /usr/bin/python3 -c \
        'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")'
    want python3-numpy 'no Python package' /usr/bin/python3 -c 'import numpy'
}

# The GStreamer plugin, and what saccade send and receive have of GStreamer's own.
want_gst() {
    want 'libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev' 'no GStreamer plugin' \
        pkg-config --exists gstreamer-1.0 gstreamer-video-1.0
    want 'gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-x' \
        'no cameras, windows and films in live video' \
        sh -c 'ls /usr/lib/*/gstreamer-1.0/libgstvideo4linux2.so && ls /usr/lib/*/gstreamer-1.0/libgstximagesink.so'
    want libsrt-gnutls-dev 'no live video over SRT' pkg-config --exists srt
}

# The architectures of this machine's NVIDIA GPUs as CMake takes them, "90-real"; nothing where none is.
# Integrated ones may not tell theirs: nvcc then asks the driver.
gpu_architectures() {
    found=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
        sed -n 's/^\([0-9]*\)\.\([0-9]\)$/\1\2-real/p' | sort -u | paste -sd ';' -)
    if [ -z "$found" ] && [ -e /dev/nvhost-gpu ]; then
        found=native
    fi
    echo "$found"
}

# Runs a command as root; fails where neither root nor sudo is to be had. sudo may ask for a password on a terminal.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends "$@" >>build/packages.log 2>&1 </dev/null
}

say_lost() {
    printf '%s' "$optional" | while IFS='|' read -r package lost; do
        echo "going on without $package: $lost"
    done
}

install_required() {
    [ "$required" ] || return 0
    echo "installing:$required"
    # shellcheck disable=SC2086 # a list of names
    if ! apt_install $required; then
        tail -n 5 build/packages.log >&2
        echo "saccade: apt-get could not install$required; build/packages.log has the whole story" >&2
        exit 1
    fi
}

install_optional() {
    printf '%s' "$optional" | while IFS='|' read -r package lost; do
        echo "installing: $package"
        # shellcheck disable=SC2086 # a list of names
        apt_install $package || echo "$package is not available, going on without: $lost"
    done
}

# Installs what need and want found missing; says what, asks nothing.
install_missing() {
    [ "$required$optional" ] || return 0
    if ! command -v apt-get >/dev/null || ! as_root true 2>/dev/null; then
        if [ "$required" ]; then
            echo "saccade: needs packages, but this is not root on a Debian system and sudo does not" \
                "help; as root: apt-get install -y --no-install-recommends$required" \
                "$(printf '%s' "$optional" | cut -d'|' -f1 | tr '\n' ' ')" >&2
            exit 1
        fi
        say_lost
        return 0
    fi
    step 'packages (log: build/packages.log)'
    mkdir -p build
    as_root apt-get update -q >build/packages.log 2>&1 </dev/null ||
        echo 'apt-get update failed; trying with the lists that are there'
    install_required
    install_optional
}

# build FOLDER PRESET OPTION...: configures and builds, quietly where nobody watches.
build() {
    folder=$1
    preset=$2
    shift 2
    step "build $folder"
    cmake --preset "$preset" -B "$folder" --log-level=NOTICE "$@" >"$folder.log" 2>&1 || {
        cat "$folder.log" >&2
        return 1
    }
    if [ -t 1 ]; then
        cmake --build "$folder"
    else
        cmake --build "$folder" -- --quiet
    fi
}
