#!/bin/sh
# Runs the tests in a fresh clone with another version of Node, which comes from npm together with its headers.
# Usage: scripts/test-with-node.sh 22
set -eu

version=${1:?usage: scripts/test-with-node.sh VERSION}
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

package=node-$(node -p 'process.platform + "-" + process.arch')
mkdir "$work/node"
(cd "$work/node" && npm init -y >/dev/null && npm install --no-audit --no-fund --ignore-scripts --force "$package@$version")
home=$work/node/node_modules/$package
git clone -q "$root" "$work/clone"
cd "$work/clone"
export PATH="$home/bin:$PATH" npm_config_nodedir="$home"
echo "testing with Node $(node --version)"
npm ci --no-audit --no-fund
npm test
