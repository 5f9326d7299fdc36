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
