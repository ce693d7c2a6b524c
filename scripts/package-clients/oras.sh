# Pushes an artifact, attaches a bill of materials to it, finds that by the referrers API, and pulls both.
host=${BASE#http://}
host=${host%%/*}
artifact=$host/$OWNER/clients/oras
export DOCKER_CONFIG=$WORK/docker
mkdir "$DOCKER_CONFIG"
echo hello >hello.txt
echo '{"spdxVersion":"SPDX-2.3"}' >sbom.json
push() { oras push --plain-http --artifact-type application/vnd.example "$artifact:1.0" hello.txt:text/plain; }
must_fail push >refusal 2>&1
oras login --plain-http --username "$OWNER" --password "$TOKEN" "$host" >login 2>&1
push >pushed
oras attach --plain-http --artifact-type application/spdx+json "$artifact:1.0" sbom.json:application/json >attached
oras discover --plain-http --distribution-spec v1.1-referrers-api --artifact-type application/spdx+json \
  --format json "$artifact:1.0" >referrers
grep -q '"artifactType": *"application/spdx+json"' referrers
grep -o '"digest": *"sha256:[0-9a-f]*"' referrers | tail -1 | grep -o 'sha256:[0-9a-f]*' >digest
mkdir pulled attachment
oras pull --plain-http --output pulled "$artifact:1.0" >pull.log
cmp hello.txt pulled/hello.txt
oras pull --plain-http --output attachment "$artifact@$(cat digest)" >>pull.log
cmp sbom.json attachment/sbom.json
oras tag --plain-http "$artifact:1.0" 2.0 >tag.log
oras repo tags --plain-http "$artifact" >tags
grep -qx 2.0 tags
oras manifest delete --plain-http --force "$artifact:2.0" >delete.log
must_fail oras pull --plain-http "$artifact:2.0" >refusal 2>&1
