# Runs the conformance suite of the OCI distribution specification, with what is optional, and fails if a test does.
GOBIN=$WORK go install github.com/opencontainers/distribution-spec/conformance@v0.0.0-20260831232431-97274622c111
host=${BASE#http://}
export OCI_REGISTRY=${host%%/*} OCI_TLS=disabled OCI_USERNAME=$OWNER OCI_PASSWORD=$TOKEN OCI_LOG=error
export OCI_REPO1=$OWNER/conformance/one OCI_REPO2=$OWNER/conformance/two OCI_RESULTS_DIR=$WORK/results
export OCI_API_BLOBS_DIGEST_HEADER=true OCI_API_BLOBS_UPLOAD_CANCEL=true OCI_API_MANIFESTS_DIGEST_HEADER=true
./conformance >suite.log 2>&1 || { cat suite.log; exit 1; }
grep -o ' status="[a-z]*"' results/junit.xml | sort | uniq -c
