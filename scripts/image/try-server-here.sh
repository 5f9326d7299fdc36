#!/usr/bin/env bash
# Starts the server from the root file system that build-here.sh made, as a cluster would: read-only, with the image's own
# user, environment and command, tini as process 1, weights mounted. Lets it read flags that it draws, and ends it by SIGTERM.
#
#   scripts/image/try-server-here.sh [WEIGHTS|baked]      (default: models/weights, filled by "unseen backbone pull")
source "$(dirname "$0")/here.sh"

weights=$(find_weights "${1:-}")
port=${UNSEEN_TRY_PORT:-18080}
url=http://127.0.0.1:$port
log=$work/server.log
process=
open_image unseen-server
environment+=(UNSEEN_HOST=127.0.0.1 "UNSEEN_PORT=$port") # no network of its own here: loopback only
mapfile -t arguments < <(listed Cmd)
mapfile -t health < <(listed Healthcheck.Test)

clean_up() {
  [ -z "$process" ] || kill -KILL "$process" 2>/dev/null || true
  close_image
}
trap clean_up EXIT

give_up() {
  echo "$1" >&2
  tail -n 20 "$log" >&2
  exit 1
}

echo 'Drawing flags with the image itself …'
(inside node --input-type=module -e \
  "await (await import('/app/dist/cli/demonstration.js')).drawFlags(8, 7, '/data/pictures');")

now() { date +%s%3N; }
started=$(now)
(inside "${entrypoint[@]}" "${arguments[@]}") >"$log" 2>&1 &
process=$!
until curl --silent --fail --output /dev/null "$url/readyz"; do
  kill -0 "$process" 2>/dev/null || give_up 'The server ended:'
  [ $(($(now) - started)) -lt 120000 ] || give_up 'The server was not ready within two minutes:'
  sleep 0.05
done
ready=$(($(now) - started))
tini=$(pgrep --parent "$process")
server=$(pgrep --parent "$tini")
mapfile -t children < <(pgrep --parent "$server")
# Says more than the clock on a machine that others use: ticks of 10 ms, of all its processes.
busy=$(for one in "$server" "${children[@]}"; do cut -d' ' -f14,15 "/proc/$one/stat"; done | awk '{ t += $1 + $2 } END { print t * 10 }')
echo "Ready $ready ms after the start, mounts included, with $busy ms of processor time."

right=0
shown=0
for file in "$data"/pictures/*.jpg; do
  flag=$(basename "$file" .jpg)
  [ "$flag" != rising-sun ] || continue # not a letter: the demonstration adds it while it runs
  answer=$(curl --silent --show-error --fail --data-binary "@$file" -H 'Content-Type: image/jpeg' "$url/classify?topK=1")
  class=$(node -p 'JSON.parse(process.argv[1]).predictions[0].class' "$answer")
  echo "  $flag is read as $class"
  shown=$((shown + 1))
  [ "${class,,}" != "$flag" ] || right=$((right + 1))
done
echo "$right of $shown flags are read right."
[ $((2 * right)) -gt "$shown" ] || give_up 'Too few.'

(inside "${health[@]:1}") && echo 'HEALTHCHECK: healthy.'
grep -q libjemalloc "/proc/$server/maps" && echo 'jemalloc is loaded.'
memory() { awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$1/status"; }
for child in "${children[@]}"; do echo "A process of the server takes $(memory "$child") MiB."; done
echo "The server itself takes $(memory "$server") MiB."

kill -TERM "$tini"
code=0
wait "$process" || code=$?
process=
echo "Ended by SIGTERM with exit code $code."
[ "$code" = 0 ] || give_up 'It should be 0.'
