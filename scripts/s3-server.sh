#!/usr/bin/env bash
# A real S3 server on loopback for the tests: Ceph's object gateway with one monitor and one store in memory.
# Needs Debian's packages ceph-mon, ceph-osd, radosgw and ceph-common.
#
#   s3-server.sh start DIR PORT   starts it, its monitor on PORT+1; returns when it answers (12 s)
#   s3-server.sh stop DIR         stops what was started from DIR
#
# Access key TESTACCESSKEY, secret TESTSECRETKEY; also reachable as s3.localhost, with a bucket's name in front.
# Nothing survives a stop.
set -euo pipefail

main() {
  case "${1:-}" in
    start) start "${2:?a directory}" "${3:?a port}" ;;
    launch) launch "$2" "$3" ;;
    stop) stop "${2:?a directory}" ;;
    *) sed -n '2,10s/^# \{0,1\}//p' "$0" >&2 && exit 1 ;;
  esac
}

start() {
  local dir=$1 port=$2
  rm -rf "$dir"
  mkdir -p "$dir"/{mon,osd,run,log,rgw}
  write_config "$dir" "$port" >"$dir/ceph.conf"
  # A process of its own, so that the daemons keep none of the caller's pipes open.
  "$0" launch "$dir" "$port" >"$dir/log/start.log" 2>&1 </dev/null && return 0
  tail -n 20 "$dir/log/start.log" >&2
  stop "$dir"
  return 1
}

launch() {
  local conf=$1/ceph.conf
  start_store "$1" "$2"
  radosgw -c "$conf" -n client.rgw
  radosgw-admin -c "$conf" -n client.rgw user create --uid test --display-name test \
    --access-key TESTACCESSKEY --secret TESTSECRETKEY
  wait_for "http://127.0.0.1:$2/"
}

start_store() {
  local dir=$1 conf=$1/ceph.conf monitor="[v1:127.0.0.1:$(($2 + 1))]"
  monmaptool --create --fsid "$fsid" --addv a "$monitor" "$dir/monmap"
  ceph-mon -i a -c "$conf" --mkfs --monmap "$dir/monmap"
  ceph-mon -i a -c "$conf"
  once_ready ceph -c "$conf" osd new "$osd" 0
  ceph-osd -i 0 -c "$conf" --mkfs --osd-uuid "$osd"
  once_ready ceph-osd -i 0 -c "$conf"
}

# A client that meets the monitor before it has read the monitor's map gives up (or is refused with EPERM).
once_ready() {
  for _ in $(seq 10); do
    "$@" && return 0
    sleep 1
  done
  return 1
}

wait_for() {
  for _ in $(seq 100); do
    curl -sf -o /dev/null "$1" && return 0
    sleep 0.1
  done
  return 1
}

# The gateway first: without its store it hangs on the way out.
stop() {
  local name
  for name in client.rgw osd.0 mon.a; do
    [ -s "$1/run/$name.pid" ] && end "$(cat "$1/run/$name.pid")"
  done
  rm -rf "$1"
}

end() {
  kill "$1" 2>/dev/null || return 0
  for _ in $(seq 50); do
    kill -0 "$1" 2>/dev/null || return 0
    sleep 0.1
  done
  kill -9 "$1" 2>/dev/null || true
}

fsid=11111111-2222-4333-8444-555555555555
osd=22222222-2222-4333-8444-555555555555

write_config() {
  local dir=$1 port=$2
  cat <<CONF
[global]
fsid = $fsid
mon initial members = a
mon host = [v1:127.0.0.1:$((port + 1))]
ms bind msgr2 = false
ms type = async
public addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
mon data avail crit = 1
mon data avail warn = 2
run dir = $dir/run
admin socket = $dir/run/\$name.asok
pid file = $dir/run/\$name.pid
log file = $dir/log/\$name.log
mon cluster log file = $dir/log/cluster.log
setuser match path = $dir
keyring = $dir/keyring
[mon.a]
mon data = $dir/mon
mon addr = 127.0.0.1:$((port + 1))
[osd.0]
osd data = $dir/osd
osd objectstore = memstore
memstore device bytes = 1073741824
osd class load list = *
osd class default list = *
osd memory target = 939524096
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:$port tcp_nodelay=1
rgw data = $dir/rgw
rgw dns name = s3.localhost
rgw enable usage log = false
rgw enable ops log = false
rgw run sync thread = false
rgw enable quota threads = false
rgw thread pool size = 16
rgw num rados handles = 1
CONF
}

main "$@"
