# Publishes two crates, one of which needs the other, builds a program with them, and yanks a version.
export CARGO_HOME=$WORK/home CARGO_REGISTRIES_ANN_INDEX=sparse+$BASE/cargo/ CARGO_REGISTRIES_ANN_TOKEN="Bearer $TOKEN"
create() {
  mkdir -p "$1/src"
  printf '[package]\nname = "%s"\nversion = "%s"\nedition = "2021"\nlicense = "MIT"\ndescription = "A crate"\n[dependencies]\n%s' \
    "$1" "$2" "${3:-}" >"$1/Cargo.toml"
  echo "pub fn version() -> &'static str { \"$2\" }" >"$1/src/lib.rs"
}
publish() { (cd "$1" && cargo publish --quiet --registry ann --allow-dirty); }
create clients-base 1.0.0
publish clients-base
must_fail publish clients-base 2>refusal
grep -q 'already' refusal
create clients-tool 2.0.0 'clients-base = { version = "1", registry = "ann" }'
publish clients-tool
mkdir -p program/src
printf '[package]\nname = "program"\nversion = "0.1.0"\nedition = "2021"\n' >program/Cargo.toml
echo 'fn main() { println!("{}", clients_tool::version()); }' >program/src/main.rs
(cd program && cargo add --quiet --registry ann clients-tool && cargo run --quiet >said)
grep -qx 2.0.0 program/said
cargo search --registry ann clients >found
grep -q '^clients-tool = "2.0.0"' found
cargo yank --quiet --registry ann --version 2.0.0 clients-tool
rm program/Cargo.lock
must_fail env --chdir program cargo build --quiet 2>refusal
grep -q 'clients-tool' refusal
