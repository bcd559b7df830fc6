"""Hosts as network namespaces on one bridge; all of it goes when the block ends."""

import contextlib
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

SYSTEM = "/usr/sbin:/usr/bin:/sbin:/bin"
LAST_WORDS = 10.0
NEEDED = ("ip", "unshare", "setpriv", "nginx", "pgbouncer", "redis-server")


def reason_against() -> str | None:
    """Say why there can be no hosts here."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "network namespaces need root"
    missing = [name for name in NEEDED if find(name) is None]
    if missing:
        return f"missing: {', '.join(missing)}"
    probe = f"tbprobe{secrets.token_hex(2)}"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True)
    if made.returncode:
        return "this machine makes no network namespaces"
    run("ip", "netns", "del", probe)
    return None


def find(program: str) -> str | None:
    """Return where a program of the system is."""
    return shutil.which(program, path=f"{SYSTEM}:{os.environ.get('PATH', '')}")


def run(*command: str) -> None:
    """Run a short command, and fail with what it said."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")


@dataclass
class Running:
    """A program on a host, in a group of its own."""

    process: subprocess.Popen
    log: Path

    @property
    def is_alive(self) -> bool:
        """Tell whether it runs."""
        return self.process.poll() is None

    def send(self, number: int) -> None:
        """Send a signal to it and to what it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def end(self, number: int = signal.SIGTERM) -> None:
        """End it: politely first."""
        for each in (number, signal.SIGKILL):
            if self.is_alive:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.process.pid, each)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(LAST_WORDS)
        self.send(signal.SIGKILL)  # What it left behind.

    def said(self) -> str:
        """Return the end of what it wrote."""
        return self.log.read_text(errors="replace")[-2000:]


@dataclass
class Host:
    """One namespace: its own network, its own name."""

    network: "Network"
    name: str
    address: str
    space: str
    link: str

    def start(self, *command: str, user: str | None = None, **more) -> Running:
        """Start a program here."""
        program = find(command[0]) or command[0]
        lead = ["ip", "netns", "exec", self.space, "unshare", "--uts", "sh", "-c"]
        lead += ['hostname "$0" && exec "$@"', self.name]
        if user:
            group = pwd.getpwnam(user).pw_gid
            lead += ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups"]
        number = len(self.network.running)
        log = self.network.folder / f"{self.name}-{number}.log"
        with log.open("w") as file:
            process = subprocess.Popen(
                [*lead, program, *command[1:]],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **more,
            )
        running = Running(process, log)
        self.network.running.append(running)
        return running

    def cut(self) -> None:
        """Let its packets vanish without a word."""
        run("ip", "link", "set", self.link, "down")

    def mend(self) -> None:
        """Let its packets through again."""
        run("ip", "link", "set", self.link, "up")


@dataclass
class Network:
    """A bridge; the test itself is on it with two addresses, as two clients."""

    folder: Path
    mark: str = field(default_factory=lambda: secrets.token_hex(2))
    hosts: dict[str, Host] = field(default_factory=dict)
    running: list[Running] = field(default_factory=list)

    def __post_init__(self):
        self.bridge = f"tb{self.mark}"
        middle = secrets.randbelow(250) + 1
        self.prefix = f"10.{64 + secrets.randbelow(60)}.{middle}"
        self.clients = [f"{self.prefix}.1", f"{self.prefix}.2"]

    def __enter__(self):
        try:
            run("ip", "link", "add", self.bridge, "type", "bridge")
            for address in self.clients:
                run("ip", "addr", "add", f"{address}/24", "dev", self.bridge)
            run("ip", "link", "set", self.bridge, "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for running in reversed(self.running):
            running.send(signal.SIGCONT)
            running.end()
        quiet = {"capture_output": True, "check": False}
        for host in self.hosts.values():
            subprocess.run(["ip", "netns", "del", host.space], **quiet)
        subprocess.run(["ip", "link", "del", self.bridge], **quiet)

    def host(self, name: str) -> Host:
        """Return a host by its name; it comes into being when first named."""
        if name not in self.hosts:
            self.hosts[name] = self._make(name, 10 + len(self.hosts))
        return self.hosts[name]

    def _make(self, name: str, number: int) -> Host:
        space, link = f"{self.bridge}-{name}", f"{self.bridge}p{number}"
        host = Host(self, name, f"{self.prefix}.{number}", space, link)
        run("ip", "netns", "add", space)
        self.hosts[name] = host  # So that it goes, whatever happens now.
        inside = ["ip", "-n", space]
        run("ip", "link", "add", link, "type", "veth", "peer", "eth0", "netns", space)
        run("ip", "link", "set", link, "master", self.bridge, "up")
        run(*inside, "addr", "add", f"{host.address}/24", "dev", "eth0")
        run(*inside, "link", "set", "eth0", "up")
        run(*inside, "link", "set", "lo", "up")
        return host


def wait_for(what: str, is_so, patience: float = 60.0, every: float = 0.1) -> float:
    """Wait until something is so; return how long it took."""
    began = time.monotonic()
    while not is_so():
        if time.monotonic() - began > patience:
            raise AssertionError(f"waited in vain: {what}")
        time.sleep(every)
    return time.monotonic() - began
