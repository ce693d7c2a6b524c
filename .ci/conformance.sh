#!/usr/bin/env bash
# Plays the recordings named in conformance.txt, in as many rounds as the first argument says, 2 by default; each line
# there is a recording and the number of its exchanges that must be equal at least. Two fresh servers are given every
# other recording each, at the same time. Without the recordings it passes, except where CI is true.
set -euo pipefail
unset INGOT_VERSITYGW # a setting of the tests, which a server refuses
cd "$(dirname "$0")/.."
root=$PWD
rounds=${1:-2}
shared=$root/../shared/conformance
if [ ! -f "$shared/run.mjs" ]; then
  echo "no recordings in ../shared/conformance: nothing was compared" >&2
  [ "${CI:-}" != true ]
  exit
fi
dir=$(mktemp -d)
servers=()
trap 'kill "${servers[@]}" 2>/dev/null || true; wait "${servers[@]}" 2>/dev/null || true; rm -rf "$dir"' EXIT

# Starts the server of a lane, 0 or 1.
start() {
  local own=$dir/$1 port
  mkdir "$own"
  port=$(node -e 'const s=require("node:net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
  echo "$port" >"$own/port"
  (
    cd "$own"
    INGOT_DATA_DIR=$own/data INGOT_SERVER_PORT=$port INGOT_SSH_PORT=0 INGOT_WEBHOOK_ALLOWED_HOSTS='*' INGOT_MIGRATIONS_ALLOWED_HOSTS='*' INGOT_LOG_LEVEL=error INGOT_SERVER_WORKERS=1 \
      exec node "$root/src/ingot.js" serve >"$own/out" 2>"$own/err"
  ) &
  servers+=($!)
}

# Plays every other recording, from the first or the second, against the server of the lane; fails if one is not as equal as wanted.
play() {
  local own=$dir/$1 failed=0 port password line equal name least
  port=$(<"$own/port")
  for _ in $(seq 150); do grep -q 'password:' "$own/out" && break; sleep 0.2; done
  password=$(sed -n 's/.*password: *//p' "$own/out" | head -1)
  if [ -z "$password" ]; then echo 'the server did not start:'; cat "$own/err"; return 1; fi
  for round in $(seq "$rounds"); do
    while read -r name least; do
      line=$(node "$shared/run.mjs" replay "http://127.0.0.1:$port" "admin:$password" "$shared/recordings/$name.json" | tail -1 || true)
      equal=${line%% of *}
      if [ "${equal:-0}" -ge "$least" ]; then echo "round $round: $name: $line"; else echo "round $round: $name: $line, at least $least wanted"; failed=1; fi
    done < <(grep -vE '^(#|$)' "$root/.ci/conformance.txt" | awk -v lane="$1" 'NR % 2 == lane')
  done
  return $failed
}

start 0
start 1
play 0 &
other=$!
failed=0
play 1 || failed=1
wait "$other" || failed=1
exit $failed
