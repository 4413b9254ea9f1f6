#!/bin/sh
# package_test.sh BUILD: makes the .deb, installs it into a temporary root, and removes it again.
# SPDX-License-Identifier: Apache-2.0
set -eu
build=$1
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

cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work" >"$work/cpack.log" 2>&1 ||
    fail "cpack failed: $(cat "$work/cpack.log")"
deb=$(echo "$work"/saccade_*.deb)
dpkg-deb -f "$deb" Depends | grep -q 'libc6 (' || fail "Depends names no libc6: $(dpkg-deb -f "$deb")"

# No root needed: the package's scripts run here, and find an ldconfig that does nothing.
mkdir -p "$work/root/var/lib/dpkg/info" "$work/root/var/lib/dpkg/updates" "$work/bin"
: >"$work/root/var/lib/dpkg/status"
for tool in ldconfig start-stop-daemon; do
    printf '#!/bin/sh\n' >"$work/bin/$tool"
    chmod +x "$work/bin/$tool"
done
export PATH="$work/bin:$PATH:/usr/sbin:/sbin"
dpkg_here() {
    dpkg --root="$work/root" --log=/dev/null --force-not-root --force-script-chrootless \
        --force-depends "$@" >"$work/dpkg.log" 2>&1 || fail "dpkg $1 failed: $(cat "$work/dpkg.log")"
}

dpkg_here --install "$deb"
"$work/root/usr/bin/saccade" --version || fail 'the installed command does not run'
for part in saccade saccade-delta saccade-io saccade-ladder; do
    for file in "lib$part.so" "lib$part.a" "pkgconfig/$part.pc"; do
        found=$(find "$work/root/usr/lib" -path "*/$file")
        [ -n "$found" ] || fail "the package has no $file"
    done
done
for library in $(find "$work/root/usr/lib" -name 'libsaccade-delta.so' -exec objdump -p {} + |
    sed -n 's/.*NEEDED *lib\(zstd\|xxhash\|lz4\)\.so.*/\1/p'); do
    dpkg-deb -f "$deb" Depends | grep -q "$library" || fail "Depends names no $library: $(dpkg-deb -f "$deb" Depends)"
done
dpkg_here --purge saccade
left=$(cd "$work/root" && find . -path ./var -prune -o ! -type d -print)
[ -z "$left" ] || fail "left behind: $left"
echo 'installed and removed'
