#!/usr/bin/env bash
# Starts the server from the root file system that build-here.sh made, as a cluster would: read-only, with the image's own
# user, environment and command, tini as process 1, weights mounted. Lets it read flags that it draws, and ends it by SIGTERM.
#
#   scripts/image/try-server-here.sh [WEIGHTS]      (default: models/weights, filled by "unseen backbone pull")
source "$(dirname "$0")/here.sh"

weights=$(realpath "${1:-$project/models/weights}")
port=${UNSEEN_TRY_PORT:-18080}
url=http://127.0.0.1:$port
container=$(storage from unseen-server)
root=$(storage mount "$container")
pictures=$work/pictures
mkdir -p "$pictures"
chmod 777 "$pictures"
process=

clean_up() {
  [ -z "$process" ] || kill -KILL "$process" 2>/dev/null || true
  storage rm "$container" >/dev/null
}
trap clean_up EXIT

lines='{{println .}}{{end}}'
mapfile -t environment < <(configured unseen-server "{{range .Docker.Config.Env}}$lines" | grep .)
mapfile -t entrypoint < <(configured unseen-server "{{range .Docker.Config.Entrypoint}}$lines" | grep .)
mapfile -t arguments < <(configured unseen-server "{{range .Docker.Config.Cmd}}$lines" | grep .)
mapfile -t health < <(configured unseen-server "{{range .Docker.Config.Healthcheck.Test}}$lines" | grep .)
user=$(configured unseen-server '{{.Docker.Config.User}}')
environment+=(UNSEEN_HOST=127.0.0.1 "UNSEEN_PORT=$port") # no network of its own here: loopback only

# Runs a command in the image with mounts of its own; what is written anywhere but in /data and /tmp fails.
inside() {
  ROOT=$root WEIGHTS=$weights PICTURES=$pictures USER_AND_GROUP=$user \
    exec unshare --mount --pid --fork --kill-child bash -euc '
      mount --bind "$ROOT" "$ROOT"
      mount --bind "$WEIGHTS" "$ROOT/weights"
      mount -o remount,bind,ro "$ROOT/weights"
      mount -t tmpfs -o "uid=${USER_AND_GROUP%:*},gid=${USER_AND_GROUP#*:}" tmpfs "$ROOT/data"
      mount -t tmpfs tmpfs "$ROOT/tmp"
      mkdir "$ROOT/tmp/pictures"
      mount --bind "$PICTURES" "$ROOT/tmp/pictures"
      mount -t proc proc "$ROOT/proc"
      mount --bind /dev "$ROOT/dev"
      mount -o remount,bind,ro "$ROOT"
      exec chroot --userspec="$USER_AND_GROUP" "$ROOT" env -i "$@"
    ' inside "${environment[@]}" "$@"
}

echo 'Drawing flags with the image itself …'
(inside node --input-type=module -e \
  "await (await import('/app/dist/cli/demonstration.js')).drawFlags(8, 7, '/tmp/pictures');")

echo 'Starting the server from the image …'
started=$(date +%s%3N)
(inside "${entrypoint[@]}" "${arguments[@]}") >"$work/server.log" 2>&1 &
process=$!
until curl --silent --fail --output /dev/null "$url/readyz"; do
  kill -0 "$process" 2>/dev/null || { cat "$work/server.log" >&2; exit 1; }
  [ $(($(date +%s%3N) - started)) -lt 120000 ] || { echo 'It was not ready within two minutes.' >&2; exit 1; }
  sleep 0.05
done
echo "Ready after $(($(date +%s%3N) - started)) ms."

right=0
shown=0
for file in "$pictures"/*.jpg; do
  flag=$(basename "$file" .jpg)
  [ "$flag" != rising-sun ] || continue # the newcomer, which this model does not know
  answer=$(curl --silent --show-error --fail --data-binary "@$file" -H 'Content-Type: image/jpeg' "$url/classify?topK=1")
  class=$(node -p 'JSON.parse(process.argv[1]).predictions[0].class' "$answer")
  echo "  $flag read as $class"
  shown=$((shown + 1))
  [ "${class,,}" != "$flag" ] || right=$((right + 1))
done
echo "$right of $shown flags read right."
[ $((2 * right)) -gt "$shown" ]

(inside "${health[@]:1}")
echo 'HEALTHCHECK: healthy.'
main=$(pgrep --parent "$process")
resident=$(ps --no-headers -o rss --ppid "$main" | awk '{ sum += $1 } END { print int(sum / 1024) }')
grep -q libjemalloc "/proc/$(pgrep --parent "$main" | head -1)/maps"
echo "jemalloc is loaded; the main process takes $resident MiB."
kill -TERM "$main"
code=0
wait "$process" || code=$?
process=
echo "Ended by SIGTERM with exit code $code."
[ "$code" = 0 ]
