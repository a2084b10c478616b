#!/usr/bin/env bash
# Makes a draft of a folder and submits it for review, and prints the address of the draft. A person
# publishes it: a token with the scope deposit:write alone is enough here, and cannot publish.
#
#   DEPOSIT_URL=… DEPOSIT_TOKEN=… submit-for-review.sh DIR
#
# The service needs DEPOSIT_REVIEW=optional or required. A draft that the folder knows is taken back,
# brought level with the folder, and submitted again.
set -euo pipefail

folder=$1

if id=$(deposit show "$folder" --quiet 2>/dev/null); then
  deposit take-back "$id" --quiet >/dev/null 2>&1 || true # It may not be submitted.
  deposit sync "$folder" --delete --quiet >/dev/null
else
  id=$(deposit create "$folder" --quiet)
fi
deposit submit "$id" --template '{{.links.html}}'
