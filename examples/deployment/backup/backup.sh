#!/bin/sh
# Backs up the rows: `backup.sh FOLDER`, with the PG* variables of PostgreSQL's own programs. The bytes
# are backed up by the versioning of the bucket; depositd-deployment(8) says how the two go together.
set -eu
umask 077
folder=${1:?usage: backup.sh FOLDER}
keep_days=${DEPOSIT_BACKUP_DAYS:-30}

name=deposit-$(date -u +%Y%m%dT%H%M%SZ).dump
part=$folder/.$name.incomplete
trap 'rm -f "$part"' EXIT

# One snapshot of all rows, while the daemons run.
pg_dump --format=custom --no-owner --no-privileges --file="$part"
# Check that it can be read to its end.
pg_restore --file=/dev/null "$part"
sync "$part"
mv "$part" "$folder/$name"
sync "$folder"

find "$folder" -maxdepth 1 -name 'deposit-*.dump' -mtime +"$keep_days" -delete
# Metrics show the age of these files: `last-backup` in the home of each daemon, with spaces between.
for stamp in ${DEPOSIT_BACKUP_STAMPS:-}; do
  touch "$stamp" || echo "$stamp could not be touched: metrics will tell of an old backup" >&2
done
echo "$folder/$name"
