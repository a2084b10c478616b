#!/usr/bin/env bash
# Publishes a folder on Zenodo, as a record or as its next version, and prints the address of its DOI.
# First the same is done at a daemon of this job, whose interface is that of Zenodo: metadata that Zenodo
# would refuse end the job there, and nothing has left the machine. The plan of the second push holds the
# files against the limits of Zenodo.
#
#   DEPOSIT_REMOTE_ZENODO_TOKEN=… push-to-zenodo.sh DIR
#
# DIR.pushed says which record the folder has there: keep it from run to run. ZENODO_URL is
# https://zenodo.org by default.
set -euo pipefail

folder=${1%/}
options=(--publish --yes --new-version --flatten dash)

work=$(mktemp --directory)
export DEPOSIT_HOME=$work/home XDG_CONFIG_HOME=$work/config
trap 'deposit daemon stop >/dev/null; rm -rf "$work"' EXIT

DEPOSIT_REMOTE_REHEARSAL_TOKEN=$(deposit token create --name rehearsal \
  --scope 'deposit:write deposit:actions' --expires 1d)
export DEPOSIT_REMOTE_REHEARSAL_TOKEN
url=$(deposit daemon status)/zenodo
deposit remote add rehearsal --kind zenodo --url "$url" </dev/null >/dev/null
deposit push "$folder" --to rehearsal --journal "$work/journal" "${options[@]}" >/dev/null

deposit remote add zenodo --kind zenodo --url "${ZENODO_URL:-https://zenodo.org}" </dev/null >/dev/null
deposit push "$folder" --to zenodo --journal "$folder.pushed" "${options[@]}"
