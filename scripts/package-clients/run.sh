#!/bin/bash
# Runs the real clients of the package registries against a server of its own: run.sh [client]...
# A client is a file next to this one. It gets the address of a registry's owner ($BASE), a user ($OWNER), a token with
# the scope write:package ($TOKEN) and an empty folder ($WORK), and fails if the client does.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export PATH=$root/node_modules/.bin:$PATH
dir=$(mktemp -d)
port=${PORT:-18931}
export INGOT_DATA_DIR=$dir/data INGOT_SERVER_PORT=$port INGOT_LOG_LEVEL=warn
export INGOT_SERVER_ROOT_URL=http://localhost:$port/

ingot() { node "$root/src/ingot.js" "$@"; }
server=
stop() {
  [ -z "$server" ] || { kill "$server" && wait "$server"; } || true
  rm -rf "$dir"
}
trap stop EXIT

ingot admin user create --username ann --email ann@example.test --password 'Corr3ct-horse!'
export OWNER=ann TOKEN BASE=http://localhost:$port/api/packages/ann
TOKEN=$(ingot admin token create --username ann --name clients --scopes write:package | tail -1)
node "$root/src/ingot.js" serve >"$dir/log" 2>&1 &
server=$!
curl --silent --fail --output /dev/null --retry 60 --retry-delay 1 --retry-all-errors "http://localhost:$port/api/readyz"

[ $# -gt 0 ] || set -- maven go composer debian rpm cran vagrant
for client; do
  export WORK=$dir/$client
  mkdir "$WORK"
  (cd "$WORK" && bash -euo pipefail "$here/$client.sh") || { echo "$client: FAILED"; cat "$dir/log"; exit 1; }
  echo "$client: works"
done
