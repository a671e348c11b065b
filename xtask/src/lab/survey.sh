#!/bin/busybox sh
# Runs as the first process of the lab's machine: the bench of surveys on real targets, all of them in memory.
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir /dev/shm
mount -t tmpfs -o size=90% shm /dev/shm
mount -t tmpfs tmp /tmp
mount -t cgroup2 none /sys/fs/cgroup
while read -r module; do
    case $module in
        zram.ko) insmod /modules/$module num_devices=0 ;;
        null_blk.ko) insmod /modules/$module nr_devices=0 ;;
        *) insmod /modules/$module ;;
    esac
done </modules/order
mount -t configfs none /sys/kernel/config

echo # what the firmware wrote ends here

# says NAME WORDS: the table says these words.
says() {
    if grep -q -e "$2" /tmp/said; then
        echo "good: $1"
    else
        echo "bad: $1: the table is without: $2"
    fi
}

# disk NANOSECONDS TAGS: a file system on a disk in memory that takes so long for an I/O of up to 1280 KiB, as disks on SATA
# take at once, and does so many at a time. (null_blk's own 124 KiB make nine of 1 MiB: with eight tags such a disk is not
# like itself.)
disk() {
    new=/sys/kernel/config/nullb/disk
    mkdir $new
    for setting in size=1280 blocksize=4096 memory_backed=1 max_sectors=2560 irqmode=2 completion_nsec=$1 hw_queue_depth=$2 power=1; do
        echo ${setting#*=} >$new/${setting%%=*}
    done
    echo none >/sys/block/disk/queue/scheduler
    /bin/mkfs.ext4 -q -F -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 /dev/disk
    /bin/mount -t ext4 /dev/disk /mnt
}

echo "One processor with a clock that counts instructions: rates mean nothing, but are the same each time."
echo "The file is on a disk of 100 us and 32 tags."
disk 100000 32
/bin/bench survey --real --places file,limit,zram --folder /mnt 2>&1 | tee /tmp/said
says "every target is like the whole grid" '^survey: 3 of 3 targets'
says "and so it is in turns" '^in turns, 3 of 3 real targets'
umount /mnt
rmdir /sys/kernel/config/nullb/disk

echo "The file is on a disk of 2 ms and 8 tags."
disk 2000000 8
/bin/bench survey --real --places file --folder /mnt 2>&1 | tee /tmp/said
says "a file on a slow disk is like the whole grid" '^survey: 1 of 1 targets'
says "and so it is in turns" '^in turns, 1 of 1 real targets'

echo "the end"
poweroff -f
