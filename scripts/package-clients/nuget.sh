# Pushes packages by nuget.exe on Mono, installs one with its dependency by version 3 of the protocol, and deletes a
# version. $NUGET is the path of nuget.exe, 5 or newer (npm install nuget-exe).
export HOME=$WORK MONO_TLS_PROVIDER=legacy
cat >NuGet.Config <<XML
<configuration>
  <packageSources><clear /><add key="ann" value="$BASE/nuget/index.json" protocolVersion="3" /></packageSources>
  <packageSourceCredentials><ann><add key="Username" value="$OWNER" />
    <add key="ClearTextPassword" value="$TOKEN" /></ann></packageSourceCredentials>
</configuration>
XML
nuget() { mono "$NUGET" "$@" -NonInteractive -ConfigFile NuGet.Config; }
build() {
  echo "$1 $2" >content.txt
  cat >"$1.nuspec" <<XML
<package><metadata><id>$1</id><version>$2</version><authors>Ann</authors><description>Text</description>
  <dependencies>$3</dependencies></metadata>
  <files><file src="content.txt" target="content" /></files></package>
XML
  mono "$NUGET" pack "$1.nuspec" -NonInteractive >pack.log
}
push() { nuget push "$1" "$TOKEN" -Source ann >push.log 2>&1; }
build Clients.Base 1.2.0 ''
build Clients.Tool 1.0.0 '<dependency id="Clients.Base" version="1.0.0" />'
build Clients.Tool 2.0.0-rc.1 ''
for file in *.nupkg; do push "$file" || { cat push.log; exit 1; }; done
must_fail push Clients.Base.1.2.0.nupkg
grep -qi 'conflict\|409\|exists' push.log
nuget install clients.tool -OutputDirectory installed >install.log
grep -q 'Clients.Base 1.2.0' installed/Clients.Base.1.2.0/content/content.txt
test -d installed/Clients.Tool.1.0.0
nuget install Clients.Tool -Version 2.0.0-rc.1 -OutputDirectory installed >install.log
test -d installed/Clients.Tool.2.0.0-rc.1
nuget list clients -Source ann >list.log
grep -q 'Clients.Tool 1.0.0' list.log
nuget list clients -Source ann -PreRelease >list.log
grep -q 'Clients.Tool 2.0.0-rc.1' list.log
nuget delete Clients.Tool 1.0.0 "$TOKEN" -Source ann >delete.log
must_fail nuget install Clients.Tool -Version 1.0.0 -OutputDirectory again -NoCache -DirectDownload >refusal 2>&1
