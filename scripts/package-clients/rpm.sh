# Publishes two packages, one of which needs the other, and lets dnf in a root of its own check and download them.
build() {
  printf 'Name: %s\nVersion: %s\nRelease: 1\nSummary: A package\nLicense: MIT\nBuildArch: noarch\n%s\n%%description\nText\n%%files\n' \
    "$1" "$2" "${3:-}" >"$1.spec"
  rpmbuild --quiet -bb --define "_topdir $WORK/rpmbuild" "$1.spec" >build.log 2>&1
  curl --silent --fail --user "$OWNER:$TOKEN" --upload-file "rpmbuild/RPMS/noarch/$1-$2-1.noarch.rpm" \
    "$BASE/rpm/el9/upload"
}
build clients-base 1.0 'Epoch: 2'
build clients-tool 2.0~rc1+git^2 'Requires: clients-base >= 2:1.0'
mkdir repos
curl --silent --fail --output repos/ann.repo "$BASE/rpm/el9.repo"
own() {
  dnf --quiet --assumeyes --installroot="$WORK/root" --releasever=9 --setopt=reposdir="$WORK/repos" \
    --setopt=cachedir="$WORK/cache" --setopt=metadata_expire=0 "$@"
}
own repoquery --requires clients-tool >required
grep -q '^clients-base >= 2:1.0' required
own install --downloadonly --downloaddir="$WORK/downloads" clients-tool >install.log 2>&1
ls downloads >downloaded
grep -q clients-base downloaded
grep -q clients-tool downloaded
rpm --checksig --nosignature downloads/*.rpm >sums
must_fail grep -qi 'not ok' sums
