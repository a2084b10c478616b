#!/usr/bin/env bash
# A release script as many projects have one for Zenodo: uploads files, and publishes them as a new
# version of a record, or as a new record. Prints the number of the published version.
#
#   ZENODO_TOKEN=… zenodo-release.sh METADATA.json FILE… [-- NUMBER]
#
# METADATA.json is what Zenodo's API takes: {"metadata": {"title": …}}. NUMBER is a published version.
# ZENODO_ENDPOINT is https://zenodo.org by default: see zenodo-rehearsal.sh for another one.
set -euo pipefail

endpoint=${ZENODO_ENDPOINT:-https://zenodo.org}/api/deposit/depositions

# Prints the answer; where it is an error, on standard error.
call() {
  local answer
  answer=$(curl --silent --show-error --fail-with-body \
    --header "Authorization: Bearer $ZENODO_TOKEN" "$@") || {
    printf '%s\n' "$answer" >&2
    return 1
  }
  printf '%s\n' "$answer"
}

metadata=$1
shift
files=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  files+=("$1")
  shift
done
previous=${2:-}

if [ -n "$previous" ]; then
  deposition=$(call --request POST "$endpoint/$previous/actions/newversion")
  draft=$(jq --raw-output .links.latest_draft <<<"$deposition")
  deposition=$(call "$draft")
else
  deposition=$(call --header 'Content-Type: application/json' --data '{}' "$endpoint")
fi
self=$(jq --raw-output .links.self <<<"$deposition")
bucket=$(jq --raw-output .links.bucket <<<"$deposition")

for file in "${files[@]}"; do
  name=$(jq --null-input --raw-output --arg name "$(basename "$file")" '$name | @uri')
  sum=$(call --upload-file "$file" "$bucket/$name" | jq --raw-output .checksum)
  [ "$sum" = "md5:$(md5sum <"$file" | cut -d ' ' -f 1)" ]
done
call --request PUT --header 'Content-Type: application/json' --data "@$metadata" "$self" >/dev/null
call --request POST "$self/actions/publish" | jq --raw-output .id
