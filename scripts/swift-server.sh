#!/usr/bin/env bash
# A second real S3 server on loopback, of another make: OpenStack Swift with its S3 interface.
# Needs Debian's packages swift-proxy, swift-account, swift-container and swift-object.
#
#   swift-server.sh start DIR PORT   starts it, its services on PORT+1 to PORT+3; returns when it answers (10 s)
#   swift-server.sh stop DIR         stops what was started from DIR
#
# Access key test:tester, secret testing.
set -euo pipefail

main() {
  case "${1:-}" in
    start) start "${2:?a directory}" "${3:?a port}" ;;
    stop) stop "${2:?a directory}" ;;
    *) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2 && exit 1 ;;
  esac
}

start() {
  local dir=$1 port=$2 offset=0 service
  rm -rf "$dir"
  mkdir -p "$dir"/{etc,srv/d1,run}
  printf '[swift-hash]\nswift_hash_path_suffix = test\nswift_hash_path_prefix = test\n' >"$dir/etc/swift.conf"
  printf '[storage-policy:0]\nname = default\ndefault = yes\n' >>"$dir/etc/swift.conf"
  for service in account container object; do
    offset=$((offset + 1))
    build_ring "$dir" "$service" $((port + offset))
    service_config "$dir" "$service" $((port + offset)) >"$dir/etc/$service.conf"
    run "$dir" "$service" "swift-$service-server"
  done
  proxy_config "$dir" "$port" >"$dir/etc/proxy.conf"
  run "$dir" proxy swift-proxy-server
  wait_for "http://127.0.0.1:$port/healthcheck" && return 0
  tail -n 20 "$dir"/run/*.log >&2
  stop "$dir"
  return 1
}

build_ring() {
  (
    cd "$1/etc"
    swift-ring-builder "$2.builder" create 4 1 0
    swift-ring-builder "$2.builder" add "r1z1-127.0.0.1:$3/d1" 1
    swift-ring-builder "$2.builder" rebalance
  ) >/dev/null
}

run() {
  "$3" "$1/etc/$2.conf" >"$1/run/$2.log" 2>&1 </dev/null &
  echo $! >"$1/run/$2.pid"
}

wait_for() {
  for _ in $(seq 200); do
    curl -sf -o /dev/null "$1" && return 0
    sleep 0.1
  done
  return 1
}

stop() {
  local pid
  for pid in "$1"/run/*.pid; do
    [ -s "$pid" ] && { kill "$(cat "$pid")" 2>/dev/null || true; }
  done
  rm -rf "$1"
}

service_config() {
  cat <<CONF
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $3
user = $(id -un)
swift_dir = $1/etc
devices = $1/srv
mount_check = false
workers = 0
log_address = /dev/null
[pipeline:main]
pipeline = $2-server
[app:$2-server]
use = egg:swift#$2
CONF
}

proxy_config() {
  cat <<CONF
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $2
user = $(id -un)
swift_dir = $1/etc
workers = 0
log_address = /dev/null
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats s3api tempauth proxy-server
[app:proxy-server]
use = egg:swift#proxy
# A busy machine is slow, not broken: Swift gives a node half a second by default.
conn_timeout = 10
node_timeout = 60
recoverable_node_timeout = 60
account_autocreate = true
allow_account_management = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin .reseller_admin
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
location = us-east-1
check_bucket_owner = false
CONF
}

main "$@"
