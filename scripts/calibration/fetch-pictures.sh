#!/bin/sh
# Fetches the pictures of pictures.txt from their Debian packages (bookworm) into a folder: fetch-pictures.sh FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
target=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
grep -v '^#' "$here/pictures.txt" | cut -d ' ' -f 1,2 | sort -u | while read -r package version; do
  apt-get -qq download "$package=$version"
  dpkg-deb -x "$package"_*.deb "$package"
done
grep -v '^#' "$here/pictures.txt" | while read -r package version file; do
  cp "$package/$file" "$target/$package-$(basename "$file")"
done
ls "$target" | wc -l
