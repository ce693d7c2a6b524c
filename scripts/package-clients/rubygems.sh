# Publishes gems, one of them a prerelease, installs one with its dependency, reads the index of old clients, and
# deletes a version.
export HOME=$WORK GEM_HOME=$WORK/installed
mkdir -p .gem lib
echo 'Tee = 1' >lib/tee.rb
printf -- '---\n:ann: Bearer %s\n' "$TOKEN" >.gem/credentials
chmod 600 .gem/credentials
build() {
  cat >"$1.gemspec" <<RUBY
Gem::Specification.new do |s|
  s.name, s.version, s.summary, s.authors = '$1', '$2', 'Summary', ['Ann']
  s.files = ['lib/tee.rb']
  s.required_ruby_version = '>= 2.0'
  $3
end
RUBY
  gem build --quiet "$1.gemspec"
  gem push --key ann --host "$BASE/rubygems" "$1-$2.gem"
  # Otherwise gem would install this file.
  rm "$1-$2.gem"
}
build base 1.2.3 ''
build tee 1.0.0 "s.add_dependency 'base', '~> 1.2', '>= 1.2.3'"
build tee 2.0.0.pre1 ''
gem install --clear-sources --source "$BASE/rubygems" tee
gem list --exact tee | grep -q 'tee (1.0.0)'
gem list --exact base | grep -q 'base (1.2.3)'
gem search --clear-sources --source "$BASE/rubygems" --remote --prerelease tee | grep -q 2.0.0.pre1
ruby -rzlib -rrubygems -ropen-uri -e '
  spec = Marshal.load(Zlib::Inflate.inflate(URI.open("#{ARGV[0]}/rubygems/quick/Marshal.4.8/tee-1.0.0.gemspec.rz", &:read)))
  abort spec.inspect unless spec.dependencies.map(&:to_s) == ["base (~> 1.2, >= 1.2.3)"] && spec.summary == "Summary" &&
    spec.required_ruby_version.to_s == ">= 2.0" && spec.platform == "ruby"' "$BASE"
GEM_HOST_API_KEY="Bearer $TOKEN" gem yank --host "$BASE/rubygems" tee --version 1.0.0
must_fail env GEM_HOME=$WORK/empty gem install --clear-sources --source "$BASE/rubygems" tee --version 1.0.0
