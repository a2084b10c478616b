#!/usr/bin/env bash
# Tests a release script for Zenodo against a daemon of this job, in place of Zenodo's sandbox. The
# daemon starts by itself in a folder of its own, and nothing leaves the machine.
#
#   zenodo-rehearsal.sh COMMAND…
set -euo pipefail

DEPOSIT_HOME=$(mktemp --directory)
export DEPOSIT_HOME
trap 'deposit daemon stop >/dev/null; rm -rf "$DEPOSIT_HOME"' EXIT

ZENODO_TOKEN=$(deposit token create --name rehearsal --scope 'deposit:write deposit:actions' --expires 1d)
ZENODO_ENDPOINT=$(deposit daemon status)/zenodo
export ZENODO_TOKEN ZENODO_ENDPOINT
"$@"
