#!/bin/bash
# Sets up one environment that people run fathom in, and runs one command there: `environments.sh PROGRAM ENVIRONMENT COMMAND`.
# Options of `fathom run` may follow the commands verify*, whose output is a line `== NAME EXIT-CODE` before each JSON document.
# Run it in a mount namespace of its own (unshare --mount), so that no mount stays. Exits as the command does; 77 after a
# line `lacks: …` where this machine cannot have the environment. Writes only below the folder that it creates.
program=$1 environment=$2 command=$3
shift 3
base=$(mktemp -d /var/tmp/fathom-environments-XXXXXX)
at=$base/at before=() other='' fuse='' group='' cpu='' device='' devices=() array='' cached='' maps=() serves='' shares='' zram='' journals='' volumes='' members=() name=f
mkdir "$at"
export FATHOM_STORE=$base/store.db HOME=$base/home LC_ALL=C NO_COLOR=1
mkdir "$HOME"

finish() {
    cd /
    [ -n "$other" ] && kill -INT "$other" && wait "$other" 2>/dev/null
    [ -n "$group" ] && rmdir "$group" 2>/dev/null
    [ -n "$cpu" ] && rmdir "$cpu" 2>/dev/null
    [ -n "$shares" ] && rm -f "$base/at/f"
    for _ in $(seq 50); do # io_uring closes the files of a killed process late
        mountpoint -q "$base/at" || break
        umount -R "$base/at" 2>/dev/null || sleep 0.1
    done
    mountpoint -q "$base/at" && umount -R --lazy "$base/at"
    for mount in upper lower; do umount "$base/$mount" 2>/dev/null; done
    [ -n "$fuse" ] && wait "$fuse" 2>/dev/null
    [ -z "$volumes" ] || vgchange --quiet -an "$volumes" >/dev/null
    for mapped in "${maps[@]}"; do dmsetup remove --retry "$mapped"; done
    if [ -n "$cached" ]; then
        echo 1 >"/sys/block/$cached/bcache/stop"
        for set in /sys/fs/bcache/*-*; do echo 1 >"$set/stop"; done
        sleep 1
    fi
    if [ -n "$serves" ]; then
        rpc.nfsd 0; exportfs -ua; kill "$(pidof rpc.mountd)"
        umount /proc/fs/nfsd
    fi
    umount "$base/below" 2>/dev/null
    [ -n "$device" ] && losetup -d "$device"
    [ -n "$zram" ] && echo "$zram" >/sys/class/zram-control/hot_remove
    [ -n "$array" ] && mdadm --quiet --stop "$array"
    for device in "${devices[@]}"; do losetup -d "$device"; done
    [ -n "$journals" ] && rm -rf --one-file-system "$journals"
    rm -rf --one-file-system "$base"
}
trap finish EXIT
trap 'exit 130' INT TERM
trap 'exit 141' PIPE # of the output, after Ctrl-C
lacks() { echo "lacks: $*"; exit 77; }
# module NAME…: where this kernel has modules, these are loaded.
module() { modprobe -qa "$@" 2>/dev/null; }
need() { command -v "$1" >/dev/null || lacks "no $1"; }

# image MIB: a file for a file system or a device.
image() { truncate -s "$1M" "$base/image"; }
# mounted KIND MIB MAKE OPTIONS: a file system of its own on a loop device.
mounted() {
    image "$2"
    need "${3%% *}"
    $3 "$base/image" >/dev/null 2>&1 || lacks "$3 failed"
    loop --direct-io=on "$base/image"
    mount -t "$1" ${4:+-o "$4"} "$device" "$at" 2>"$base/why" || lacks "$(tr '\n' ' ' <"$base/why")"
}
loop() { device=$(losetup --find --show "$@") || lacks "no loop device"; }
ext4="mkfs.ext4 -q -F"
# is_fuse: waits until something is mounted.
is_fuse() {
    for _ in $(seq 50); do mountpoint -q "$at" && return; sleep 0.1; done
    lacks "$1 did not mount"
}
below() { mkdir "$base/lower"; mount -t tmpfs -o size=512m lower "$base/lower"; mkdir "$base/lower"/{b,l,u,w}; }
scsi_debug=/sys/bus/pseudo/drivers/scsi_debug
in_machine() { [ -n "$FATHOM_GUEST" ] || lacks "it is of the virtual machine alone"; }
# targets NAME: of the device mapper.
targets() {
    need dmsetup; module dm-mod "dm-$1" "dm-${1/thin-pool/thin_pool}"
    dmsetup targets 2>/dev/null | grep -q "^$1 " || lacks "no dm-$1 in this kernel"
}
# mapped NAME TABLE OPTIONS…: a device of the device mapper; the last one is the target.
mapped() {
    mapped=fathom-environments-$$-$1
    dmsetup create "$mapped" --table "$2" "${@:3}" 2>"$base/why" || lacks "$(tr '\n' ' ' <"$base/why")"
    maps=("$mapped" "${maps[@]}")
    at=/dev/mapper name=$mapped
}
# served: a folder of ext4 over NFS, by this kernel.
served() {
    in_machine; need rpc.nfsd; module nfsd nfs nfsv4
    mkdir "$base/below"; image 512; $ext4 "$base/image"; loop --direct-io=on "$base/image"; mount "$device" "$base/below"
    mount -t nfsd none /proc/fs/nfsd 2>"$base/why" || lacks "$(tr '\n' ' ' <"$base/why")"
    mkdir -p /var/lib/nfs/v4recovery /run/rpc_pipefs; touch /var/lib/nfs/etab /var/lib/nfs/rmtab
    rpc.mountd --no-nfs-version 3 2>>"$base/why"
    exportfs -o rw,sync,no_root_squash,fsid=0,insecure,no_subtree_check "127.0.0.1:$base/below" 2>>"$base/why"
    rpc.nfsd --no-nfs-version 3 --no-udp 4 2>>"$base/why" || lacks "$(tr '\n' ' ' <"$base/why")"
    echo Y >/proc/fs/nfsd/v4_end_grace # else files are opened after 90 s
    serves=yes
}
# portal GROUP ADDRESS: the LUN at a portal of its own, and a session of the kernel's initiator with it.
portal() {
    local group=$iscsi/tpgt_$1
    mkdir -p "$group/np/$2:3260" "$group/lun/lun_0" && ln -s "$core" "$group/lun/lun_0/disk" || return
    for name in generate_node_acls:1 cache_dynamic_acls:1 demo_mode_write_protect:0 authentication:0; do
        echo "${name#*:}" >"$group/attrib/${name%:*}"
    done
    echo 1 >"$group/enable"
    iscsistart -i iqn.2026-01.fathom:host -t "${iscsi##*/}" -g "$1" -a "$2" -p 3260 >>"$base/why" 2>&1
}
# two_paths: a LUN of this kernel's own target over two portals, below dm-multipath; I/O waits 2 s for a lost session.
two_paths() {
    local number paths=()
    in_machine; need iscsistart; targets multipath; module sd_mod dm-round-robin target_core_mod iscsi_target_mod iscsi_tcp
    mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
    core=/sys/kernel/config/target/core/rd_mcp_0/fathom iscsi=/sys/kernel/config/target/iscsi/iqn.2026-01.fathom:lun
    if [ ! -d "$core" ]; then # it stays until the machine ends
        ip link set lo up
        mkdir -p "$core" "$iscsi" 2>"$base/why" || lacks "no iSCSI target: $(tr '\n' ' ' <"$base/why")"
        echo rd_pages=16384 >"$core/control"; echo 1 >"$core/enable"
        for number in 1 2; do
            portal $number 127.0.0.$number || lacks "no session: $(tr '\n' ' ' <"$base/why")"
        done
    fi
    for number in $(seq 50); do
        paths=(/sys/class/iscsi_session/session*/device/target*/*/block/*)
        [ ${#paths[@]} -eq 2 ] && [ -e "${paths[1]}/dev" ] && break
        sleep 0.1
    done
    for number in /sys/class/iscsi_session/session*; do echo 2 >"$number/recovery_tmo"; done
    members=("/dev/${paths[0]##*/}" "/dev/${paths[1]##*/}")
    paths=("$(cat "${paths[0]}/dev")" "$(cat "${paths[1]}/dev")")
    mapped paths "0 131072 multipath 0 0 2 1 round-robin 0 1 1 ${paths[0]} 1 round-robin 0 1 1 ${paths[1]} 1" --uuid "mpath-fathom-$$"
}
# take_away: a part of the environment, while a run measures.
take_away() {
    case $environment in
        mpath) echo 0 >"$iscsi/tpgt_1/enable" ;;
        raid1) echo faulty >"/sys/block/$name/md/dev-${devices[1]#/dev/}/state" ;;
    esac
}
# events: a run in the middle of which a part is taken away, and its longest pause next to that of the kernel's block events.
events() {
    local trace=/sys/kernel/tracing run code event
    [ -d $trace/events/block ] || mount -t tracefs tracefs $trace
    local its=$trace/instances/fathom-environments
    mkdir -p $its && echo 16384 >$its/buffer_size_kb
    run=$(stat -L -c '%Hr %Lr' "$target")
    for event in bio rq; do # of devices without and with requests
        echo "dev == $(((${run% *} << 20) | ${run#* }))" >$its/events/block/block_${event}_complete/filter
        echo 1 >$its/events/block/block_${event}_complete/enable
    done
    "$program" run -d 10s --warmup 0s --interval 100ms -o 4 --length ${mib}M --verbose "$target" &
    run=$!
    sleep 5
    take_away
    wait $run; code=$?
    echo 0 >$its/events/block/enable
    "$program" show 1 --json | tr -d '\n ' | tr '{' '\n' | sed -n 's/.*"name":"pause_ns","value":\([0-9.]*\).*/\1/p' >"$base/pause"
    awk -v pause="$(tr -d '\n' <"$base/pause")" '
        match($0, / [0-9]+\.[0-9]+: block_/) {
            at = substr($0, RSTART + 1, RLENGTH - 9) + 0
            if (last && at - last > longest) longest = at - last
            last = at
        }
        END {
            if (!pause) exit # no failover
            off = pause / 1e6 - longest * 1e3
            print "pause " pause / 1e6 " ms; longest of the block events " longest * 1e3 " ms: " (off < 10 && off > -10 ? "within 10 ms" : "they differ")
        }' $its/trace
    rmdir $its
    return $code
}
# filter NUMBER…: these system calls fail with EPERM, as in a container (x86-64). Source: seccomp(2), bpf in <linux/filter.h>.
filter() {
    [ "$(uname -m)" = x86_64 ] || lacks "the filter is of x86-64"
    need bwrap
    local left=$# number
    word() { printf "\\x$(printf %02x $(($1 & 255)))\\x$(printf %02x $(($1 >> 8 & 255)))\\x$(printf %02x $(($1 >> 16 & 255)))\\x$(printf %02x $(($1 >> 24 & 255)))"; }
    {
        printf '\x20\x00\x00\x00'; word 0
        for number in "$@"; do
            printf '\x15\x00'"\\x$(printf %02x "$left")"'\x00'; word "$number"
            left=$((left - 1))
        done
        printf '\x06\x00\x00\x00'; word $((0x7fff0000))
        printf '\x06\x00\x00\x00'; word $((0x00050001))
    } >"$base/filter"
}
# loops MIB: two loop devices of that size.
loops() {
    local number
    for number in 1 2; do
        truncate -s "$1M" "$base/image$number"
        devices+=("$(losetup --find --show --direct-io=on "$base/image$number")") || lacks "no loop device"
    done
}
memory() {
    local top=/sys/fs/cgroup/memory limit=memory.limit_in_bytes
    [ -d $top ] || { top=/sys/fs/cgroup limit=memory.max; echo +memory >$top/cgroup.subtree_control 2>/dev/null; }
    group=$top/fathom-environments-$$
    mkdir "$group" 2>/dev/null || lacks "no memory control group"
    echo $(($1 << 20)) >"$group/$limit" || lacks "no memory limit"
    before=(sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group")
}

# with_fio: the same command line by fathom and by fio, three turns of a second; prints the middle ratio of their rates.
with_fio() {
    local line=(--name=a --filename="$target" --size=${mib}M --rw=randread --bs=4k --direct=1 --ioengine=io_uring --iodepth=4
        --runtime=1 --time_based --output-format=terse) own other turn
    need fio
    for turn in 1 2 3; do
        other=$(fio "${line[@]}" | grep '^3;' | cut -d';' -f8) || return 1
        own=$("$program" fio "${line[@]}" --no-store) || return
        own=$(grep '^3;' <<<"$own" | cut -d';' -f8)
        echo "$own $other" >>"$base/ratios"
    done
    awk '{ print $1 / ($2 ? $2 : 1) }' "$base/ratios" | sort -n | awk 'NR == 2 { printf "compared with fio: %.2f of its IOPS.\n", $1 }'
}

case $environment in
    ext4) mounted ext4 512 "$ext4" ;;
    ext4-data-journal) mounted ext4 512 "$ext4" data=journal ;;
    xfs) mounted xfs 512 "mkfs.xfs -q" ;;
    btrfs) mounted btrfs 512 "mkfs.btrfs -q" ;;
    btrfs-nodatacow) mounted btrfs 512 "mkfs.btrfs -q" nodatacow ;;
    btrfs-compress) mounted btrfs 512 "mkfs.btrfs -q" compress-force=lzo ;;
    f2fs) mounted f2fs 512 "mkfs.f2fs -q" ;;
    exfat) mounted exfat 512 mkfs.exfat ;;
    tmpfs) mount -t tmpfs -o size=512m none "$at" ;;
    overlay-tmpfs)
        below
        mount -t overlay -o "lowerdir=$base/lower/l,upperdir=$base/lower/u,workdir=$base/lower/w" none "$at" || lacks "no overlay" ;;
    overlay-ext4)
        mkdir "$base/lower" "$base/upper"
        image 512
        $ext4 "$base/image"
        mount -o loop "$base/image" "$base/upper" && mkdir "$base/upper"/{u,w}
        mount -t overlay -o "lowerdir=$base/lower,upperdir=$base/upper/u,workdir=$base/upper/w" none "$at" || lacks "no overlay" ;;
    bindfs) need bindfs; mkdir "$base/b"; bindfs "$base/b" "$at" || lacks "bindfs failed"; is_fuse bindfs ;;
    bindfs-of-another) # it shows a link that the other user could have placed
        in_machine; need bindfs; mkdir "$base"/{b,root}; chmod 755 "$base"; chown 54321:54321 "$base/b" "$at"
        echo user_allow_other >>/etc/fuse.conf; chmod 666 /dev/fuse # of the machine, in memory, as is what follows
        echo another:x:54321:54321::/:/bin/false >>/etc/passwd; echo another:x:54321: >>/etc/group
        setpriv --reuid 54321 --regid 54321 --clear-groups bindfs -o allow_other "$base/b" "$at" 2>"$base/why" || lacks "$(tr '\n' ' ' <"$base/why")"
        is_fuse bindfs ;;
    mergerfs) need mergerfs; mkdir "$base"/{b,c}; mergerfs "$base/b:$base/c" "$at" || lacks "mergerfs failed"; is_fuse mergerfs ;;
    gocryptfs)
        need gocryptfs; mkdir "$base/b"; echo secret >"$base/word"
        gocryptfs -init -q -passfile "$base/word" "$base/b" >/dev/null 2>&1 || lacks "gocryptfs -init failed"
        gocryptfs -q -passfile "$base/word" "$base/b" "$at" >/dev/null 2>&1 || lacks "gocryptfs failed"
        is_fuse gocryptfs ;;
    fuse2fs)
        need fuse2fs; image 512; $ext4 "$base/image"
        fuse2fs "$base/image" "$at" >/dev/null 2>&1 || lacks "fuse2fs failed"
        is_fuse fuse2fs ;;
    ntfs-3g)
        need mkfs.ntfs; image 512; loop "$base/image"
        mkfs.ntfs -Q -F "$device" >/dev/null 2>&1 || lacks "mkfs.ntfs failed"
        ntfs-3g "$device" "$at" >/dev/null 2>&1 || lacks "ntfs-3g failed"
        is_fuse ntfs-3g ;;
    loop-cached) image 256; loop --direct-io=off "$base/image"; at=/dev name=${device#/dev/} ;;
    loop-direct) image 256; loop --direct-io=on "$base/image"; at=/dev name=${device#/dev/} ;;
    loop-on-tmpfs)
        mkdir "$base/below"; mount -t tmpfs -o size=512m none "$base/below"; truncate -s 256M "$base/below/image"
        loop "$base/below/image"; at=/dev name=${device#/dev/} ;;
    ext4-on-cached-loop)
        image 512; $ext4 "$base/image"; loop --direct-io=off "$base/image"; mount "$device" "$at" ;;
    raid0 | raid1)
        module $environment; need mdadm
        grep -qs $environment /proc/mdstat || lacks "no md with $environment in this kernel"
        loops 68; array=/dev/md/fathom-environments-$$
        mdadm --quiet --create "$array" --run --level=${environment#raid} --raid-devices=2 "${devices[@]}" 2>"$base/why" || { array=''; lacks "mdadm failed: $(tr '\n' ' ' <"$base/why")"; }
        at=/dev name=$(basename "$(readlink -f "$array")") ;;
    dm-thin)
        targets thin-pool; loops 128
        mapped pool "0 262144 thin-pool ${devices[*]} 128 0"
        dmsetup message "$mapped" 0 "create_thin 0"; mapped thin "0 262144 thin /dev/mapper/$mapped 0" ;;
    lvm)
        need vgcreate; targets linear; loops 128; volumes=fathom$$
        vgcreate --quiet "$volumes" "${devices[0]}" >"$base/why" 2>&1 && lvcreate --quiet --yes -Zn -Wn -L 64M -n lv "$volumes" >>"$base/why" 2>&1 || lacks "$(tr '\n' ' ' <"$base/why")"
        at=/dev/mapper name=$volumes-lv ;;
    dm-linear) targets linear; loops 128; mapped linear "0 262144 linear ${devices[0]} 0" ;;
    dm-delay) targets delay; loops 128; mapped delay "0 262144 delay ${devices[0]} 0 20" ;;
    dm-crypt) targets crypt; loops 128; mapped crypt "0 262144 crypt aes-xts-plain64 $(printf '0%.0s' $(seq 128)) 0 ${devices[0]} 0" ;;
    dm-snapshot) targets snapshot; loops 128; mapped snapshot "0 262144 snapshot ${devices[*]} N 8" ;;
    ext4-on-dm-linear)
        targets linear; loops 512; mapped linear "0 1048576 linear ${devices[0]} 0"
        $ext4 "$at/$name"; mount "$at/$name" "$base/at"; at=$base/at name=f ;;
    # Without a fault until it is armed.
    dm-corrupt-writes | dm-drop-writes) targets flakey; loops 64; mapped faulty "0 131072 linear ${devices[0]} 0" ;;
    dm-error) targets error; loops 64; mapped faulty "0 131072 linear ${devices[0]} 0" ;;
    scsi-medium-error)
        in_machine; module sd_mod; modprobe -q scsi_debug dev_size_mb=64 delay=0
        [ -d $scsi_debug ] || lacks "no scsi_debug in this kernel"
        echo 0 >$scsi_debug/opts
        for _ in $(seq 50); do name=$(echo $scsi_debug/adapter0/host*/target*/*/block/*); [ -e "$name" ] && break; sleep 0.1; done
        at=/dev name=${name##*/} ;;
    mpath) two_paths ;;
    bcache)
        module bcache; need make-bcache; loops 128
        make-bcache --writeback --bucket 64k -B "${devices[0]}" -C "${devices[1]}" >"$base/why" 2>&1 || lacks "make-bcache: $(tr '\n' ' ' <"$base/why")"
        for member in "${devices[@]}"; do
            grep -qs . /sys/block/"${member#/dev/}"/bcache/state && continue
            echo "$member" >/sys/fs/bcache/register || lacks "no bcache in this kernel: $(dmesg | tail -3)"
        done
        cached=$(basename "$(readlink -f /sys/block/"${devices[0]#/dev/}"/bcache/dev)")
        at=/dev name=$cached; for _ in $(seq 50); do [ -b "/dev/$name" ] && break; sleep 0.1; done ;;
    nfs) served; mount -t nfs4 -o vers=4.2 127.0.0.1:/ "$at" 2>"$base/why" || lacks "$(tr '\n' ' ' <"$base/why")" ;;
    nfs-async) served; mount -t nfs4 -o vers=4.2,async,ac 127.0.0.1:/ "$at" 2>"$base/why" || lacks "$(tr '\n' ' ' <"$base/why")" ;;
    9p | 9p-cached | virtiofs)
        in_machine; shares=yes
        case $environment in
            9p) options="-t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=none shared" ;;
            9p-cached) options="-t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=loose shared" ;;
            virtiofs) module virtiofs; options="-t virtiofs virtiofs" ;;
        esac
        mount $options "$at" 2>"$base/why" || lacks "$(tr '\n' ' ' <"$base/why")" ;;
    virtio | virtio-limited)
        in_machine; at=/dev name=vdb
        [ $environment = virtio ] || name=vdc ;;
    cgroup-io | cgroup-cpu)
        group=/sys/fs/cgroup/fathom-environments-$$
        echo "+io +cpu" >/sys/fs/cgroup/cgroup.subtree_control 2>/dev/null || lacks "no control groups of version 2"
        mkdir $group
        if [ $environment = cgroup-io ]; then
            mounted ext4 512 "$ext4"
            echo "$(lsblk -dno MAJ:MIN "$device" | tr -d ' ') riops=200 wiops=200" >$group/io.max || lacks "no io.max"
        else
            echo "20000 100000" >$group/cpu.max || lacks "no cpu.max"
        fi
        before=(sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group") ;;
    # faultfs:SEED:FAULTS, keys of a simulated device or nothing
    faultfs:*)
        [ -e /dev/fuse ] || lacks "no /dev/fuse"
        faults=${environment#faultfs:} seed=${faults%%:*} faults=${faults#*:}
        "$FAULTFS" "$at" "sim:ssd,data=4M${faults:+,$faults}" "$seed" & fuse=$!
        is_fuse faultfs ;;
    zram)
        zram=$(cat /sys/class/zram-control/hot_add 2>/dev/null) || lacks "no zram"
        echo 256M >/sys/block/zram"$zram"/disksize; at=/dev name=zram$zram ;;
    quota) # 8 MiB for the user who runs fathom
        need setquota; mounted ext4 512 "$ext4 -O quota" usrquota
        quotaon "$at" 2>/dev/null; setquota -u 54321 0 8192 0 0 "$at" 2>"$base/why" || lacks "$(tr '\n' ' ' <"$base/why")"
        chmod 777 "$base" "$at" "$HOME"; install -m 755 "$program" "$base/fathom"; program=$base/fathom
        before=(setpriv --reuid 54321 --regid 54321 --clear-groups) ;;
    read-only-mount)
        mounted ext4 512 "$ext4"
        head -c 64M /dev/urandom >"$at/f"; mount -o remount,ro "$at" ;;
    full) mounted ext4 96 "$ext4 -m 0"; head -c 95M /dev/zero >"$at/full" 2>/dev/null ;;
    root-read-only) need bwrap; before=(bwrap --ro-bind / / --dev-bind /dev /dev --proc /proc --bind "$at" "$at" --tmpfs "$base/home"); unset FATHOM_STORE; export HOME=/ ;;
    no-sys) need bwrap; before=(bwrap --dev-bind / / --tmpfs /sys) ;;
    no-proc) need bwrap; before=(bwrap --dev-bind / / --tmpfs /proc) ;;
    masked-sys) need bwrap; before=(bwrap --dev-bind / / --tmpfs /sys/devices/virtual --tmpfs /sys/firmware) ;;
    no-home) unset FATHOM_STORE; before=(env -u HOME -u XDG_DATA_HOME) ;;
    home-not-writable) unset FATHOM_STORE; export HOME=/proc; before=(env -u XDG_DATA_HOME) ;;
    no-terminal) before=(setsid --wait) ;;
    user-without-name) chmod 777 "$base" "$at" "$HOME"; install -m 755 "$program" "$base/fathom"; program=$base/fathom
        before=(setpriv --reuid 54321 --regid 54321 --clear-groups) ;;
    no-io_uring) filter 425 426 427; before=(bwrap --dev-bind / / --seccomp 9) ;;
    no-io_uring-no-aio) filter 425 426 427 206; before=(bwrap --dev-bind / / --seccomp 9) ;;
    device-denied)
        rules=/sys/fs/cgroup/devices
        [ -d $rules ] || lacks "no control group of devices (version 1)"
        group=$rules/fathom-environments-$$
        mkdir "$group" 2>/dev/null || lacks "no control group of devices"
        image 64; loop "$base/image"; at=/dev name=${device#/dev/}
        echo "b $(lsblk -dno MAJ:MIN "$device" | tr -d ' ') rwm" >"$group/devices.deny"
        before=(sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group") ;;
    immutable)
        mounted ext4 512 "$ext4"
        head -c 64M /dev/urandom >"$at/f"; chattr +i "$at/f" || lacks "no chattr" ;;
    foreign-file) head -c 64M /dev/urandom >"$at/f" ;;
    two-fathoms)
        "$program" run --no-store --create 64M -w 50 -d 1h "$at/f" >/dev/null 2>&1 &
        other=$!
        for _ in $(seq 100); do
            grep -q "$(stat -c %i "$at/f" 2>/dev/null || echo none) " /proc/locks && break
            sleep 0.1
        done ;;
    memory-max-*) in_machine; mounted ext4 256 "$ext4"; memory "${environment#memory-max-}" ;;
    memory-*) memory "${environment#memory-}" ;;
    container-256M)
        memory 256; filter 425 426 427
        cpu=/sys/fs/cgroup/cpu/fathom-environments-$$
        if mkdir "$cpu" 2>/dev/null; then
            echo 50000 >"$cpu/cpu.cfs_quota_us"
            before=(sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$cpu" "${before[@]}")
        fi
        before+=(bwrap --ro-bind / / --dev /dev --proc /proc --bind "$base" "$base" --unshare-pid --unshare-user --uid 54321 --gid 54321 --seccomp 9) ;;
    file-size-8M) before=(bash -c 'ulimit -f 8192 && exec "$0" "$@"') ;;
    open-files-*) before=(bash -c "ulimit -n ${environment#open-files-}"' && exec "$0" "$@"') ;;
    processes-*) before=(bash -c "ulimit -u ${environment#processes-}"' && exec "$0" "$@"') ;;
    name-too-long) name=$(printf 'n%.0s' $(seq 300)) ;;
    plain) ;;
    *) echo "no environment $environment"; exit 64 ;;
esac
target=$at/$name
is_device=''
[ -b "$target" ] && is_device=yes
mib=64
[ -n "$FATHOM_GUEST" ] && mib=16 # its processors are emulated
create=(--create ${mib}M) size=(--size 64M)
[ -n "$is_device" ] && create=(--length ${mib}M) size=(--size 64M --read-only)
[ -f "$target" ] && create=() && size=(--read-only --size 64M)
cd "$base" || exit 64
# document NAME PROGRAM…: the result as a section of the output.
document() {
    local name=$1 code
    shift
    "$@" >"$base/out" 2>"$base/error"
    code=$?
    echo "== $name $code"
    cat "$base/out"
    [ -s "$base/out" ] || cat "$base/error"
}
# under_way OPTIONS…: a run without an end, with some entries in its journal, which is in memory.
under_way() {
    "${verified[@]}" -d 1h --journal "$journals/j" "$@" >"$base/out" 2>"$base/error" &
    other=$!
    for _ in $(seq 400); do
        [ "$(stat -c %s "$journals/j" 2>/dev/null || echo 0)" -gt 30000 ] && break
        kill -0 $other 2>/dev/null || { ended run; exit 0; }
        sleep 0.05
    done
}
# ended NAME: the result of that run.
ended() {
    wait $other
    echo "== $1 $?"
    other=''
    cat "$base/out"
    [ -s "$base/out" ] || cat "$base/error"
}
# arm WHAT: begins the faults of the environment.
arm() {
    local all="0 131072 flakey ${devices[0]} 0 0 1" device=${devices[0]}
    case $environment in
        faultfs:*) echo "${1:-arm}" >"$at/control" ;;
        dm-corrupt-writes) reload "$all 5 corrupt_bio_byte 700 w 1 0" ;;
        dm-drop-writes) reload "$all 1 drop_writes" ;;
        dm-error) reload "0 2048 linear $device 0
2048 8 error
2056 129016 linear $device 2056" ;;
        scsi-medium-error) echo 2 >$scsi_debug/opts ;; # sectors 4660 to 4669, as its module has it
    esac
}
# reload TABLE: of the last device of the device mapper.
reload() { dmsetup suspend "$mapped" && dmsetup load "$mapped" <<<"$1" && dmsetup resume "$mapped"; }
verification() {
    local verified=("${before[@]}" "$program" run --no-store --json --verify full --warmup 0s "${create[@]}" "$target")
    local compare=("${before[@]}" "$program" verify --no-store --json "$target")
    [ -n "$is_device" ] && verified+=(--destroy "$target") compare+=(--range 0..16M)
    journals=$(mktemp -d /dev/shm/fathom-environments-XXXXXX) || lacks "no /dev/shm"
    case $command in
        verify) arm; document run "${verified[@]}" -d 300ms "$@" ;;
        verify-errors) arm fail; document run "${verified[@]}" -d 300ms --continue-on-error "$@" ;;
        verify-later) document run "${verified[@]}" -d 300ms --no-end-pass "$@"; arm; document verify "${compare[@]}" ;;
        verify-twice) arm; document run "${verified[@]}" -d 300ms --no-end-pass "$@"; document verify "${compare[@]}" ;;
        verify-interrupt)
            under_way "$@"
            [ "$environment" != dm-drop-writes ] || { arm; sleep 3; }
            kill -INT $other; ended interrupted
            document verify "${compare[@]}" --journal "$journals/j" ;;
        verify-kill)
            under_way "$@"
            kill -9 $other; wait $other 2>/dev/null; other=''
            arm cut
            document verify "${compare[@]}" --journal "$journals/j" ;;
        verify-cut)
            document run "${verified[@]}" -d 300ms --no-end-pass --journal "$journals/j" "$@"
            arm cut
            document verify "${compare[@]}" --journal "$journals/j" ;;
    esac
    [ ! -e "$at/injected" ] || document injected cat "$at/injected"
    exit 0
}

# meets CODE WORDS COMMAND…: whether it ends with this code and prints these words; else what it printed.
meets() {
    local code=$1 words=$2 got
    "${@:3}" >"$base/out" 2>&1
    got=$?
    [ $got = "$code" ] && tr -s '\n ' '  ' <"$base/out" | grep -q -e "$words" && return
    echo "exit code $got; $code with \`$words\` is expected: ${*:3}"; cat "$base/out"; exit 1
}
# free: ends the uses of what is below the environment.
free() {
    mountpoint -q "$base/at" && [ -n "${maps[0]}" ] && umount "$base/at"
    [ -z "$volumes" ] || vgchange --quiet -an "$volumes" >/dev/null
    for mapped in "${maps[@]}"; do dmsetup remove --retry "$mapped"; done
    [ -z "$array" ] || mdadm --quiet --stop "$array"
    volumes='' maps=() array=''
}
# users: what is below the environment is not written while it is used, with any option; when it is free, the option is asked for.
users() {
    local member write=("$program" run --no-store -w 100 -d 2s --warmup 0s --length 1M)
    [ ${#members[@]} -gt 0 ] || members=("${devices[0]}")
    case $environment in dm-thin | dm-snapshot | raid*) members=("${devices[@]}") ;; ext4-on-dm-linear) members+=("/dev/mapper/$mapped") ;; esac
    yes "the user's data" | head -c 4M >"$base/data"
    [ -z "$is_device" ] || dd if="$base/data" of="$target" conv=fsync status=none
    [ $environment != dm-snapshot ] || dd if="$base/data" of="${devices[0]}" conv=fsync status=none # the origin, which is empty
    for member in "${members[@]}"; do meets 2 'in use, so it is not written' "${write[@]}" --destroy "$member" "$member"; done
    echo "${#members[@]} in use: refused"
    [ $environment != ext4-on-dm-linear ] || unset 'members[1]' # it is gone with the mapping
    free
    for member in "${members[@]}"; do
        meets 2 'use --destroy' "${write[@]}" "$member"
        meets 0 '' "${write[@]}" --destroy "$member" "$member"
    done
    echo "${#members[@]} free: confirmed"
}
# users_of_file: the same for a file; a loop device uses it, also by its name on the server.
users_of_file() {
    local file write=("$program" run --no-store -w 100 -d 2s --warmup 0s --length 1M) files=("$target")
    [ -z "$serves" ] || files+=("$base/below/f")
    yes "the user's data" | head -c 4M >"$target"; sync "$target"
    if [ $environment = bindfs-of-another ]; then
        yes "root's data" | head -c 4M >"$base/root/f"; ln -s "$base/root/f" "$base/b/link"
        meets 2 'another user' "${write[@]}" --overwrite "$at/link"
        cmp -s "$base/root/f" <(yes "root's data" | head -c 4M) || { echo "root's data was written"; exit 1; }
    fi
    loop "$target"
    for file in "${files[@]}"; do meets 2 'not written\|not be checked\|could not be checked' "${write[@]}" --overwrite "$file"; done
    echo "${#files[@]} in use: refused"
    losetup -d "$device"; device='' files=("$target") # the server has its file open for a while longer
    for file in "${files[@]}"; do meets 2 'use --overwrite' "${write[@]}" "$file"; done
    for file in "${files[@]}"; do meets 0 '' "${write[@]}" --overwrite "$file"; done
    echo "${#files[@]} free: confirmed"
}

printf '[[workload]]\nblock = "4K"\npattern = "random"\n' >"$base/reads.toml"
case $command in
    verify*) create=(--create 16M)
        [ -n "$is_device" ] && create=(--length 16M)
        [ -f "$target" ] && create=()
        verification "$@" ;;
    check) words=("$program" check -d 1s "$target") ;;
    run) words=("$program" run -d 500ms --warmup 100ms -o 4 "${create[@]}" "$target") ;;
    write) words=("$program" run -d 500ms --warmup 100ms -o 4 -w 50 "${create[@]}" "$target")
        [ -n "$is_device" ] && words+=(--destroy "$target") ;;
    full-survey) words=("$program" survey --create --budget 20s --size 64M -o none "$target") ;;
    deep) words=("$program" run -d 500ms --warmup 0s -o 256 -b 4M --create 8M "$target") ;;
    buffered) words=("$program" run -d 500ms --warmup 100ms --cache cached "${create[@]}" "$target") ;;
    survey) words=("$program" survey --create --budget 5s --workload "$base/reads.toml" "${size[@]}" -o none "$target") ;;
    quick) words=("$program" quick "$([ -n "$is_device" ] && echo "$target" || echo "$at")" --size 64M); [ -n "$is_device" ] && words=("$program" quick "$target") ;;
    files) words=("$program" files "$at" --files 64 --data 4M --step-limit 1s) ;;
    fio) words=(fio --name=a --filename="$target" --size=${mib}M --rw=randread --bs=4k --direct=1 --ioengine=libaio --iodepth=4 --runtime=1 --time_based --output-format=terse) ;;
    with-fio) words=(with_fio) before=() ;;
    owner) # rank 0 as the server, rank 1 as a client of it
        need mpirun.openmpi; echo lab >/proc/sys/kernel/hostname; mkdir "$base/host"; ln -s "$base/below" "$base/host/0"; ln -s "$at" "$base/host/1"
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        words=(mpirun.openmpi --oversubscribe --bind-to none -n 2 "$program" run --no-store --each -w 100 -d 10s --warmup 2s --create 8M "$base/host/{rank}/g{rank}") ;;
    events) words=(events) before=() ;;
    users) words=(users) before=(); [ -n "$is_device" ] || [ -n "${maps[0]}" ] || words=(users_of_file) ;;
    fio-psync) words=(fio --name=a --filename="$target" --size=64M --rw=randread --bs=4k --direct=1 --ioengine=psync --runtime=1 --time_based --output-format=terse) ;;
    *) echo "no command $command"; exit 64 ;;
esac
if [ -e "$base/filter" ]; then
    "${before[@]}" "${words[@]}" 9<"$base/filter"
else
    "${before[@]}" "${words[@]}"
fi
code=$?
ls -A "$at" 2>/dev/null | grep -v -e '^f$' -e '^lost+found$' -e '^full$' | grep -q . && [ -z "$is_device" ] && echo "left: $(ls -A "$at" | tr '\n' ' ')"
exit $code
