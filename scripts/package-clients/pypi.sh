# Uploads distributions of two projects, one of which needs the other, and installs them into an empty folder.
export TWINE_USERNAME=$OWNER TWINE_PASSWORD=$TOKEN PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CONFIG_FILE=/dev/null
build() {
  mkdir -p "$1"
  printf 'from setuptools import setup\nsetup(name="%s", version="%s", py_modules=["%s"], install_requires=[%s], python_requires=">=3.8")\n' \
    "$1" "$2" "${1//-/_}" "${3:-}" >"$1/setup.py"
  echo "VERSION = '$2'" >"$1/${1//-/_}.py"
  (cd "$1" && rm -rf dist && python3 setup.py --quiet sdist && pip --quiet wheel --no-deps --no-build-isolation --wheel-dir dist .) >build.log 2>&1
}
upload() { twine upload --non-interactive --disable-progress-bar --repository-url "$BASE/pypi" "$@"; }
build clients-base 1.0
upload clients-base/dist/*
must_fail upload clients-base/dist/* >refusal 2>&1
grep -q 409 refusal
build clients-tool 2.0 '"clients-base>=1.0"'
upload clients-tool/dist/*
pip install --quiet --target library --index-url "$BASE/pypi/simple/" --trusted-host localhost Clients.Tool
PYTHONPATH=library python3 -c 'import clients_base, clients_tool; assert (clients_base.VERSION, clients_tool.VERSION) == ("1.0", "2.0")'
pip download --quiet --no-deps --no-binary :all: --no-build-isolation --index-url "$BASE/pypi/simple/" clients-base
test -f clients?base-1.0.tar.gz
must_fail pip download --quiet --index-url "$BASE/pypi/simple/" clients-none 2>refusal
# For a wheel, pip fetches the metadata alone.
pip install --dry-run --verbose --target plan --index-url "$BASE/pypi/simple/" --trusted-host localhost clients-tool >plan.log
grep -q 'clients_tool-2.0-py3-none-any.whl.metadata' plan.log
