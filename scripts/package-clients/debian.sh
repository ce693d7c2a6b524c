# Publishes two packages, one of which needs the other, and lets apt in a root of its own check and download them.
build() {
  mkdir -p "$1/DEBIAN" "$1/usr/share/$1"
  printf 'Package: %s\nVersion: %s\nArchitecture: all\nMaintainer: A <a@example.test>\nDescription: A package\n%s' \
    "$1" "$2" "${3:-}" >"$1/DEBIAN/control"
  dpkg-deb --root-owner-group "-Z${4:-xz}" --build "$1" "$1.deb" >build.log
  curl --silent --fail --user "$OWNER:$TOKEN" --upload-file "$1.deb" "$BASE/debian/pool/stable/main/upload"
}
build clients-base 1:1.0-1
build clients-tool 2.0~rc1+git $'Depends: clients-base\n' zstd
mkdir -p root/etc/apt/{apt.conf.d,preferences.d,sources.list.d,trusted.gpg.d} root/var/lib/{apt/lists/partial,dpkg} \
  root/var/cache/apt/archives/partial
touch root/var/lib/dpkg/status
curl --silent --fail --output root/key.asc "$BASE/debian/repository.key"
echo "deb [signed-by=$WORK/root/key.asc] $BASE/debian stable main" >root/etc/apt/sources.list
own() {
  local program=$1
  shift
  "$program" -o Dir="$WORK/root" -o Dir::State::status="$WORK/root/var/lib/dpkg/status" -o APT::Sandbox::User=root \
    -o Acquire::By-Hash=force "$@"
}
own apt-get update --quiet 2>&1 | tee update.log
must_fail grep -qE '^(W|E|Err)' update.log
own apt-get install --quiet --yes --download-only clients-tool >install.log
test -f root/var/cache/apt/archives/clients-base_1%3a1.0-1_all.deb
test -f root/var/cache/apt/archives/clients-tool_2.0~rc1+git_all.deb
# A later version is found at once.
build clients-base 1:1.1-1
own apt-get update --quiet >update.log
own apt-cache policy clients-base >policy.log
grep -q 'Candidate: 1:1.1-1' policy.log
