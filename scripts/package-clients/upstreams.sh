# Publishes packages of one owner and installs them from the registries of another one, whose upstream it is.
api=${BASE%/packages/*}/v1 host=${BASE%/api/*} through=${BASE%/ann}/cache
upstream=${BASE/localhost/127.0.0.1}
for type in npm pypi/simple cargo go maven; do
  curl --silent --fail --output /dev/null --user "cache:$CACHE_TOKEN" --request PUT --header 'Content-Type: application/json' \
    --data "{\"url\": \"$upstream/$type\"}" "$api/packages/cache/-/upstreams/${type%/*}"
done

export npm_config_cache=$WORK/npm npm_config_userconfig=$WORK/npmrc npm_config_update_notifier=false
printf '//%s/:_authToken=%s\n' "${host#http://}/api/packages/ann/npm" "$TOKEN" >npmrc
mkdir lib project
echo '{"name":"upstream-lib","version":"1.0.0"}' >lib/package.json
(cd lib && npm publish --registry "$BASE/npm/")
rm -r npm
(cd project && npm install --registry "$through/npm/" upstream-lib)
test -f project/node_modules/upstream-lib/package.json

file=upstream_tool-1.0-py3-none-any.whl
python3 - "$file" <<'WHEEL'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    info = 'upstream_tool-1.0.dist-info/'
    wheel.writestr('upstream_tool.py', 'VERSION = "1.0"\n')
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\nName: upstream-tool\nVersion: 1.0\n')
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n')
    wheel.writestr(info + 'RECORD', f'upstream_tool.py,,\n{info}METADATA,,\n{info}WHEEL,,\n{info}RECORD,,\n')
WHEEL
curl --silent --fail --user "$OWNER:$TOKEN" --form name=upstream-tool --form version=1.0 --form "content=@$file" \
  --form "sha256_digest=$(sha256sum "$file" | cut -d ' ' -f 1)" "$BASE/pypi"
pip --no-cache-dir --disable-pip-version-check install --quiet --target library --index-url "$through/pypi/simple/" \
  --trusted-host localhost upstream-tool
test -f library/upstream_tool.py

export CARGO_HOME=$WORK/cargo CARGO_REGISTRIES_ANN_INDEX=sparse+$BASE/cargo/ CARGO_REGISTRIES_ANN_TOKEN="Bearer $TOKEN"
mkdir -p crate/src program/src
printf '[package]\nname = "upstream-crate"\nversion = "1.0.0"\nedition = "2021"\nlicense = "MIT"\ndescription = "A crate"\n' \
  >crate/Cargo.toml
echo 'pub fn version() -> u8 { 1 }' >crate/src/lib.rs
(cd crate && cargo publish --quiet --registry ann --allow-dirty)
printf '[package]\nname = "program"\nversion = "0.1.0"\nedition = "2021"\n' >program/Cargo.toml
echo 'fn main() { println!("{}", upstream_crate::version()); }' >program/src/main.rs
export CARGO_REGISTRIES_CACHE_INDEX=sparse+$through/cargo/
(cd program && cargo add --quiet --registry cache upstream-crate && cargo run --quiet >said)
grep -qx 1 program/said

export GONOSUMDB=example.test GOFLAGS=-mod=mod GOPATH=$WORK/gopath GOTOOLCHAIN=local
git init --quiet module
printf 'module example.test/upstream\n\ngo 1.21\n' >module/go.mod
git -C module add .
git -C module -c user.name=ann -c user.email=ann@example.test commit --quiet --message module
git -C module archive --format=zip --prefix=example.test/upstream@v1.0.0/ --output="$WORK/module.zip" HEAD
curl --silent --fail --user "$OWNER:$TOKEN" --upload-file module.zip "$BASE/go/upload"
mkdir user
(cd user && printf 'module example.test/user\n\ngo 1.21\n' >go.mod && GOPROXY=$through/go go get example.test/upstream@latest)
grep -q 'example.test/upstream v1.0.0' user/go.mod
go clean -modcache

# Maven reads a file and its checksum.
echo bytes >lib.txt
curl --silent --fail --user "$OWNER:$TOKEN" --upload-file lib.txt "$BASE/maven/test/lib/1.0/lib-1.0.txt"
curl --silent --fail --output copy.txt "$through/maven/test/lib/1.0/lib-1.0.txt"
cmp lib.txt copy.txt
