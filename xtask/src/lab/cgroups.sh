#!/bin/busybox sh
# Runs as the first process of the lab's machine: what fathom says of the limits of its control groups, by a real kernel.
# Each line `good: …` or `bad: …` is one expectation.
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir /dev/shm
mount -t tmpfs shm /dev/shm
mount -t tmpfs tmp /tmp
mount -t cgroup2 none /sys/fs/cgroup
while read -r module; do
    case $module in zram.ko) insmod /modules/$module num_devices=0 ;; *) insmod /modules/$module ;; esac
done </modules/order
dd if=/dev/urandom of=/dev/shm/disk bs=1M count=64 2>/dev/null
/bin/mkfs.ext4 -q -F -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 /dev/shm/disk
loop=$(/bin/losetup --find --show /dev/shm/disk)
number=$(cat /sys/block/${loop#/dev/}/dev)
groups=/sys/fs/cgroup
echo "+io +cpu" >$groups/cgroup.subtree_control
mkdir $groups/above
echo "+io +cpu" >$groups/above/cgroup.subtree_control
mkdir $groups/above/own $groups/other
echo # what the firmware wrote ends here
run="fathom run --no-store --duration 1s --warmup 500ms"

survey="fathom survey --no-store --read-only --workload /tmp/reads.toml --json"
printf '[[workload]]\nblock = "4K"\npattern = "random"\n' >/tmp/reads.toml

# says NAME CODE WORDS COMMAND…: the command, in the group, ends with this code and says these words (`not …`: does not).
says() {
    name=$1 code=$2 words=$3
    shift 3
    (
        read -r self rest </proc/self/stat
        echo $self >$groups/above/own/cgroup.procs
        exec "$@"
    ) >/tmp/said 2>&1
    got=$?
    tr -s '\n ' '  ' </tmp/said >/tmp/line # sentences go over several lines
    case $words in
        "not "*) ! grep -q -e "${words#not }" /tmp/line ;;
        *) grep -q -e "$words" /tmp/line ;;
    esac
    found=$?
    if [ $got = "$code" ] && [ $found = 0 ]; then
        echo "good: $name"
    else
        echo "bad: $name: ended with $got and not $code, or what it says is against: $words"
        sed 's/^/    /' /tmp/said
    fi
}
# limit GROUP RULES…: of the loop device.
limit() { echo "$number $2" >$groups/$1/io.max; }
all="rbps=max wbps=max riops=max wiops=max"

says "without a limit none is told" 0 'not control group' fathom check $loop
limit other riops=100
says "a limit of another group is none" 0 'not control group' fathom check $loop
limit above/own riops=500
says "a limit on reads is told before a run" 0 'a control group allows this process 500 reads/s on loop0' fathom check $loop
says "and in its result" 0 'a control group limits reads of loop0 to 500 IOPS, and \(9[5-9]\|10[0-5]\)[0-9.]*% of that limit' $run --depth 8 $loop
says "a run far below it is not the limit's" 0 'not a control group limits' $run --rate 100 $loop
limit above/own "$all"
limit above/own rbps=4194304
says "a limit on bytes is told before a run" 0 'a control group allows this process 4.* MiB.*s .*on loop0' fathom check $loop
says "and in its result" 0 'limits reads of loop0 to 4.*, and \(9[0-9]\|10[0-9]\) % of that' $run --block 64K --depth 8 $loop
limit above/own "$all"
limit above riops=300
says "so is a limit of the group above" 0 'limits reads of loop0 to 300 a second' $run --depth 8 $loop
limit above/own riops=200
says "the smaller one of two counts" 0 'limits reads of loop0 to 200 a second' $run --depth 8 $loop
limit above "$all"
limit above/own "$all"
limit above/own wiops=250
says "a limit on writes is no limit on reads" 0 'not a control group limits' $run --depth 8 $loop
/bin/mount $loop /mnt
says "a file is limited where its device is" 0 'limits writes to loop0 to 250 a second' $run --write 100 --depth 8 --create 8M /mnt/file
umount /mnt
limit above/own "$all"

limit above/own riops=1000
says "a survey names a limit" 0 '"kind": *"cap"' $survey $loop
limit above/own "$all"

echo 20000 100000 >$groups/above/own/cpu.max
says "a quota of processor time is told before a run" 0 'a control group allows this process 0.20 of 1 cores' fathom check $loop
says "a quota of processor time is told" 0 'limits fathom to 0.20 cores of processor time, and throttled it in [1-9][0-9]* of [1-9][0-9]* periods' $run --depth 8 $loop
says "and named by a survey" 0 '"kind": *"tool"' $survey $loop
says "a run that needs less is not the quota's" 0 'not cores of processor time' $run --rate 50 $loop
echo max 100000 >$groups/above/own/cpu.max
echo 30000 100000 >$groups/above/cpu.max
says "so is a quota of the group above" 0 'allows 0.30 cores of processor time, and that ran out' $run --depth 8 $loop
echo max 100000 >$groups/above/cpu.max
says "without a quota none is told" 0 'not cores of processor time' $run --depth 8 $loop

echo "the end"
poweroff -f
