#!/bin/busybox sh
# Runs as the first process of the lab's machine: tries passthrough on real NVMe controllers, as far as QEMU's are.
# Each line `good: …` or `bad: …` is one expectation.
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
while read -r module; do
    case $module in nvme.ko) insmod /modules/$module poll_queues=1 ;; *) insmod /modules/$module ;; esac
done </modules/order
tries=0
while [ $tries -lt 50 ] && ! { [ -e /dev/ng0n1 ] && [ -e /dev/ng1n1 ] && [ -e /dev/ng2n1 ]; }; do
    usleep 200000
    tries=$((tries + 1))
done

# The controllers come up in any order: which is which, their serial numbers say.
for number in 0 1 2; do
    case $(cat /sys/class/nvme/nvme$number/serial) in
        fathom0*) empty=$number ;;
        fathom1*) formatted=$number ;;
        fathom2*) broken=$number ;;
    esac
done
ng=/dev/ng${empty}n1 block=/dev/nvme${empty}n1
echo # what the firmware wrote ends here
run="fathom run --no-store --duration 500ms --warmup 0s"

# says NAME CODE WORDS COMMAND…: the command ends with this code and says these words.
says() {
    name=$1 code=$2 words=$3
    shift 3
    "$@" >/tmp/said 2>&1
    got=$?
    if [ $got = "$code" ] && grep -q -e "$words" /tmp/said; then
        echo "good: $name"
    else
        echo "bad: $name: ended with $got and not $code, or without: $words"
        sed 's/^/    /' /tmp/said
    fi
}

says "reads are commands" 0 '"backend": *"nvme"' $run --json --depth 8 $ng
says "and are told as commands" 0 'NVMe passthrough' $run --json --depth 8 $ng
says "the engine can be named" 0 '4 KiB random reads' $run --engine nvme --threads 2 $ng
says "completions can be polled for" 0 'polled completion' $run --json --poll --depth 4 $ng
says "a rate can be asked" 0 'service' $run --rate 500 --depth 4 $ng

says "an empty namespace is written without words" 0 'writes' $run --write 100 --base 4M --length 1M --pattern sequential --block 64K --depth 4 $ng
dd if=$block of=/tmp/after bs=1M 2>/dev/null
dd if=/dev/zero of=/tmp/zeros bs=1M count=16 2>/dev/null
outside() { dd if=$1 bs=1M count=4 2>/dev/null; dd if=$1 bs=1M skip=5 2>/dev/null; }
outside /tmp/after >/tmp/a
outside /tmp/zeros >/tmp/b
says "the block device shows nothing beside the range" 0 same sh -c 'cmp /tmp/a /tmp/b && echo same'
says "and something in it" 1 'differ' cmp /tmp/after /tmp/zeros
whole="fathom run --no-store --warmup 0s --duration 3s --pattern sequential --block 256K --depth 4"
says "all of it can be written" 0 'writes' $whole --write 100 --destroy $ng $ng
says "then the block device shows fathom's marks in each block" 0 'write' $run --write 50 $block
says "and what fathom wrote it writes again without words" 0 'write' $run --write 50 --write-through $ng

echo "somebody's letter" | dd of=$block bs=4096 seek=2500 conv=notrunc,fsync 2>/dev/null
says "what somebody wrote is not written" 2 "nothing is written\|is not written" $run --write 100 $ng
says "but with its own name said" 0 'writes' $run --write 100 --destroy $ng $ng

says "a block beyond what a command carries is refused" 2 'is not cut' $run --block 8M $ng
says "a cache cannot be had" 2 'say --cache unbuffered' $run --cache cached $ng
says "another engine cannot pass through" 2 'say --engine nvme' $run --engine libaio $ng
says "a block device is no namespace for it" 2 'name such a one' $run --engine nvme $block
says "a survey names the block device" 2 "block device: $block" fathom survey --no-store --read-only $ng
says "a file beside it is refused" 2 'one after the other' $run $ng /dev/nvme${formatted}n1

says "a file system is told before it is written" 2 'ext4 file system' $run --write 100 /dev/ng${formatted}n1
mount -t ext4 /dev/nvme${formatted}n1 /mnt
says "a mounted namespace is not read" 2 'is mounted at /mnt' $run /dev/ng${formatted}n1
says "nor written, whatever is said" 2 'umount /mnt' $run --write 100 --destroy /dev/ng${formatted}n1 /dev/ng${formatted}n1
umount /mnt
says "after that it is read" 0 'random reads' $run /dev/ng${formatted}n1

says "before a place that cannot be read all is well" 0 'reads' $run --length 2M --block 64K --pattern sequential /dev/ng${broken}n1
says "a place that cannot be read is told" 1 'at byte 2097152 failed' $run --base 1M --block 64K --pattern sequential /dev/ng${broken}n1
cp /tmp/said /tmp/passed
says "and so it is by the block device" 1 'at byte 2097152 failed' $run --base 1M --block 64K --pattern sequential /dev/nvme${broken}n1
cp /tmp/said /tmp/blocked
tail=$(sed -n 's/.*failed: //p' /tmp/passed)
says "with the same words" 0 "${tail:-nothing}" cat /tmp/blocked

echo "the end"
poweroff -f
