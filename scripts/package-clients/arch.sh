# Publishes two packages, one of which needs the other, and lets pacman in a root of its own check the signatures of the
# database and of both packages and install them.
build() {
  mkdir -p pkg/usr/share
  echo "$1 $2" >"pkg/usr/share/$1.txt"
  printf 'pkgname = %s\npkgver = %s\npkgdesc = A package\narch = any\nsize = 10\nbuilddate = 1700000000\npackager = A\n%s' \
    "$1" "$2" "${3:-}" >pkg/.PKGINFO
  tar --force-local -C pkg -czf "$1-$2-any.pkg.tar.gz" .PKGINFO usr
  rm -r pkg
  curl --silent --fail --user "$OWNER:$TOKEN" --upload-file "$1-$2-any.pkg.tar.gz" "$BASE/arch/extra"
}
build clients-base 1.9-1
build clients-base 1.10-1
build clients-tool 1:2.0+git-1 $'depend = clients-base>=1.10\n'
mkdir -p root/var/lib/pacman root/var/cache root/etc
printf '[options]\nArchitecture = x86_64\nSigLevel = Required\n[ann]\nServer = %s/arch/extra/$arch\n' "$BASE" >pacman.conf
key() { pacman-key --config pacman.conf --gpgdir "$WORK/gnupg" "$@"; }
key --init >key.log 2>&1
curl --silent --fail --output ann.asc "$BASE/arch/repository.key"
own() {
  pacman --root "$WORK/root" --dbpath "$WORK/root/var/lib/pacman" --cachedir "$WORK/root/var/cache" --config pacman.conf \
    --gpgdir "$WORK/gnupg" --logfile "$WORK/pacman.log" --hookdir "$WORK/hooks" --noconfirm --noscriptlet "$@"
}
must_fail own --sync --refresh >refusal 2>&1
key --add ann.asc >>key.log 2>&1
key --lsign-key "$(gpg --homedir "$WORK/gnupg" --show-keys --with-colons ann.asc | awk -F: '$1 == "fpr" { print $10; exit }')" >>key.log 2>&1
own --sync --refresh clients-tool
grep -q 'clients-base 1.10-1' root/usr/share/clients-base.txt
grep -q 'clients-tool 1:2.0+git-1' root/usr/share/clients-tool.txt
gpgconf --homedir "$WORK/gnupg" --kill all
