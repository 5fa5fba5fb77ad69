#!/bin/sh
# Runs the protocol's conformance suite against a server started here: the scenarios, or the checks of a scenario, that need
# no fixture of their own.
# Usage: scripts/conformance.sh [2025-11-25 | 2026-07-28]
# The suite goes to a directory outside this repository: it is large, and one of its dependencies is an SDK. The one for
# 2026-07-28 takes Node 22 or newer; with an older one its Node comes from npm.
# CONFORMANCE_SERVER: the command to test (default: node dist/main.js). CONFORMANCE_DIR: where the suite is kept.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
revision=${1:-2025-11-25}
# What fails for want of a fixture: of 2025-11-25 the other scenarios; resources-subscribe and -unsubscribe too, which name
# a resource of a fixture. Of 2026-07-28 the checks that call diagnostic tools, and one that lists prompts.
case $revision in
2025-11-25)
  version=0.1.13
  scenarios='server-initialize ping tools-list server-sse-multiple-streams resources-list dns-rebinding-protection'
  excused=
  ;;
2026-07-28)
  version=0.2.0-alpha.12
  scenarios='server-stateless tools-list server-sse-multiple-streams resources-list sep-2164-resource-not-found
    dns-rebinding-protection caching http-header-validation'
  excused='sep-2575-server-rejects-undeclared-capability sep-2575-missing-capability-http-400
    sep-2575-http-server-no-independent-requests-on-stream sep-2575-server-no-log-without-loglevel
    sep-2549-prompts-list-caching-hints'
  ;;
*)
  echo "there is no suite for $revision; take 2025-11-25 or 2026-07-28" >&2
  exit 2
  ;;
esac
suite=${CONFORMANCE_DIR:-${TMPDIR:-/tmp}/mini-app-mcp-conformance-$version}
server=${CONFORMANCE_SERVER:-node $root/dist/main.js}

if [ ! -d "$suite/node_modules/@modelcontextprotocol/conformance" ]; then
  mkdir -p "$suite"
  (cd "$suite" && npm init -y >/dev/null && npm install --no-audit --no-fund --ignore-scripts "@modelcontextprotocol/conformance@$version")
fi

node=node
if [ "$revision" = 2026-07-28 ] && ! node -e 'process.exit(require("fs").globSync ? 0 : 1)'; then
  package=node-$(node -p 'process.platform + "-" + process.arch')
  node=$suite/node_modules/$package/bin/node
  [ -x "$node" ] || (cd "$suite" && npm install --no-audit --no-fund --ignore-scripts "$package@24")
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
MINI_APP_USER_DIR="$work/user" MINI_APP_PROJECT_DIR="$work/project" MINI_APP_HTTP_TOKEN="" \
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

run_scenario() {
  # The first suite knows one revision only.
  [ "$revision" = 2025-11-25 ] || set -- "$1" --spec-version "$revision"
  "$node" "$suite/node_modules/@modelcontextprotocol/conformance/dist/index.js" server --url "$url" --scenario "$@"
}

# The checks that failed in an output and are not excused, one per line.
failed_checks() {
  sed 's/\x1b\[[0-9;]*m//g' "$1" | sed -n 's/^[0-9TZ:.-]* \[\([^] ]*\) *\] FAILURE .*/\1/p' | while read -r check; do
    # shellcheck disable=SC2086
    printf '%s\n' $excused | grep -qx -- "$check" || echo "$check"
  done
}

passed=0 failed=
for scenario in $scenarios; do
  output=$work/$scenario.txt
  if run_scenario "$scenario" >"$output" 2>&1; then
    result=passed
  elif grep -q 'FAILURE' "$output" && [ -z "$(failed_checks "$output")" ]; then
    result='passed, but for checks of a fixture'
  else
    failed="$failed $scenario"
    echo "failed $scenario: $(failed_checks "$output" | tr '\n' ' ')"
    cat "$output"
    continue
  fi
  passed=$((passed + 1))
  echo "$scenario: $result"
done
# shellcheck disable=SC2086
total=$(printf '%s\n' $scenarios | wc -l | tr -d ' ')
echo "$revision: $passed of $total applicable scenarios passed; the others need tools, prompts or resources of a fixture server"
[ -z "$failed" ]
