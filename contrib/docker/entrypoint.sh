#!/bin/sh
# Starts the schedule of backups when BACKUP_CRON is set, then becomes mini-app-mcp with the arguments given.
#   BACKUP_CRON   five fields of cron, in UTC unless TZ says otherwise; needs --mcp-http and the MINI_APP_S3_ variables
#   BACKUP_ARGS   arguments of mini-app-backup, such as: --scope user
set -eu

# Files of a mounted directory stay those of its owner: root is only used to become that user.
data=${MINI_APP_DATA:-/data}
if [ "$(id -u)" = 0 ] && [ "$(stat -c %u "$data")" != 0 ]; then
  exec setpriv --reuid="$(stat -c %u "$data")" --regid="$(stat -c %g "$data")" --clear-groups --no-new-privs "$0" "$@"
fi

if [ -n "${BACKUP_CRON:-}" ]; then
  crontab=${BACKUP_CRONTAB:-/tmp/mini-app-crontab}
  printf '%s %s %s\n' "$BACKUP_CRON" /usr/local/bin/mini-app-backup "${BACKUP_ARGS:-}" >"$crontab"
  # Standard output may be the protocol, so the schedule writes to standard error.
  supercronic -passthrough-logs "$crontab" </dev/null >&2 &
fi

exec mini-app-mcp "$@"
