# Publishes a chart twice to the registry of charts and once to the container registry, and reads it from both.
export HELM_CACHE_HOME=$WORK/cache HELM_CONFIG_HOME=$WORK/config HELM_DATA_HOME=$WORK/data
host=${BASE#http://}
host=${host%%/*}
helm create clients >create.log
for version in 1.0.0 1.1.0-rc.1; do
  helm package clients --version "$version" --app-version "9.$version" >package.log
  curl --silent --fail --user "$OWNER:$TOKEN" --data-binary "@clients-$version.tgz" "$BASE/helm/api/charts"
done
must_fail curl --silent --fail --user "$OWNER:$TOKEN" --data-binary @clients-1.0.0.tgz "$BASE/helm/api/charts"
helm repo add ann "$BASE/helm" --username "$OWNER" --password "$TOKEN" >repo.log
helm search repo ann/clients | grep -q '1.0.0.*9.1.0.0'
helm search repo ann/clients --devel --versions >versions
grep -q '1.1.0-rc.1' versions
mkdir pulled pushed
helm pull ann/clients --destination pulled
cmp clients-1.0.0.tgz pulled/clients-1.0.0.tgz
helm template release ann/clients --version 1.1.0-rc.1 | grep -q 'helm.sh/chart: clients-1.1.0-rc.1'
# A chart that needs the other one.
helm create outer >>create.log
printf 'dependencies:\n  - name: clients\n    version: ^1.0.0\n    repository: %s\n' "$BASE/helm" >>outer/Chart.yaml
helm dependency update outer >dependency.log
test -f outer/charts/clients-1.0.0.tgz

must_fail helm push clients-1.0.0.tgz "oci://$host/$OWNER/charts" --plain-http >refusal 2>&1
echo "$TOKEN" | helm registry login "$host" --username "$OWNER" --password-stdin --plain-http >login.log 2>&1
for version in 1.0.0 1.1.0-rc.1; do
  helm push "clients-$version.tgz" "oci://$host/$OWNER/charts" --plain-http >push.log 2>&1
done
helm pull "oci://$host/$OWNER/charts/clients" --version '^1.0.0' --destination pushed --plain-http >pull.log 2>&1
cmp clients-1.0.0.tgz pushed/clients-1.0.0.tgz
helm show chart "oci://$host/$OWNER/charts/clients" --version 1.1.0-rc.1 --plain-http 2>show.log | grep -q 'appVersion: 9.1.1.0-rc.1'
