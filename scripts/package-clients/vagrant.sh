# Publishes two versions of a box and lets Vagrant add the newest one, which it checks by its sum, and find the update of
# an older one. No machine is started.
export VAGRANT_HOME=$WORK/home VAGRANT_CHECKPOINT_DISABLE=1 VAGRANT_DEFAULT_PROVIDER=virtualbox
for version in 1.0.0 1.1.0; do
  mkdir -p box
  echo '{"provider": "virtualbox"}' >box/metadata.json
  echo "Vagrant.configure('2') { |config| } # $version" >box/Vagrantfile
  tar -C box -czf tool.box ./Vagrantfile ./metadata.json
  curl --silent --fail --user "$OWNER:$TOKEN" --upload-file tool.box "$BASE/vagrant/tool/$version/virtualbox.box"
done
vagrant box add --provider virtualbox --box-version 1.0.0 "$BASE/vagrant/tool" >add.log
vagrant box outdated --global >outdated.log
grep -q "1.1.0" outdated.log
vagrant box update --box tool --provider virtualbox >update.log
vagrant box list >list.log
grep -q 'tool *(virtualbox, 1.1.0)' list.log
