# Pushes an artifact, signs it and attests to it with a key, by tags and by referrers, and verifies all of it.
host=${BASE#http://}
host=${host%%/*}
image=$host/$OWNER/clients/cosign
export DOCKER_CONFIG=$WORK/docker COSIGN_PASSWORD=secret COSIGN_YES=true
mkdir "$DOCKER_CONFIG"
sign() { cosign sign --allow-http-registry --key cosign.key --tlog-upload=false "$@" >>sign.log 2>&1; }
verify() { cosign verify --allow-http-registry --key cosign.pub --insecure-ignore-tlog "$@" >verified 2>>verify.log; }
cosign generate-key-pair >key.log 2>&1
echo hello >hello.txt
upload() { cosign upload blob --allow-http-registry -f hello.txt "$image:1.0" 2>>upload.log; }
must_fail upload
echo "$TOKEN" | cosign login "$host" --username "$OWNER" --password-stdin >login.log 2>&1
upload >uploaded
digest=$(grep -o 'sha256:[0-9a-f]*' uploaded | tail -1)
must_fail verify "$image@$digest"
sign "$image@$digest"
verify "$image@$digest"
grep -q "$digest" verified
echo '{"spdxVersion":"SPDX-2.3"}' >sbom.json
cosign attest --allow-http-registry --key cosign.key --tlog-upload=false --type spdxjson --predicate sbom.json \
  "$image@$digest" >>sign.log 2>&1
cosign verify-attestation --allow-http-registry --key cosign.pub --insecure-ignore-tlog --type spdxjson \
  "$image@$digest" >attestation 2>>verify.log
grep -q payload attestation
cosign tree --allow-http-registry "$image@$digest" >tree
grep -q Signatures tree
# By the referrers API, without tags.
export COSIGN_EXPERIMENTAL=1
echo other >hello.txt
upload >uploaded
other=$(grep -o 'sha256:[0-9a-f]*' uploaded | tail -1)
sign --registry-referrers-mode=oci-1-1 "$image@$other"
verify --experimental-oci11 "$image@$other"
grep -q "$other" verified
