"""The script that collects the input of `netsim import`, as a string: it runs where netsim is not installed."""

SCRIPT = r"""#!/bin/sh
# Writes what the tools of this machine print into a new folder, for `netsim import`. It sends nothing, and changes
# nothing else. Only root can see PCI Express links:  sudo sh collect.sh FOLDER
# To add a measured run, put the output of `iperf3 --json` into the folder, as iperf3-INTERFACE.json.
LC_ALL=C; export LC_ALL
d=${1:-machine}; mkdir "$d" || exit 1
put() { f=$d/$1; shift; "$@" >"$f" 2>&1; }
put lspci lspci -vv
put lscpu.json lscpu -J
put interrupts cat /proc/interrupts
put softnet_stat cat /proc/net/softnet_stat
put cmdline cat /proc/cmdline
sysctl -a 2>/dev/null | grep -E '^net\.(core|ipv4\.tcp_)' >"$d/sysctl"
c=/boot/config-$(uname -r)
{ zcat /proc/config.gz || cat "$c"; } 2>/dev/null | grep CONFIG_HZ >"$d/config" || rm "$d/config"
for p in /sys/class/net/*/device; do
    i=${p%/device}; i=${i##*/}
    [ -e "/sys/class/net/$i/mtu" ] || continue
    put "mtu-$i" cat "/sys/class/net/$i/mtu"
    put "ethtool-$i" ethtool "$i"
    for o in i g l c k a S; do put "ethtool-$o-$i" ethtool "-$o" "$i"; done
done
echo "$d"
"""
