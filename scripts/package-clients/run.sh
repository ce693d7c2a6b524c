#!/bin/bash
# Runs the real clients of the package registries against a server of its own: run.sh [client]...
# A client is a file next to this one. It gets the address of a registry's owner ($BASE), a user ($OWNER), a token with
# the scope write:package ($TOKEN), an empty folder ($WORK) and the function must_fail, and fails if the client does.
# Without arguments all clients are run whose programs are installed.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export PATH=$root/node_modules/.bin:$PATH
dir=$(mktemp -d)
port=${PORT:-18931}
export INGOT_DATA_DIR=$dir/data INGOT_SERVER_PORT=$port INGOT_SSH_PORT=0 INGOT_LOG_LEVEL=warn
export INGOT_PACKAGES_UPSTREAM_HOSTS=loopback INGOT_SERVER_ROOT_URL=http://localhost:$port/

ingot() { node "$root/src/ingot.js" "$@"; }
server=
stop() {
  [ -z "$server" ] || { kill "$server" && wait "$server"; } || true
  rm -rf "$dir"
}
trap stop EXIT

ingot admin user create --username ann --email ann@example.test --password 'Corr3ct-horse!'
ingot admin user create --username cache --email cache@example.test --password 'Corr3ct-horse!'
export OWNER=ann TOKEN CACHE_TOKEN BASE=http://localhost:$port/api/packages/ann
TOKEN=$(ingot admin token create --username ann --name clients --scopes write:package | tail -1)
CACHE_TOKEN=$(ingot admin token create --username cache --name clients --scopes write:package | tail -1)
node "$root/src/ingot.js" serve >"$dir/log" 2>&1 &
server=$!
curl --silent --fail --output /dev/null --retry 60 --retry-delay 1 --retry-all-errors "http://localhost:$port/api/readyz"

# `! command` does not end a script with `set -e`.
must_fail() {
  if "$@"; then
    echo "this has worked and must not: $*" >&2
    exit 1
  fi
}
export -f must_fail

programs() {
  case $1 in
    arch) echo pacman pacman-key ;;
    conda) echo python3 ;;
    container) echo skopeo ;;
    cran) echo R ;;
    debian) echo apt-get dpkg-deb ;;
    maven) echo mvn ;;
    nuget) echo mono "${NUGET:-nuget.exe}" ;;
    oci) echo go ;;
    pypi) echo pip twine ;;
    rpm) echo dnf rpmbuild ;;
    rubygems) echo gem ;;
    upstreams) echo cargo go npm pip ;;
    *) echo "$1" ;;
  esac
}

if [ $# = 0 ]; then
  for file in "$here"/*.sh; do
    client=$(basename "$file" .sh)
    [ "$client" != run ] || continue
    # shellcheck disable=SC2046
    if type $(programs "$client") >"$dir/type" 2>&1; then set -- "$@" "$client"; else echo "$client: not installed"; fi
  done
fi
failed=0
for client; do
  export WORK=$dir/$client
  mkdir "$WORK"
  if (cd "$WORK" && bash -euo pipefail "$here/$client.sh"); then
    echo "$client: works"
  else
    echo "$client: FAILED"
    failed=1
  fi
done
[ $failed = 0 ] || cat "$dir/log"
exit $failed
