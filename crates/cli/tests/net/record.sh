#!/bin/bash
# Records the corpus of the output tests: a results database with one session of every kind that fathom stores.
# Run by `cargo xtask net record-corpus` as root: record.sh PROGRAM OUTPUT.db.gz
#
# Everything happens in a mount and host-name namespace of its own, with a temporary folder as /mnt, `host` as the host
# name and a round kernel release, so that neither the records nor their paths name this machine. The loop devices are
# removed at the end.
set -euo pipefail
tests=$(dirname "$(realpath "$0")")/..
program=$(realpath "$1")
output=$(realpath "$2")

if [ "${3:-}" != inside ]; then
    exec env -i PATH="$PATH" TZ=UTC LANG=C.UTF-8 unshare --mount --uts bash "$0" "$program" "$output" inside
fi

work=$(mktemp -d "$(dirname "$program")/../tmp/net-XXXXXX")
loops=()
clean() {
    cd /
    umount -q /mnt/m || true
    for device in "${loops[@]}"; do losetup --detach "$device" || true; done
    umount -q /mnt /proc/sys/kernel/osrelease || true
    rm -rf "$work"
}
trap clean EXIT

hostname host
echo 6.18.0 >"$work/osrelease"
mount --bind "$work/osrelease" /proc/sys/kernel/osrelease
mount --bind "$work" /mnt
cd /mnt
mkdir bin m d
ln -s "$program" bin/fathom
export PATH=/mnt/bin:$PATH FATHOM_STORE=/mnt/s.db

# Runs fathom quietly; a failure is fatal unless the line begins with `may_fail`.
f() { fathom "$@" >out.log 2>err.log || { code=$?; echo "failed ($code): fathom $*"; cat err.log; return 1; }; }
may_fail() { "$@" >/dev/null || true; }
# Runs fathom in the background and stops it with a signal after a time: stopped SIGNAL SECONDS WORDS...
stopped() {
    fathom "${@:3}" >out.log 2>err.log & pid=$!
    sleep "$2"
    kill "-$1" "$pid"
    wait "$pid" || true
}
# Sets $device to a new loop device of so many MiB: new_loop FILE MIB
new_loop() {
    truncate -s "$2M" "$1"
    device=$(losetup --find --show "$1")
    loops+=("$device")
}

# Runs on simulated devices: one for each finding that a device can cause.
f run sim:ssd -o 32 -d 5s --seed 1
f run sim:ssd -o 32 -d 5s --seed 2
f run sim:spindle -o 4 -w 30 -d 5s
f run sim:capped,cap-iops=1920 -o 64 -d 5s
f run sim:ssd --rate 5000 --arrivals poisson -d 5s
f run sim:spindle --rate 1000 -d 5s
f run sim:ssd sim:spindle -t 2 -o 2 -d 3s
f run sim:array -b 4K:60,64K:40:write=100 -o 8 -d 3s
f run sim:ssd,page-cache=40% -o 8 -d 3s
f run sim:ssd,drop=50%,drop-at=4s -o 8 -d 5s
f run sim:ssd,drift=300% -o 8 -d 6s
f run sim:ssd,pause=300ms,pause-every=2s -o 16 -d 6s
f run sim:ssd,throttle=1000,neighbour=2000 -o 16 -d 4s
f run sim:ssd,noise=60%,imbalance=80% -t 4 -o 4 -d 4s
f run sim:cliff -b 64K -o 64 --pattern sequential -w 100 -d 3s

# Sweeps and surveys on simulated devices.
f sweep sim:ssd -b 8K,64K -o 1,8,32 -w 0,25 -d 1s --warmup 0s
f sweep sim:spindle -b 4K -o 1,4 --pattern random,sequential -d 1s --repeat 3
f survey sim:cliff --page none
f survey sim:ssd --p99 5ms --read-only --workload oltp --page none
f survey sim:spindle,noise=40% --workload backup --page none

# Runs on files.
f run file.dat --create 16M -b 8K -o 4 -t 2 -w 50 -d 500ms --warmup 0s
f run file.dat --cache cached -b 64K --pattern sequential -d 300ms --warmup 0s
f run file.dat --engine sync --write-through -w 100 -d 300ms --warmup 100ms --cooldown 100ms
f run file.dat --engine libaio -o 16 --rate 2000 -d 500ms --warmup 0s
f run a.dat b.dat --create 8M -o 2 -d 300ms --warmup 0s
f run --engine null -o 8 -t 2 -d 300ms --warmup 0s
f survey --engine null --depth-max 2 --budget 5s --page none
f survey --size 64M --depth-max 2 --budget 9s --page none --cache-check --workload oltp
f sweep file.dat -o 1,4 -b 4K,64K -d 300ms --warmup 0s

# Failed, interrupted and killed sessions.
stopped INT 0.5 run --engine null -d 1h --warmup 0s
stopped INT 2 survey --engine null --budget 25s --page none
stopped KILL 2 survey --engine null --budget 25s --page none
stopped INT 1 sweep file.dat -o 1,2,4 -d 400ms --warmup 0s
stopped INT 0.5 files d --files 200000 --data 0
new_loop failing.img 64
fathom run "$device" -o 2 -d 5s --warmup 0s >out.log 2>err.log & pid=$!
sleep 1
truncate -s 8M failing.img
wait "$pid" || true
may_fail f sweep "$device" -b 4K,64K -o 1,4 -d 300ms --warmup 0s

# A device and the file system on it.
new_loop layers.img 64
mkfs.ext4 -q -F "$device"
mount "$device" m
f layers "$device" --mount m --size 16M --rounds 2 --round-time 500ms --write
umount m
f quick d --write --size 16M
f quick "$device"
f run "$device" -b 64K -o 4 -d 300ms --warmup 0s
fathom run "$device" -b 4K -o 2 -d 2s --warmup 0s --no-store >out.log 2>err.log & pid=$!
f watch "${device#/dev/}" --record --plain --no-trace --interval 300ms --count 4
wait "$pid"

# Work with files, and copies.
f files d --files 256 --data 8M
f files d --files 1024 --threads 2 --data 0 --bonnie
f dd if=file.dat of=copy.dat bs=1M conv=fdatasync
f dd if=file.dat of=/dev/null bs=64K iflag=direct count=64

# Other tools' command lines.
f diskspd -c8M -d1 -W0 -b8K -r -o4 -t2 -w30 -L -D200 -Suw disk.dat
f diskspd -c8M -d1 -W0 -b64K -o2 -L -Rxml -Su disk.dat disk2.dat
cp "$tests"/net/two_spans.xml .
f diskspd -Xtwo_spans.xml
printf 'sqlio.dat 2 0x0 16\n' >param.txt
f sqlio -kW -s1 -frandom -o4 -b8 -LS -BN -Fparam.txt
cp "$tests"/it/jobs/*.fio "$tests"/it/iometer/*.icf .
f fio 04-global-and-stonewall.fio --output-format=json
f fio 03-mixed.fio --output-format=json
f iometer two-specs.icf results.csv --target-map C:=iobw.tst --duration 300ms
f iometer cycled.icf cycled.csv --target-map C:=iobw.tst --target-map D:=disk.dat --duration 300ms

# Results of other tools.
cp "$tests"/../../tools/tests/imports/texts/* .
f import seed_000.txt --tag published
f import seed_001.txt
f import seed_002.txt
f import seed_002_depths.txt
f import seed_002_sizes.txt
may_fail f import seed_002_unfinished.txt
f import seed_003.txt
f import seed_004_bonnie.txt
f import seed_004_dd.txt
f import fio_jobs.json fio_two.json
f import results.csv
cp "$tests"/../../tools/tests/results/diskspd/two_targets.xml .
f import two_targets.xml

# Tags and baselines.
f tag 1 2 --add steady
f tag 16.1 16.3 --add pair --add first-pair
f tag 21 --add file
f baseline set first 1
f baseline set matrix 16
f baseline set survey 18

f db backup corpus.db
gzip -9nc corpus.db >"$output"
ls -l corpus.db "$output"
fathom list
