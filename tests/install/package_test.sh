#!/bin/sh
# package_test.sh BUILD CC LIBDIR: makes the packages, installs them into a temporary root, what users need first and
# then what programs are built with, builds one, and removes all again.
# SPDX-License-Identifier: Apache-2.0
set -eu
build=$1
cc=$2
libdir=$3
here=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "package_test: $*" >&2
    exit 1
}

for tool in dpkg dpkg-shlibdeps file; do
    command -v "$tool" >/dev/null || {
        echo "SKIPPED: a .deb needs $tool"
        exit 77
    }
done

packages() {
    cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work" >"$work/cpack.log" 2>&1
}
case $libdir in
lib/*) packages || fail "cpack failed: $(cat "$work/cpack.log")" ;;
*) # refused: this build's libraries lie where packages have none
    ! packages || fail "cpack made packages with libraries in $libdir"
    tr -s ' \n' ' ' <"$work/cpack.log" | grep -q 'cmake --preset package' || fail "cpack says: $(cat "$work/cpack.log")"
    echo 'SKIPPED: packages are made of a build for /usr on Debian'
    exit 77
    ;;
esac

deb() { # deb PACKAGE: its file
    echo "$work/$1"_[0-9]*.deb
}
version=$(dpkg-deb -f "$(deb saccade)" Version)
so=${version%.*} # of the libraries' names
libraries="libsaccade$so libsaccade-delta$so libsaccade-io$so libsaccade-ladder$so"
python=
if [ -e "$build/python/saccade/_core.abi3.so" ]; then
    python=python3-saccade
fi
gstreamer=
if [ -e "$build/gst/libgstsaccade.so" ]; then
    gstreamer=gstreamer1.0-saccade
fi
mpi=
if [ -e "$build/cli/saccade-mpi.so" ]; then
    mpi=saccade-mpi
fi
for package in $libraries $python $gstreamer $mpi libsaccade-dev saccade; do
    [ -s "$(deb "$package")" ] || fail "no package $package was made: $(ls "$work")"
    dpkg-deb -c "$(deb "$package")" | grep -q "/usr/share/doc/$package/copyright$" || fail "$package has no copyright"
done
depends() { # depends PACKAGE WORD...
    package=$1
    shift
    for word; do
        dpkg-deb -f "$(deb "$package")" Depends | grep -qF "$word" ||
            fail "$package: Depends lacks '$word': $(dpkg-deb -f "$(deb "$package")" Depends)"
    done
}
depends libsaccade$so 'libc6 ('
depends saccade 'libc6 ('
depends libsaccade-io$so "libsaccade$so (= $version)"
for package in $libraries; do
    depends libsaccade-dev "$package (= $version)"
done
[ "$(dpkg-deb -f "$(deb libsaccade$so)" Depends | tr ',' '\n' | grep -cv libc6)" = 0 ] ||
    fail "the core needs more than libc: $(dpkg-deb -f "$(deb libsaccade$so)" Depends)"

# No root needed: the packages' scripts run here, and find an ldconfig that does nothing.
root=$work/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$work/bin"
: >"$root/var/lib/dpkg/status"
for tool in ldconfig start-stop-daemon; do
    printf '#!/bin/sh\n' >"$work/bin/$tool"
    chmod +x "$work/bin/$tool"
done
export PATH="$work/bin:$PATH:/usr/sbin:/sbin"
dpkg_here() {
    dpkg --root="$root" --log=/dev/null --force-not-root --force-script-chrootless \
        --force-depends "$@" >"$work/dpkg.log" 2>&1 || fail "dpkg $1 failed: $(cat "$work/dpkg.log")"
}
has() { # has FILE...
    for file; do
        [ -s "$root/usr/$file" ] || fail "no /usr/$file: $(cd "$root" && find usr -type f | head -n 99)"
    done
}

dpkg_here --install "$(deb saccade)"
"$root/usr/bin/saccade" --version || fail 'the installed command does not run'
if "$root/usr/bin/saccade" send --list 2>"$work/lacks" || ! grep -q gstreamer1.0-saccade "$work/lacks"; then
    fail "without saccade-live the command says: $(cat "$work/lacks")"
fi
has share/man/man1/saccade.1 share/bash-completion/completions/saccade share/zsh/vendor-completions/_saccade \
    share/fish/vendor_completions.d/saccade.fish share/doc/saccade/README.md

# What a program needs, and none of what it is built with.
for package in $libraries; do
    dpkg_here --install "$(deb "$package")"
done
for part in saccade saccade-delta saccade-io saccade-ladder; do
    has "$libdir/lib$part.so.$so"
done
more=$(find "$root/usr" -name '*.h' -o -name '*.a' -o -name '*.pc' -o -name 'libsaccade*.so')
[ -z "$more" ] || fail "runtime packages have what is for development: $more"
for library in $(objdump -p "$root/usr/$libdir/libsaccade-delta.so.$so" |
    sed -n 's/.*NEEDED *lib\(zstd\|xxhash\|lz4\)\.so.*/\1/p'); do
    depends libsaccade-delta$so "$library"
done

dpkg_here --install "$(deb libsaccade-dev)"
for part in saccade saccade-delta saccade-io saccade-ladder; do
    has "$libdir/lib$part.so" "$libdir/lib$part.a" "$libdir/pkgconfig/$part.pc"
done
export PKG_CONFIG_PATH="$root/usr/$libdir/pkgconfig"
# shellcheck disable=SC2046 # flags are words
"$cc" "$here/consumer/consumer.c" -o "$work/consumer" $(pkg-config --cflags --libs saccade-io saccade-delta saccade-ladder)
LD_LIBRARY_PATH="$root/usr/$libdir" "$work/consumer" || fail 'a program built with libsaccade-dev does not run'

if [ "$python" ]; then # it contains the library
    depends $python 'python3-numpy ('
    dpkg_here --install "$(deb $python)"
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$root/usr/lib/python3/dist-packages" /usr/bin/python3 -c \
        'import numpy, saccade; saccade.equalize(numpy.zeros((4, 4), "u1"))' || fail 'the Python package does not run'
fi

if [ "$gstreamer" ]; then # so does this
    depends $gstreamer 'libgstreamer1.0-0 ('
    dpkg_here --install "$(deb $gstreamer)"
    has "$libdir/gstreamer-1.0/libgstsaccade.so"
    depends $gstreamer gstreamer1.0-plugins-base
    if [ -e "$build/cli/saccade-live" ]; then
        GST_REGISTRY="$work/registry.bin" "$root/usr/bin/saccade" send --list >"$work/cameras" ||
            fail 'the command does not find saccade-live'
    fi
    if command -v gst-inspect-1.0 >/dev/null; then
        GST_REGISTRY="$work/registry.bin" GST_PLUGIN_PATH="$root/usr/$libdir/gstreamer-1.0" \
            gst-inspect-1.0 sacheatmap >"$work/inspect" || fail 'the GStreamer plugin does not load'
    fi
fi

if [ "$mpi" ]; then
    depends $mpi saccade mpi
    dpkg_here --install "$(deb $mpi)"
    has libexec/saccade/saccade-mpi.so
fi

# shellcheck disable=SC2086 # names
dpkg_here --purge $mpi libsaccade-dev saccade $python $gstreamer $libraries
left=$(cd "$root" && find . -path ./var -prune -o ! -type d -print)
[ -z "$left" ] || fail "left behind: $left"
echo 'installed and removed'
