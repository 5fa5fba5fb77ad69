#!/usr/bin/env bash
# Asks a running mini-app-mcp over HTTP to snapshot its tables and to upload the snapshots to S3. Made for cron:
#
#   0 3 * * * /path/to/mini-app-backup.sh
#
# Usage: mini-app-backup.sh [--dry-run] [--table NAME] [--scope user|project]
# Environment: MINI_APP_URL (default http://127.0.0.1:8484/mcp), MINI_APP_HTTP_TOKEN when the server wants one.
# The settings of the upload are the server's. Needs curl and jq.
# Exit code: 0 done; 1 arguments, a missing program or no answer; 2 the server refused; 3 an upload failed, the
# snapshots stand. A summary goes to standard output, everything else to standard error.
set -euo pipefail

url=${MINI_APP_URL:-http://127.0.0.1:8484/mcp}
arguments='{"upload":true}'
session='' protocol=''

main() {
  need curl
  need jq
  read_arguments "$@"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  open_session
  local answer
  answer=$(request 2 tools/call "$(jq -cn --argjson a "$arguments" '{name:"data_snapshot",arguments:$a}')")
  close_session
  report "$answer"
}

read_arguments() {
  while [ $# -gt 0 ]; do
    case $1 in
      --dry-run) set_argument dry_run true ;;
      --table)
        [ -n "${2:-}" ] || fail 1 '--table needs a name'
        set_argument table "$(quoted "$2")" && shift
        ;;
      --scope)
        case ${2:-} in user | project) ;; *) fail 1 '--scope is user or project' ;; esac
        set_argument scope "$(quoted "$2")" && shift
        ;;
      -h | --help) sed -n '2,13s/^# \{0,1\}//p' "$0" && exit 0 ;;
      *) fail 1 "unknown argument: $1" ;;
    esac
    shift
  done
}

open_session() {
  local hello client='{"name":"mini-app-backup","version":"1"}'
  hello=$(request 1 initialize "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":$client}")
  session=$(sed -n 's/\r$//; s/^[Mm][Cc][Pp]-[Ss]ession-[Ii]d: *//p' "$work/head" | tail -n 1)
  [ -n "$session" ] || fail 1 'the server opened no session'
  protocol=$(jq -er .result.protocolVersion <<<"$hello") || fail 1 'the server did not answer initialize'
  post '{"jsonrpc":"2.0","method":"notifications/initialized"}' >/dev/null
}

# A server that keeps no list of sessions is none the worse for it.
close_session() {
  curl_server --request DELETE --output /dev/null 2>/dev/null || true
}

# Prints the answer to a request, be it a document or a stream of events.
request() {
  local body
  body=$(post "$(jq -cn --argjson id "$1" --arg method "$2" --argjson params "$3" \
    '{jsonrpc:"2.0",id:$id,method:$method,params:$params}')") || exit
  grep -q '^data:' <<<"$body" && body=$(sed -n 's/\r$//; s/^data: \{0,1\}//p' <<<"$body")
  jq -ces --argjson id "$1" 'map(select(.id == $id)) | last // empty' <<<"$body" 2>/dev/null ||
    fail 1 "no answer to $2"
}

post() {
  local status
  status=$(curl_server --data-binary @- --output "$work/body" --dump-header "$work/head" \
    --write-out '%{http_code}' <<<"$1") || fail 1 "cannot reach $url"
  case $status in
    2??) cat "$work/body" ;;
    *) fail 1 "HTTP $status: $(head -c 300 "$work/body")" ;;
  esac
}

# The token goes in by a file, so that no list of processes shows it.
curl_server() {
  local headers=(--header 'Content-Type: application/json' --header 'Accept: application/json, text/event-stream')
  [ -n "$session" ] && headers+=(--header "Mcp-Session-Id: $session" --header "MCP-Protocol-Version: $protocol")
  if [ -n "${MINI_APP_HTTP_TOKEN:-}" ]; then
    (umask 077 && printf 'Authorization: Bearer %s\n' "$MINI_APP_HTTP_TOKEN" >"$work/token")
    headers+=(--header "@$work/token")
  fi
  curl --silent --show-error --connect-timeout 10 --max-time 3600 "${headers[@]}" "$@" "$url"
}

report() {
  local message result
  message=$(jq -r '.error.message // empty' <<<"$1")
  [ -z "$message" ] || fail 2 "$message"
  result=$(jq -r '.result.content[0].text' <<<"$1")
  [ "$(jq -r '.result.isError // false' <<<"$1")" = false ] || fail 2 "$result"
  jq -c . <<<"$result" 2>/dev/null || fail 1 'the server sent no JSON'
  [ "$(jq '.upload_errors // [] | length' <<<"$result")" = 0 ] ||
    fail 3 "uploads failed: $(jq -r '[.upload_errors[] | "\(.table): \(.error)"] | join("; ")' <<<"$result")"
}

set_argument() {
  arguments=$(jq -c --arg name "$1" --argjson value "$2" '.[$name] = $value' <<<"$arguments")
}

quoted() { jq -n --arg text "$1" '$text'; }

need() { command -v "$1" >/dev/null || fail 1 "$1 is not installed"; }

fail() {
  printf 'mini-app-backup: %s\n' "$2" >&2
  exit "$1"
}

main "$@"
