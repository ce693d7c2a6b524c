# Publishes two packages, one of which imports the other, and installs both by R.
export R_LIBS_USER=$WORK/library
mkdir library
build() {
  mkdir -p "$1/R"
  printf 'Package: %s\nVersion: %s\nTitle: A Package\nDescription: It is a package.\nLicense: MIT\nAuthor: A\n%s' \
    "$1" "$2" "${3:-}" >"$1/DESCRIPTION"
  printf 'Maintainer: A <a@example.test>\n' >>"$1/DESCRIPTION"
  echo 'export(answer)' >"$1/NAMESPACE"
  echo "answer <- function() '$2'" >"$1/R/answer.R"
  R CMD build "$1" >build.log
  curl --silent --fail --user "$OWNER:$TOKEN" --upload-file "$1_$2.tar.gz" "$BASE/cran/src"
  rm "$1_$2.tar.gz"
}
build clientsbase 1.9
build clientsbase 1.10
build clientstool 2.0 $'Imports: clientsbase (>= 1.10)\n'
Rscript -e "install.packages('clientstool', repos = '$BASE/cran', lib = 'library')" >install.log 2>&1
Rscript -e 'stopifnot(clientsbase::answer() == "1.10", clientstool::answer() == "2.0")'
Rscript -e "stopifnot(nrow(available.packages(repos = '$BASE/cran')) == 2)"
