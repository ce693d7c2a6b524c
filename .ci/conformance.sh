#!/usr/bin/env bash
# Plays the recordings named in conformance.txt against a fresh server, in as many rounds as the first argument says, 2
# by default; each line there is a recording and the number of its exchanges that must be equal at least.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
shared=$root/../shared/conformance
dir=$(mktemp -d)
port=$(node -e 'const s=require("node:net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
cd "$dir"
INGOT_DATA_DIR=$dir/data INGOT_SERVER_PORT=$port INGOT_SSH_PORT=0 INGOT_WEBHOOK_ALLOWED_HOSTS='*' INGOT_MIGRATIONS_ALLOWED_HOSTS='*' INGOT_LOG_LEVEL=error \
  node "$root/src/ingot.js" serve >"$dir/out" 2>"$dir/err" &
server=$!
trap 'kill $server 2>/dev/null || true; wait $server 2>/dev/null || true; rm -rf "$dir"' EXIT
for _ in $(seq 150); do grep -q 'password:' "$dir/out" && break; sleep 0.2; done
password=$(sed -n 's/.*password: *//p' "$dir/out" | head -1)
failed=0
for round in $(seq "${1:-2}"); do
  while read -r name least; do
    case "$name" in ''|'#'*) continue ;; esac
    line=$(node "$shared/run.mjs" replay "http://127.0.0.1:$port" "admin:$password" "$shared/recordings/$name.json" | tail -1 || true)
    equal=${line%% of *}
    if [ "${equal:-0}" -ge "$least" ]; then echo "round $round: $name: $line"; else echo "round $round: $name: $line, at least $least wanted"; failed=1; fi
  done <"$root/.ci/conformance.txt"
done
exit $failed
