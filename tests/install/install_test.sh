#!/bin/sh
# install_test.sh BUILD LIBDIR CC GENERATOR: installs BUILD into a temporary prefix, moves it, and
# builds and runs a program against it, by pkg-config and by CMake, shared and static.
# SPDX-License-Identifier: Apache-2.0
set -eu
build=$1
libdir=$2
cc=$3
generator=$4
here=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "install_test: $*" >&2
    exit 1
}

same() { # same WHAT GOT WANTED
    [ "$2" = "$3" ] || fail "$1: wanted '$3', got '$2'"
}

DESTDIR=$work/staged cmake --install "$build" --prefix /opt/saccade >"$work/install.log" ||
    fail "cmake --install failed: $(tail -n 3 "$work/install.log")"
prefix=$work/moved
mv "$work/staged/opt/saccade" "$prefix"
left=$(find "$work/staged" -type f -o -type l)
same 'files installed outside the prefix' "$left" ''

for file in include/saccade/saccade.h share/man/man1/saccade.1 share/doc/saccade/copyright \
    share/bash-completion/completions/saccade share/fish/vendor_completions.d/saccade.fish "$libdir/libsaccade.so" "$libdir/libsaccade.a" \
    "$libdir/libsaccade-io.so" "$libdir/libsaccade-ladder.a" include/saccade/delta.h \
    share/saccade/models/meltpool-simulated.safetensors share/saccade/models/train.py \
    "$libdir/libsaccade-delta.so" "$libdir/libsaccade-delta.a" "$libdir/pkgconfig/saccade-delta.pc" "$libdir/cmake/saccade/saccadeConfig.cmake"; do
    [ -s "$prefix/$file" ] || fail "$file was not installed"
done
[ -s "$prefix/share/zsh/site-functions/_saccade" ] || [ -s "$prefix/share/zsh/vendor-completions/_saccade" ] ||
    fail 'no completion for zsh was installed'
if [ -e "$build/gst/libgstsaccade.so" ]; then
    [ -s "$prefix/$libdir/gstreamer-1.0/libgstsaccade.so" ] || fail 'the GStreamer plugin was not installed'
fi
if grep -rIlF "$build" "$prefix" >"$work/leaks"; then
    fail "installed text files name the build folder: $(cat "$work/leaks")"
fi

# Not the system's pkg-config folders: an installed saccade must not stand in for this one.
export PKG_CONFIG_PATH="$prefix/$libdir/pkgconfig"
flags() {
    pkg-config "$@" saccade-io saccade-delta saccade-ladder
}
version="saccade $(pkg-config --modversion saccade)"
case $("$prefix/bin/saccade" --version) in
"$version"*) ;;
*) fail "the command is not version $version" ;;
esac

"$prefix/bin/saccade" info >"$work/info" || fail 'the installed command does not run'

if [ -e "$build/cli/saccade-live" ]; then
    GST_REGISTRY="$work/registry.bin" "$prefix/bin/saccade" send --list >"$work/cameras" ||
        fail 'the installed command does not find saccade-live'
fi

if [ -e "$build/cli/saccade-mpi.so" ]; then
    [ -s "$prefix/libexec/saccade/saccade-mpi.so" ] || fail 'saccade-mpi.so was not installed'
fi

# shellcheck disable=SC2046 # flags are words
"$cc" -Wall -Wextra -Werror "$here/consumer/consumer.c" -o "$work/shared" $(flags --cflags --libs)
same 'pkg-config, shared' "$(LD_LIBRARY_PATH="$prefix/$libdir" "$work/shared")" "$version"

# Where LD_LIBRARY_PATH is not set, as README.md has it.
# shellcheck disable=SC2046
"$cc" -Wall -Wextra -Werror "$here/consumer/consumer.c" -o "$work/by_rpath" $(flags --cflags --libs) \
    "-Wl,-rpath,$(pkg-config --variable=libdir saccade)"
same 'pkg-config, shared, rpath' "$("$work/by_rpath")" "$version"

# The core stands on libc alone, so it links into a wholly static program.
# shellcheck disable=SC2046
"$cc" -static -DCORE_ONLY "$here/consumer/consumer.c" -o "$work/static" \
    $(pkg-config --static --cflags --libs saccade)
same 'pkg-config, static' "$("$work/static")" "$version"

# The delta stream too, with what it is built on, where that comes as static libraries.
echo 'int main(void) { return 0; }' >"$work/empty.c"
# shellcheck disable=SC2046
if "$cc" -static "$work/empty.c" -o "$work/empty" $(pkg-config --static --libs saccade-delta) 2>"$work/static.log"; then
    "$cc" -static -Wall -Wextra -Werror -DCORE_ONLY -DWITH_DELTA "$here/consumer/consumer.c" -o "$work/static_delta" \
        $(pkg-config --static --cflags --libs saccade-delta)
    same 'pkg-config, static, delta' "$("$work/static_delta")" "$version"
else
    echo "install_test: no static program with the delta stream: $(tail -n 1 "$work/static.log")"
fi

cmake -G "$generator" -S "$here/consumer" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" >"$work/cmake.log" 2>&1 || fail "find_package failed: $(cat "$work/cmake.log")"
cmake --build "$work/cmake" >"$work/cmake.log" 2>&1 || fail "CMake build failed: $(cat "$work/cmake.log")"
same 'CMake, shared' "$("$work/cmake/consumer")" "$version"
same 'CMake, static' "$("$work/cmake/consumer_static")" "$version"

# find_package with components. found NAME WANTED WORD ARGUMENTS: "yes" or "no", and a word of what CMake says.
found() {
    mkdir -p "$work/find_$1"
    cat >"$work/find_$1/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(find C)
find_package(saccade $4)
set(all)
foreach(name saccade saccade-io saccade-delta saccade-ladder command)
  if(TARGET saccade::\${name})
    list(APPEND all \${name})
  endif()
endforeach()
message(STATUS "saccade_FOUND=\${saccade_FOUND} io=\${saccade_io_FOUND} nonesuch=\${saccade_nonesuch_FOUND} \${all}")
END
    got=yes
    cmake -G "$generator" -S "$work/find_$1" -B "$work/find_$1/b" -DCMAKE_PREFIX_PATH="${5-$prefix}" \
        -DCMAKE_C_COMPILER="$cc" >"$work/find.log" 2>&1 || got=no
    same "find_package(saccade $4) configures" "$got" "$2"
    tr '\n' ' ' <"$work/find.log" | tr -s ' ' | grep -qF "$3" || fail "find_package(saccade $4): wanted '$3' in $(cat "$work/find.log")"
}
every='saccade;saccade-io;saccade-delta;saccade-ladder;command'
found all yes "saccade_FOUND=1 io=TRUE nonesuch= $every" REQUIRED
found io yes "saccade_FOUND=1 io=TRUE nonesuch= $every" '0.2 REQUIRED COMPONENTS core io'
found optional yes 'saccade_FOUND=1 io=TRUE nonesuch= ' 'REQUIRED COMPONENTS io OPTIONAL_COMPONENTS nonesuch'
found unknown no 'saccade lacks: nonesuch (unknown); its components are core, io, delta, ladder, command' \
    'REQUIRED COMPONENTS io nonesuch'
found quiet yes 'saccade_FOUND=0 io=TRUE' 'QUIET COMPONENTS nonesuch'

# Without the command, whose package is another one.
cp -R "$prefix" "$work/bare"
rm "$work/bare/bin/saccade" "$work/bare/$libdir/cmake/saccade/"saccadeCommandTargets*
found bare yes 'saccade;saccade-io;saccade-delta;saccade-ladder' 'REQUIRED COMPONENTS ladder' "$work/bare"
found command no 'saccade lacks: command (not installed)' 'REQUIRED COMPONENTS command' "$work/bare"

# Into a prefix of one's own, cmake says how programs find the libraries.
cmake --install "$build" --prefix "$work/own" >"$work/install.log" || fail "cmake --install failed"
grep -qF -- "-Wl,-rpath,$work/own/$libdir" "$work/install.log" || fail 'cmake --install does not tell the rpath'
"$work/own/bin/saccade" --version >"$work/info" || fail 'the command in a prefix of its own does not run'
echo "installed, found and linked: $version"
