# Publishes a recipe with a package by Conan 2, installs it in an empty cache, lists and deletes revisions. With an old
# client in $CONAN1, does the same by the first protocol.
mkdir recipe && cd recipe
cat >conanfile.py <<'PYTHON'
try:
    from conan import ConanFile
except ImportError:
    from conans import ConanFile
import os
class Tool(ConanFile):
    name = "clientstool"
    version = "1.0"
    settings = "os"
    options = {"shared": [True, False]}
    default_options = {"shared": False}
    exports_sources = "answer.h"
    def package(self):
        with open(os.path.join(self.package_folder, "answer.h"), "w") as f:
            f.write("#define ANSWER 42\n")
PYTHON
echo '#define ANSWER 41' >answer.h
two() {
  export CONAN_HOME=$WORK/$1
  shift
  conan "$@" >>"$WORK/log" 2>&1 || { cat "$WORK/log"; return 1; }
}
two first profile detect
two first remote add --insecure ann "$BASE/conan"
two first remote login ann "$OWNER" --password "$TOKEN"
two first create .
two first create . --user team --channel stable
two first upload --remote ann --confirm --check 'clientstool/*'
# Nothing is sent again.
two first upload --remote ann --confirm 'clientstool/*'
two second profile detect
two second remote add --insecure ann "$BASE/conan"
two second install --remote ann --requires clientstool/1.0
find "$WORK/second" -name answer.h | xargs grep -q 'ANSWER 42'
conan list --remote ann --format json 'clientstool/1.0#latest:*#*' >"$WORK/list.json"
python3 - "$WORK/list.json" <<'PYTHON'
import json, sys
recipe = json.load(open(sys.argv[1]))["ann"]["clientstool/1.0"]["revisions"]
(package,) = next(iter(recipe.values()))["packages"].values()
assert package["info"]["options"] == {"shared": "False"}, package
assert len(package["revisions"]) == 1, package
PYTHON
conan search --remote ann 'clientstool/*@team/*' | grep -q 'clientstool/1.0@team/stable'
two first remove --remote ann --confirm 'clientstool/1.0:*'
two first remove --remote ann --confirm 'clientstool/1.0'
conan list --remote ann 'clientstool/*' >"$WORK/list"
grep -q 'clientstool/1.0@team/stable' "$WORK/list"
must_fail grep -qx ' *clientstool/1.0' "$WORK/list"

[ -n "${CONAN1:-}" ] || exit 0
one() {
  export CONAN_USER_HOME=$WORK/$1
  shift
  "$CONAN1" "$@" >>"$WORK/log" 2>&1 || { cat "$WORK/log"; return 1; }
}
one third remote add ann "$BASE/conan" False
one third user --password "$TOKEN" --remote ann "$OWNER"
one third create . old/stable
one third upload --remote ann --all --confirm 'clientstool/1.0@old/stable'
one fourth remote add ann "$BASE/conan" False
one fourth install --remote ann clientstool/1.0@old/stable
find "$WORK/fourth" -name answer.h | xargs grep -q 'ANSWER 42'
"$CONAN1" search --remote ann clientstool/1.0@old/stable | grep -q 'shared: False'
echo '#define ANSWER 40' >answer.h
one third create . old/stable
one third upload --remote ann --all --confirm --force 'clientstool/1.0@old/stable'
one third remove --remote ann --force 'clientstool/1.0@old/stable'
