"""M3: two schedulers; one is cut off, stopped, killed: each entry and mail once."""

import random
import signal
import time
from datetime import timedelta

from sqlalchemy import func, select

from tests import sizes
from tests.soaks import guarantees, kills, overdue
from tests.soaks.hosts import parts
from tests.soaks.hosts.browsing import Browser
from tests.soaks.hosts.network import Host, Running, wait_for
from tests.soaks.hosts.world import World
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.states import TradeState

QUICK, LONG = (45, 10.0), (600, 60.0)
LONGEST_BACK_OFF = timedelta(hours=2)


def run(world: World, *, quick: bool) -> dict:
    """Let trades be overdue, hurt the schedulers in each way, and look at the end."""
    began = time.monotonic()
    dice = random.Random(seed := guarantees.seed())
    number, cut_s = QUICK if quick else LONG
    if "web1" not in world.webs:
        world.serve("web1")
    made = overdue.make(number, clock.now())
    _deliver(world)
    hosts = [world.network.host(name) for name in ("sch1", "sch2")]
    dice.shuffle(hosts)
    health = Browser(world.clients[0], world.url("web1"))

    def is_red() -> bool:
        return health.get("/healthz/scheduler").status_code == 503

    running = [parts.scheduler(host, world.environment) for host in hosts]
    goals = sorted(dice.sample(range(1, number), 2))
    _reach(goals[0])
    cut_off(hosts[0], cut_s)
    _reach(goals[1])
    stop(running[1], cut_s)
    for one in running:
        one.send(signal.SIGKILL)
        one.process.wait()
    detect_s = wait_for("red health", is_red)
    running = [parts.scheduler(host, world.environment) for host in hosts]
    recover_s = wait_for("green health", lambda: not is_red(), patience=120)
    for one in running:
        one.end()
    # What waits for another try because of the faults has its turn now.
    parts.flask(world.environment, "jobs", "run", "sweep-overdue", "--at", _later())
    found = kills.check(made)
    return guarantees.report(
        **world.line_of("M3"),
        size=sizes.name(quick=quick),
        n=number,
        violations=sum(found.values()),
        secs=round(time.monotonic() - began, 1),
        seed=seed,
        cut_s=cut_s,
        detect_s=round(detect_s, 1),
        recover_s=round(recover_s, 1),
        entries=len(made.entries),
        **found,
    )


def cut_off(host: Host, seconds: float) -> None:
    """Let one host's packets vanish for a while."""
    host.cut()
    time.sleep(seconds)
    host.mend()


def stop(running: Running, seconds: float) -> None:
    """Let one scheduler stand still for a while, in the middle of whatever it does."""
    running.send(signal.SIGSTOP)
    time.sleep(seconds)
    running.send(signal.SIGCONT)


def _deliver(world: World) -> None:
    """Take what the trades' past queued as sent, or health is red for late mail."""
    with world.database.connect() as connection:
        connection.execute("UPDATE outbox_mail SET sent_at = clock_timestamp()")


def _reach(goal: int) -> None:
    wait_for(f"{goal} defaults", lambda: _defaulted() >= goal, every=0.02)


def _defaulted() -> int:
    db.session.rollback()
    found = select(func.count(Trade.id)).where(Trade.state == TradeState.DEFAULTED)
    number = db.session.scalar(found) or 0
    db.session.rollback()
    return number


def _later() -> str:
    """Return a moment after every back-off, before any other trade is due."""
    return (clock.now() + LONGEST_BACK_OFF).isoformat()
