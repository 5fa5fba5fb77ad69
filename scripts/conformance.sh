#!/bin/sh
# Runs the protocol's conformance suite, the scenarios that need no fixture of their own, against a server started here.
# The suite goes to a directory outside this repository: it is large, and one of its dependencies is an SDK.
# CONFORMANCE_SERVER: the command to test (default: node dist/main.js). CONFORMANCE_DIR: where the suite is kept.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
version=${CONFORMANCE_VERSION:-0.1.13}
suite=${CONFORMANCE_DIR:-${TMPDIR:-/tmp}/mini-app-mcp-conformance-$version}
server=${CONFORMANCE_SERVER:-node $root/dist/main.js}
# resources-subscribe and -unsubscribe are none of them: they name a resource of a fixture, and an unknown one is refused.
scenarios='server-initialize ping tools-list server-sse-multiple-streams resources-list dns-rebinding-protection'

if [ ! -d "$suite/node_modules/@modelcontextprotocol/conformance" ]; then
  mkdir -p "$suite"
  (cd "$suite" && npm init -y >/dev/null && npm install --no-audit --no-fund --ignore-scripts "@modelcontextprotocol/conformance@$version")
fi

work=$(mktemp -d)
pid=
finish() {
  [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT INT TERM

mkdir -p "$work/user/notes"
printf 'table: notes\nfields:\n  - { name: title, type: string, required: true }\n' >"$work/user/notes/schema.yaml"
cd "$root"
# shellcheck disable=SC2086
MINI_APP_USER_DIR="$work/user" MINI_APP_PROJECT_DIR="$work/project" MINI_APP_HTTP_TOKEN= \
  $server --mcp-http --bind 127.0.0.1:0 2>"$work/log" &
pid=$!
url=
for _ in $(seq 100); do
  address=$(sed -n 's/.*serving MCP over streamable HTTP at \/mcp addr=\([^ ]*\).*/\1/p' "$work/log")
  if [ -n "$address" ]; then url=http://$address/mcp && break; fi
  sleep 0.2
done
if [ -z "$url" ]; then
  cat "$work/log" >&2
  exit 1
fi

passed=0 failed=
for scenario in $scenarios; do
  if node "$suite/node_modules/@modelcontextprotocol/conformance/dist/index.js" server --url "$url" --scenario "$scenario" \
    >"$work/$scenario.txt" 2>&1; then
    passed=$((passed + 1))
    echo "passed $scenario"
  else
    failed="$failed $scenario"
    echo "failed $scenario"
    cat "$work/$scenario.txt"
  fi
done
total=$(echo $scenarios | wc -w | tr -d ' ')
echo "$passed of $total applicable scenarios passed; the others need tools, prompts or resources of a fixture server"
[ -z "$failed" ]
