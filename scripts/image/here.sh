# Shared by the scripts beside it, which build and try the images on a machine that has no Docker and reaches no image
# registry: Debian's buildah, without namespaces or overlays, in a storage of its own. Sourced, not run.
set -euo pipefail

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# Holds the storage (some gigabytes: vfs copies whole layers) and the base; remove it when done.
work=${UNSEEN_IMAGE_WORK:-/var/tmp/unseen-image}
mkdir -p "$work"

if [ "$(id -u)" != 0 ]; then
  echo 'Run this as root: it mounts and changes its root folder.' >&2
  exit 1
fi
for tool in buildah debootstrap curl; do
  command -v "$tool" >/dev/null || {
    echo "$tool is missing: apt-get install -y buildah debootstrap curl" >&2
    exit 1
  }
done

storage() {
  buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"
}

# A field of an image's configuration, by Go template.
configured() {
  storage inspect --type image --format "$2" "$1"
}

# Where weights come from: a folder, or "baked" for those that BACKBONE put into the image.
find_weights() {
  if [ "${1:-}" = baked ]; then echo baked; else realpath "${1:-$project/models/weights}"; fi
}

# Opens the root file system of an image, with its own environment and user, and a fresh folder for /data.
open_image() {
  image=$1
  container=$(storage from "$image")
  root=$(storage mount "$container")
  user=$(configured "$image" '{{.Docker.Config.User}}')
  mapfile -t environment < <(listed Env)
  mapfile -t entrypoint < <(listed Entrypoint)
  data=$(mktemp -d "$work/data.XXXXXX")
  chown "$user" "$data"
}

# A list in the image's configuration, an entry a line.
listed() {
  configured "$image" "{{range .Docker.Config.$1}}{{println .}}{{end}}" | grep .
}

close_image() {
  storage rm "$container" >/dev/null
  rm -rf "$data"
}

# Runs a command in the image as a cluster would: its user, process 1, everything read-only but /data and /tmp. Call it in a
# subshell: it takes the shell's place.
inside() {
  ROOT=$root WEIGHTS=$weights DATA=$data RUN_AS=$user \
    exec unshare --mount --pid --fork --kill-child bash -euc '
      mount --bind "$ROOT" "$ROOT"
      if [ "$WEIGHTS" != baked ]; then
        mount --bind "$WEIGHTS" "$ROOT/weights"
        mount -o remount,bind,ro "$ROOT/weights"
      fi
      mount --bind "$DATA" "$ROOT/data"
      mount -t tmpfs tmpfs "$ROOT/tmp"
      mount -t proc proc "$ROOT/proc"
      mount --bind /dev "$ROOT/dev"
      mount -o remount,bind,ro "$ROOT"
      exec chroot --userspec="$RUN_AS" "$ROOT" env -i "$@"
    ' inside "${environment[@]}" "$@"
}
