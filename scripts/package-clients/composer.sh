# Publishes two versions of a package and requires them, the second with a dependency on another package.
export COMPOSER_HOME=$WORK/home COMPOSER_ALLOW_SUPERUSER=1
publish() {
  printf '%s' "$2" >composer.json
  echo '<?php // library' >lib.php
  rm -f lib.zip
  python3 -m zipfile -c lib.zip composer.json lib.php
  curl --silent --fail --user "$OWNER:$TOKEN" --upload-file lib.zip "$BASE/composer?version=$1"
}
publish 1.0.0 '{"name": "team/base"}'
publish 1.0.0 '{"name": "team/lib", "description": "Says hello"}'
publish 1.1.0 '{"name": "team/lib", "require": {"team/base": "^1.0"}}'
mkdir project
cd project
printf '{"repositories": [{"type": "composer", "url": "%s"}, {"packagist.org": false}], "config": {"secure-http": false}}' \
  "$BASE/composer" >composer.json
composer require --no-interaction --quiet team/lib:1.0.0
test -f vendor/team/lib/lib.php
composer require --no-interaction --quiet 'team/lib:^1.1'
test -f vendor/team/base/lib.php
composer search --no-interaction lib >found
grep -q team/lib found
