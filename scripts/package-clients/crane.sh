# Pushes an image with crane, refers to it with a bill of materials of oras, and reads both.
host=${BASE#http://}
host=${host%%/*}
image=$host/$OWNER/clients/crane
export DOCKER_CONFIG=$WORK/docker
mkdir "$DOCKER_CONFIG"
echo hello >hello.txt
tar -cf layer.tar hello.txt
append() { crane append --insecure --oci-empty-base --new_layer layer.tar --new_tag "$image:1.0"; }
must_fail append >refusal 2>&1
crane auth login --username "$OWNER" --password "$TOKEN" "$host"
append >pushed
crane tag --insecure "$image:1.0" latest
crane ls --insecure "$image" | sort >tags
printf '1.0\nlatest\n' | cmp - tags
crane validate --insecure --remote "$image:1.0"
crane export --insecure "$image:1.0" - | tar -xO hello.txt | grep -qx hello
crane catalog --insecure "$host" | grep -qx "$OWNER/clients/crane"
crane copy --insecure "$image:1.0" "$host/$OWNER/clients/copied:1.0"
digest=$(crane digest --insecure "$image:1.0")
crane delete --insecure "$image:latest"
crane ls --insecure "$image" | grep -qx 1.0
must_fail crane digest --insecure "$image:latest" 2>refusal
test "$digest" = "$(crane digest --insecure "$image@$digest")"
