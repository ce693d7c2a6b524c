# Publishes two packages, one of which needs the other, installs them, moves a tag and deletes a version.
export npm_config_cache=$WORK/cache npm_config_userconfig=$WORK/npmrc npm_config_update_notifier=false
printf 'registry=%s/npm/\n//%s/npm/:_authToken=%s\n' "$BASE" "${BASE#http://}" "$TOKEN" >npmrc
publish() {
  mkdir -p lib
  printf '{"name":"%s","version":"%s","bin":{"say":"say.js"},"dependencies":{%s}}' "$1" "$2" "${3:-}" >lib/package.json
  printf '#!/usr/bin/env node\nconsole.log("%s %s")\n' "$1" "$2" >lib/say.js
  (cd lib && npm publish "${@:4}")
}
publish base 1.2.3
publish @team/tool 1.0.0 '"base":"^1.2.0"'
publish @team/tool 2.0.0-rc.1 '' --tag next
must_fail publish base 1.2.3 2>refusal
grep -q 'previously published\|exists already' refusal
mkdir project && cd project
npm install @team/tool
[ "$(npx --no-install say)" = '@team/tool 1.0.0' ]
test -f node_modules/base/say.js
npm dist-tag add @team/tool@2.0.0-rc.1 latest
[ "$(npm view @team/tool version)" = 2.0.0-rc.1 ]
npm deprecate base@1.2.3 'use another'
npm view base deprecated | grep -q 'use another'
npm unpublish --force base@1.2.3
must_fail npm view base version
[ "$(npm whoami)" = "$OWNER" ]
