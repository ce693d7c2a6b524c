# Pushes an image, copies it by tag and by digest, lists its tags and deletes one.
host=${BASE#http://}
host=${host%%/*}
image=docker://$host/$OWNER/clients/tool
copy() { skopeo --insecure-policy copy --quiet --src-tls-verify=false --dest-tls-verify=false "$@"; }
mkdir -p layout/blobs/sha256
add() {
  digest=$(sha256sum "$1" | cut -d' ' -f1)
  size=$(stat -c %s "$1")
  mv "$1" "layout/blobs/sha256/$digest"
}
echo hello >hello.txt
tar -czf layer hello.txt
diff=$(gunzip -c layer | sha256sum | cut -d' ' -f1)
add layer
layer="{\"mediaType\":\"application/vnd.oci.image.layer.v1.tar+gzip\",\"digest\":\"sha256:$digest\",\"size\":$size}"
printf '{"architecture":"amd64","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' "$diff" >config
add config
printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:%s","size":%s},"layers":[%s]}' \
  "$digest" "$size" "$layer" >manifest
add manifest
printf '{"schemaVersion":2,"manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:%s","size":%s,"annotations":{"org.opencontainers.image.ref.name":"1.0"}}]}' \
  "$digest" "$size" >layout/index.json
echo '{"imageLayoutVersion":"1.0.0"}' >layout/oci-layout
must_fail copy oci:layout:1.0 "$image:1.0" 2>refusal
copy --dest-creds "$OWNER:$TOKEN" oci:layout:1.0 "$image:1.0"
copy --dest-creds "$OWNER:$TOKEN" "$image:1.0" "$image:2.0"
copy "$image@sha256:$digest" oci:back:1.0
cmp "layout/blobs/sha256/$digest" "back/blobs/sha256/$digest"
skopeo list-tags --tls-verify=false "$image" >tags
grep -q '"1.0"' tags
grep -q '"2.0"' tags
skopeo delete --tls-verify=false --creds "$OWNER:$TOKEN" "$image:2.0"
must_fail copy "$image:2.0" oci:gone:2.0 2>refusal
