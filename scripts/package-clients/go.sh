# Publishes two versions of a module whose path has a capital, and builds a program that uses them.
export GOPROXY=$BASE/go GONOSUMDB=example.test GOFLAGS=-mod=mod GOPATH=$WORK/gopath GOTOOLCHAIN=local
git init --quiet lib
publish() {
  printf 'module example.test/Team/lib\n\ngo 1.21\n' >lib/go.mod
  printf 'package lib\n\nconst Version = "%s"\n' "$1" >lib/lib.go
  git -C lib add .
  git -C lib -c user.name=ann -c user.email=ann@example.test commit --quiet --message "$1"
  git -C lib archive --format=zip --prefix="example.test/Team/lib@$1/" --output="$WORK/lib.zip" HEAD
  curl --silent --fail --user "$OWNER:$TOKEN" --upload-file lib.zip "$BASE/go/upload"
}
publish v1.0.0
publish v1.1.0
mkdir program
cd program
printf 'module example.test/program\n\ngo 1.21\n' >go.mod
printf 'package main\n\nimport "example.test/Team/lib"\n\nfunc main() { println(lib.Version) }\n' >main.go
go get example.test/Team/lib@v1.0.0
go run . 2>said
grep -qx v1.0.0 said
go get example.test/Team/lib@latest
go run . 2>said
grep -qx v1.1.0 said
go list -m -versions example.test/Team/lib >versions
grep -q 'v1.0.0 v1.1.0' versions
must_fail go get example.test/Team/none@v1.0.0 2>refusal
grep -q 404 refusal
go clean -modcache
