"""The network namespace that holds every process and pod of the cluster."""
import os
import subprocess

from harness.settings import IP, NETNS, NETNS_FILE

# Not "ip netns exec": that remounts /sys, the cgroup mounts vanish and the kubelet dies.
ENTER = ["nsenter", f"--net={NETNS_FILE}"]


def exists() -> bool:
    return NETNS_FILE.exists()


def contains(pid: int) -> bool:
    """Whether a process lives in the namespace: then it is one of ours, whatever its number was before."""
    try:
        return exists() and os.stat(f"/proc/{pid}/ns/net").st_ino == os.stat(NETNS_FILE).st_ino
    except OSError:
        return False


def ensure() -> None:
    if not exists():
        subprocess.run(["ip", "netns", "add", NETNS], check=True)
    subprocess.run(["ip", "-n", NETNS, "link", "set", "lo", "up"], check=True)
    subprocess.run(["ip", "-n", NETNS, "address", "replace", f"{IP}/32", "dev", "lo"], check=True)
    subprocess.run([*ENTER, "sysctl", "-qw", "net.ipv4.ip_forward=1"], check=True)


def remove() -> None:
    if exists():
        subprocess.run(["ip", "netns", "delete", NETNS], check=True)
