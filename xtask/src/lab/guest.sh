#!/bin/busybox sh
# First process of the virtual machine whose root is this machine's: runs each line of /job/rows by /job/environments.sh.
# Results are /job/NUMBER.out, .err and .code. Nothing is written to the root: a file system in memory is above it.
if [ "$1" != rows ]; then
    /bin/busybox --install -s /bin
    export PATH=/bin
    mount -t proc proc /proc
    mount -t sysfs sys /sys
    mount -t devtmpfs dev /dev
    while read -r module; do insmod "/modules/$module"; done </modules/order
    mkdir /mnt/below /mnt/above /mnt/root
    mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=loose,ro host /mnt/below
    mount -t tmpfs -o size=1g above /mnt/above
    mkdir /mnt/above/upper /mnt/above/work
    mount -t overlay -o lowerdir=/mnt/below,upperdir=/mnt/above/upper,workdir=/mnt/above/work root /mnt/root
    for place in proc sys dev; do mount --move /$place /mnt/root/$place; done
    cp /init /mnt/root/guest
    mkdir -p /mnt/root/job /mnt/root/lib/modules
    exec switch_root /mnt/root /bin/bash /guest rows
fi
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb DM_DISABLE_UDEV=1 LC_ALL=C
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=none job /job
mount -t 9p -o trans=virtio,version=9p2000.L,cache=loose,ro modules /lib/modules
for place in /tmp /run /dev/shm; do mkdir -p $place; mount -t tmpfs none $place; done
mkdir -p /dev/pts /run/lock
mount -t devpts none /dev/pts
mount -t cgroup2 none /sys/fs/cgroup
mount -t debugfs none /sys/kernel/debug
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
modprobe -a loop configfs virtio_blk fuse ext4
mount -t configfs none /sys/kernel/config 2>/dev/null
ln -s /proc/self/fd /dev/fd 2>/dev/null
ip link set lo up
# The first disk is for images: what is in the root is in memory.
mkfs.ext4 -q -F -E lazy_itable_init=0,nodiscard /dev/vda && mount /dev/vda /var/tmp
cp /job/fathom /job/faultfs /tmp/ 2>/dev/null
export FAULTFS=/tmp/faultfs FATHOM_GUEST=yes
number=0
echo # what the firmware wrote ends here
while IFS='|' read -r environment command options <&3; do
    SECONDS=0
    timeout --kill-after=10 "$(cat /job/seconds)" unshare --mount --propagation private \
        bash /job/environments.sh /tmp/fathom "$environment" "$command" $options \
        >/job/$number.out 2>/job/$number.err </dev/null
    code=$?
    echo $code >/job/$number.code
    echo "row $number: $environment $command $options: exit code $code after $SECONDS s"
    number=$((number + 1))
done 3</job/rows
echo "the end"
sync
echo 1 >/proc/sys/kernel/sysrq
echo o >/proc/sysrq-trigger
sleep 60
