#!/usr/bin/env bash
# Builds an image of the Dockerfile where neither Docker nor an image registry is at hand: on a base made from Debian
# packages, with this machine's Node. Then prints its size.
#
#   scripts/image/build-here.sh [server|trainer] [BUILD-ARGUMENT=VALUE …]
source "$(dirname "$0")/here.sh"

target=${1:-server}
shift || true

# In place of debian:bookworm-slim: the same packages, without what that image leaves out, too.
make_debian() {
  local root=$work/debian
  rm -rf "$root"
  debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian
  rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/log/* \
    "$root"/usr/share/{doc,info,locale,man}/*
  cp /etc/apt/sources.list.d/*.sources "$root/etc/apt/sources.list.d/" 2>/dev/null || true
  commit_base unseen-debian scratch "$root" /
}

# In place of node:22-bookworm-slim. Debian's own Node is too old, so this machine's binary and npm go in, where that
# image has them.
make_node() {
  local root=$work/node
  rm -rf "$root"
  mkdir -p "$root/bin" "$root/lib/node_modules"
  cp "$(node -p process.execPath)" "$root/bin/node"
  cp -r "$(npm root --global)/npm" "$root/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/bin/npm"
  commit_base unseen-node unseen-debian "$root" /usr/local
}

commit_base() {
  local name=$1 from=$2 folder=$3 place=$4 container
  container=$(storage from "$from")
  storage add --quiet "$container" "$folder" "$place" >/dev/null
  storage commit --quiet --rm "$container" "$name" >/dev/null
  rm -rf "$folder"
}

storage inspect --type image unseen-debian >/dev/null 2>&1 || make_debian
storage inspect --type image unseen-node >/dev/null 2>&1 || make_node

# npm inside the build goes where npm on this machine goes; nothing of that is kept in the image.
certificates=${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}
printf 'registry=%s\ncafile=/run/certificates.crt\n' "$(npm config get registry 2>/dev/null)" >"$work/npmrc"

arguments=()
for argument in "$@"; do arguments+=(--build-arg "$argument"); done
cd "$project"
# ACCELERATOR is given although it is the default: buildah 1.28 ignores defaults when it works out which stages it needs.
storage build --isolation chroot --format docker --build-arg ACCELERATOR=cpu \
  --target "$target" --tag "unseen-$target" \
  --secret "id=npmrc,src=$work/npmrc" --volume "$certificates:/run/certificates.crt:ro" \
  --build-arg NODE_IMAGE=localhost/unseen-node --build-arg CPU_IMAGE=localhost/unseen-debian \
  --build-arg REVISION="$(git rev-parse HEAD)" "${arguments[@]}" .

container=$(storage from "unseen-$target")
root=$(storage mount "$container")
weigh() { du -sm --apparent-size "$root$1" 2>/dev/null | cut -f1; }
all=$(weigh /)
apart=$(($(weigh /weights) + $( [ -d "$root/bundle" ] && weigh /bundle || echo 0)))
storage rm "$container" >/dev/null
echo "unseen-$target: $((all - apart)) MiB unpacked, besides bundle and backbone ($apart MiB)."
