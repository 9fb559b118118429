#!/usr/bin/env python3
"""Runs a program over MPI on two "hosts" of this machine.

    two_hosts.py MPIEXEC RANKS PROGRAM [ARG...]

The hosts are network namespaces, each with a name of its own and one end of a virtual cable: all that ranks on
different hosts say to each other goes over TCP. That takes Open MPI and a kernel that allows such namespaces. Elsewhere
the ranks are on one host, and the second half of them is told another name of it (ASHLAR_HOST_NAME).

The program finds in ASHLAR_TWO_HOSTS which it is: "network" or "names". Exits as MPIEXEC does.
"""
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile

NETWORK = "10.77.0"
NAMES = ["ashlar-one", "ashlar-two"]
NEW = ["unshare", "--net", "--uts"]
NEW_USER = ["unshare", "--user", "--map-root-user", "--net", "--uts"]


class Netlink:
    """What `ip link` and `ip address` say to the kernel, which need not be installed."""

    NEWLINK, SETLINK, NEWADDR = 16, 19, 20
    REQUEST, ACK, EXCL, CREATE = 0x1, 0x4, 0x200, 0x400

    def __init__(self):
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)

    @staticmethod
    def attribute(kind, data):
        length = 4 + len(data)
        return struct.pack("HH", length, kind) + data + b"\0" * (-length % 4)

    def ask(self, kind, flags, body):
        flags |= self.REQUEST | self.ACK
        self.socket.send(struct.pack("IHHII", 16 + len(body), kind, flags, 1, 0) + body)
        answer = self.socket.recv(65536)
        error = struct.unpack_from("i", answer, 16)[0]
        if error != 0:
            raise OSError(-error, os.strerror(-error))

    def add_cable(self, name, peer, peer_pid):
        """A pair of interfaces; the other end is in the namespace of a process."""
        head = struct.pack("BxHiII", socket.AF_UNSPEC, 0, 0, 0, 0)
        other = head + self.attribute(3, peer.encode() + b"\0") + self.attribute(19, struct.pack("I", peer_pid))
        info = self.attribute(1, b"veth") + self.attribute(2, self.attribute(1, other))
        self.ask(self.NEWLINK, self.CREATE | self.EXCL, head + self.attribute(3, name.encode() + b"\0") +
                 self.attribute(18, info))

    def set_up(self, name):
        self.ask(self.SETLINK, 0, struct.pack("BxHiII", socket.AF_UNSPEC, 0, socket.if_nametoindex(name), 1, 1))

    def add_address(self, name, address):
        packed = socket.inet_aton(address)
        body = struct.pack("BBBBI", socket.AF_INET, 24, 0, 0, socket.if_nametoindex(name))
        self.ask(self.NEWADDR, self.CREATE, body + self.attribute(2, packed) + self.attribute(1, packed))


def settle(number):
    """Makes the namespace that this process is in the host of this number: its cable is there."""
    socket.sethostname(NAMES[number])
    netlink = Netlink()
    netlink.add_address(f"cable{number}", f"{NETWORK}.{number + 1}")
    for name in ["lo", f"cable{number}"]:
        netlink.set_up(name)


def be_second_host():
    """Lives until its standard input ends."""
    print("here", flush=True)
    sys.stdin.readline()
    settle(1)
    print("settled", flush=True)
    sys.stdin.read()


def be_first_host(mpiexec, ranks, program):
    # It and what it starts may be killed together: the second host ends with the pipe.
    with subprocess.Popen(NEW + [sys.executable, "-B", __file__, "--second"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as second, tempfile.TemporaryDirectory() as folder:
        try:
            second.stdout.readline()
            Netlink().add_cable("cable0", "cable1", second.pid)
            second.stdin.write("go\n")
            second.stdin.flush()
            settle(0)
            if second.stdout.readline() != "settled\n":
                raise OSError("the second host has not come up")
            # In place of ssh, which is given the host's name and the words of a command.
            agent = pathlib.Path(folder) / "agent"
            agent.write_text(f'#!/bin/sh\nshift\nexec nsenter --target {second.pid} --net --uts /bin/sh -c "$*"\n')
            agent.chmod(0o755)
            half = (ranks + 1) // 2
            hosts = f"{NETWORK}.1:{half},{NETWORK}.2:{ranks - half}"
            environment = dict(os.environ, ASHLAR_TWO_HOSTS="network", OMPI_ALLOW_RUN_AS_ROOT="1",
                               OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
            environment.pop("ASHLAR_HOST_NAME", None)
            return subprocess.run(
                [mpiexec, "--prtemca", "plm_ssh_agent", str(agent), "--prtemca", "prte_if_include", f"{NETWORK}.0/24",
                 "--mca", "pml", "ob1", "--mca", "btl", "tcp,sm,self", "--mca", "btl_tcp_if_include",
                 f"{NETWORK}.0/24", "-x", "ASHLAR_TWO_HOSTS", "--map-by", ":OVERSUBSCRIBE", "--bind-to", "none",
                 "--host", hosts, "-n", str(ranks)] + program, env=environment).returncode
        finally:
            second.stdin.close()


def namespaces_work(mpiexec):
    said = subprocess.run([mpiexec, "--version"], capture_output=True, text=True).stdout
    if "Open MPI" not in said and "PRRTE" not in said:
        return False
    try:
        # The cable as well: some containers allow namespaces, and nothing in them.
        return subprocess.run(NEW_USER + [sys.executable, "-B", __file__, "--probe"], capture_output=True,
                              timeout=30).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def probe():
    with subprocess.Popen(NEW + [sys.executable, "-B", __file__, "--second"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as second:
        second.stdout.readline()
        Netlink().add_cable("cable0", "cable1", second.pid)
        settle(0)
        second.stdin.close()


def run_with_names(mpiexec, ranks, program):
    script = ('rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${PMIX_RANK:-0}}}; [ "$rank" -lt "$0" ] || '
              f'export ASHLAR_HOST_NAME={NAMES[1]}; exec "$@"')
    environment = dict(os.environ, ASHLAR_TWO_HOSTS="names", ASHLAR_HOST_NAME=NAMES[0])
    flags = os.environ.get("ASHLAR_MPIEXEC_FLAGS", "").split()
    return subprocess.run([mpiexec] + flags + ["-n", str(ranks), "sh", "-c", script, str((ranks + 1) // 2)] + program,
                          env=environment).returncode


def main(arguments):
    if arguments == ["--second"]:
        return be_second_host()
    if arguments == ["--probe"]:
        return probe()
    if arguments[0] == "--first":
        return be_first_host(arguments[1], int(arguments[2]), arguments[3:])
    if namespaces_work(arguments[0]):
        return subprocess.run(NEW_USER + [sys.executable, "-B", __file__, "--first"] + arguments).returncode
    return run_with_names(arguments[0], int(arguments[1]), arguments[2:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
