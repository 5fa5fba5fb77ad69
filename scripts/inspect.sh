#!/bin/sh
# The strict lint of the Inspector over the tools that the built program publishes, in both protocol eras: any error or
# warning fails. The Inspector goes to a directory outside this repository: one of its dependencies is an SDK.
# INSPECT_SERVER: the command to test (default: node dist/main.js). INSPECT_DIR: where the Inspector is kept.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
version=${INSPECT_VERSION:-2.12.0}
kept=${INSPECT_DIR:-${TMPDIR:-/tmp}/mini-app-mcp-inspector-$version}
server=${INSPECT_SERVER:-node $root/dist/main.js}

if [ ! -x "$kept/node_modules/.bin/inspector" ]; then
  mkdir -p "$kept"
  (cd "$kept" && npm init -y >/dev/null && npm install --no-audit --no-fund --ignore-scripts "@modelcontextprotocol/inspector@$version")
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
mkdir -p "$work/user/notes" "$work/project"
printf 'table: notes\nfields:\n  - { name: title, type: string, required: true }\n' >"$work/user/notes/schema.yaml"
export MINI_APP_USER_DIR="$work/user" MINI_APP_PROJECT_DIR="$work/project"

failed=
for era in legacy modern; do
  status=0
  # shellcheck disable=SC2086
  "$kept/node_modules/.bin/inspector" --cli $server --mcp --protocol-era "$era" \
    --method tools/list --strict --format json -q >"$work/$era.json" 2>"$work/$era.txt" || status=$?
  # Findings stand beside the result; a listing of no tools would have none either.
  count='const { result, schemaFindings = [] } = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
    console.log(schemaFindings.length === 0 ? result.tools.length : 0)'
  tools=$(node -e "$count" "$work/$era.json") || tools=0
  if [ "$status" = 0 ] && [ ! -s "$work/$era.txt" ] && [ "$tools" -gt 0 ]; then
    echo "passed $era: $tools tools, 0 errors, 0 warnings"
  else
    failed="$failed $era"
    echo "failed $era: exit $status"
    cat "$work/$era.txt"
  fi
done
[ -z "$failed" ]
