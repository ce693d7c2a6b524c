# Creates a state, reads it as another working copy, changes it, and waits for a lock that somebody else holds.
export TF_CLI_CONFIG_FILE=$WORK/terraformrc TF_IN_AUTOMATION=1 CHECKPOINT_DISABLE=1
export TF_HTTP_USERNAME=$OWNER TF_HTTP_PASSWORD=$TOKEN
touch terraformrc
state=$BASE/terraform/state/prod
project() {
  mkdir "$1"
  cat >"$1/main.tf" <<HCL
terraform {
  backend "http" {
    address        = "$state"
    lock_address   = "$state/lock"
    unlock_address = "$state/lock"
    lock_method    = "POST"
    unlock_method  = "DELETE"
  }
}
resource "terraform_data" "one" { input = "$2" }
output "value" { value = terraform_data.one.output }
HCL
  terraform -chdir="$1" init -input=false
}
project first one
terraform -chdir=first apply -auto-approve -input=false
project second two
terraform -chdir=second output -raw value | grep -qx one
terraform -chdir=second apply -auto-approve -input=false
terraform -chdir=first refresh -input=false
terraform -chdir=first output -raw value | grep -qx two
curl --fail --silent --user "$OWNER:$TOKEN" --data '{"ID":"5e7ca1e6-0000-4000-8000-000000000001","Who":"somebody"}' "$state/lock"
must_fail terraform -chdir=first apply -auto-approve -input=false >locked 2>&1
grep -q ID=5e7ca1e6 locked
terraform -chdir=first force-unlock -force 5e7ca1e6-0000-4000-8000-000000000001
terraform -chdir=first apply -auto-approve -input=false
curl --fail --silent --user "$OWNER:$TOKEN" "$state" | grep -q '"value": "one"'
