# Deploys releases, a snapshot twice and refuses a release the second time, then resolves them from an empty repository.
cat >settings.xml <<XML
<settings><servers>
  <server><id>ann</id><username>$OWNER</username><password>$TOKEN</password></server>
  <server><id>header</id><configuration><httpHeaders><property>
    <name>Authorization</name><value>token $TOKEN</value></property></httpHeaders></configuration></server>
</servers></settings>
XML
maven() { mvn --batch-mode --quiet --settings settings.xml -Dmaven.repo.local="$WORK/$1" "${@:2}"; }
deploy() {
  echo "tool $2" >tool.jar
  maven "$1" deploy:deploy-file -DrepositoryId="$3" -Durl="$BASE/maven" -Dfile=tool.jar -Dpackaging=jar \
    -DgroupId=org.acme -DartifactId=tool -Dversion="$2"
}
resolve() {
  maven "$1" dependency:get -Dtransitive=false -Dartifact="org.acme:tool:$2" -DremoteRepositories="ann::::$BASE/maven"
}
deploy publisher 1.0 ann
deploy publisher 1.1 header
must_fail deploy publisher 1.0 ann >refusal
grep -q 409 refusal
deploy publisher 1.2-SNAPSHOT ann
deploy publisher 1.2-SNAPSHOT ann
resolve reader 1.0
grep -q 'tool 1.0' reader/org/acme/tool/1.0/tool-1.0.jar
resolve reader RELEASE
test -f reader/org/acme/tool/1.1/tool-1.1.jar
resolve reader 1.2-SNAPSHOT
grep -q 'tool 1.2' reader/org/acme/tool/1.2-SNAPSHOT/tool-1.2-SNAPSHOT.jar

# A plugin, which is then found by its prefix.
mkdir plugin
cat >plugin/pom.xml <<XML
<project><modelVersion>4.0.0</modelVersion><groupId>org.acme</groupId><artifactId>say-maven-plugin</artifactId>
  <version>1.0</version><packaging>pom</packaging></project>
XML
maven publisher deploy:deploy-file -DrepositoryId=ann -Durl="$BASE/maven" -Dfile=plugin/pom.xml \
  -DpomFile=plugin/pom.xml
curl --silent --fail --user "$OWNER:$TOKEN" --upload-file - "$BASE/maven/org/acme/maven-metadata.xml" <<XML
<metadata><plugins><plugin><name>Say</name><prefix>say</prefix><artifactId>say-maven-plugin</artifactId></plugin>
</plugins></metadata>
XML
curl --silent --fail "$BASE/maven/org/acme/maven-metadata.xml" | grep -q '<prefix>say</prefix>'
