"""Plans very many debates at once, on paper and in a simulation, and prints the tables of ../scale.md.

    python3 docs/scale/plan.py [--debates N] [--hours HOURS] [--input FILE]

FILE is TOML as in figures.toml; what it leaves out stays as it is there. Python 3.11 or newer, without packages.
"""

import argparse
import heapq
import math
import tomllib
from collections import deque
from pathlib import Path
from types import SimpleNamespace

FIGURES = Path(__file__).parent / "figures.toml"
MIB, GIB = 2**20, 2**30
KIB_IN_GIB = 2**20
HOURS_IN_MONTH = 730
# Beside those of the logs: registers, orders, jobs, request ids, catalogue, large bodies, queued turns, blobs.
STREAMS = 8


# --- figures ---


def read(path=None):
    """The figures of a file, and the usual ones for what it leaves out."""
    figures = tomllib.loads(FIGURES.read_text())
    for name, section in (tomllib.loads(Path(path).read_text()) if path else {}).items():
        if name not in figures or not isinstance(section, dict):
            raise SystemExit(f"{path}: no figures are called `{name}`")
        for key, value in section.items():
            if key not in figures[name] or not isinstance(value, (int, float)) or isinstance(value, bool):
                raise SystemExit(f"{path}: `{name}.{key}` is no figure of a plan")
            figures[name][key] = value
    return SimpleNamespace(**{name: SimpleNamespace(**section) for name, section in figures.items()})


def check(figures):
    """Refuses what no plan can be made from."""
    question, debate, gpu, plan, measured = (
        figures.question, figures.debate, figures.gpu, figures.plan, figures.measured,
    )
    rules = [
        (1 <= question.debates <= 10_000_000, "question.debates must lie between 1 and 10,000,000"),
        (1 <= debate.turns <= 10_000, "debate.turns must lie between 1 and 10,000"),
        (gpu.sequences > 0 and gpu.per_host > 0, "gpu.sequences and gpu.per_host must be at least 1"),
        (plan.shards > 0 and plan.replicas > 0, "plan.shards and plan.replicas must be at least 1"),
        (0 <= debate.cached_share <= 1, "debate.cached_share must lie between 0 and 1"),
    ]
    positive = {
        "question.hours": question.hours,
        "gpu.busy": gpu.busy,
        "gpu.tokens_per_s": gpu.tokens_per_s,
        "gpu.prefill_tokens_per_s": gpu.prefill_tokens_per_s,
        "plan.headroom": plan.headroom,
        "plan.max_debates": plan.max_debates,
        "measured.nats_requests_per_s": measured.nats_requests_per_s,
    }
    rules += [(math.isfinite(value) and value > 0, f"{name} must be greater than 0") for name, value in positive.items()]
    rules += [(gpu.busy <= 1 and plan.headroom <= 1, "gpu.busy and plan.headroom are shares of 1")]
    for holds, rule in rules:
        if not holds:
            raise SystemExit(rule)


# --- arithmetic: how many of everything, and how near each limit is ---


def turns_of(figures):
    return figures.question.debates * figures.debate.turns


def turns_per_second(figures):
    return turns_of(figures) / (figures.question.hours * 3600)


def gpu_seconds(figures):
    """Seconds of a whole GPU that a turn takes: its share of evaluating prompts and of generating."""
    debate, gpu = figures.debate, figures.gpu
    evaluated = debate.prompt_tokens * (1 - debate.cached_share)
    return evaluated / gpu.prefill_tokens_per_s + debate.answer_tokens / (gpu.tokens_per_s * gpu.sequences)


def cycle(figures):
    """Seconds of a debate for each of its turns, if all debates run all the time."""
    return figures.question.hours * 3600 / figures.debate.turns


def enough(figures):
    """Debates that have to run at a time to keep all GPUs at work: the others may as well wait."""
    slots = turns_per_second(figures) * gpu_seconds(figures) / figures.gpu.busy * figures.gpu.sequences
    return min(slots, figures.question.debates)


def up(value):
    return max(math.ceil(value), 1)


def single(figures):
    """All debates in one cluster as it is by default."""
    return shape(figures, 1, figures.defaults.max_debates)


def spread_out(figures):
    """The debates spread over clusters none of which comes near its limits."""
    each = max(figures.plan.debates_per_cell or most_of_a_cell(figures), 1)
    return shape(figures, -(-figures.question.debates // each), figures.plan.max_debates)


def most_of_a_cell(figures):
    """The debates of a cell that what cannot be set allows."""
    measured, headroom = figures.measured, figures.plan.headroom
    waiting = measured.nats_requests_per_s / max(measured.messages_per_waiting_s, 1e-300)
    fits, over = 1, max(int(waiting * headroom), 1) + 1
    while over - fits > 1:
        middle = (fits + over) // 2
        enough = lists(figures, middle, up(middle / figures.plan.max_debates) + 1) <= headroom
        fits, over = (middle, over) if enough else (fits, middle)
    return fits


def lists(figures, debates, coordinators):
    """Processor seconds, each second, of the nats-server that lists the queued turns for each coordinator."""
    takes = debates * figures.measured.list_ms_per_thousand / 1e6
    return coordinators * takes / max(figures.defaults.list_s, takes * (1 + figures.defaults.list_rests))


def shape(figures, cells, max_debates):
    turns_per_s = turns_per_second(figures) / cells
    gpus = up(turns_per_s * gpu_seconds(figures) / figures.gpu.busy)
    debates = figures.question.debates / cells
    return SimpleNamespace(
        cells=cells,
        debates=debates,
        turns_per_s=turns_per_s,
        gpus=gpus,
        hosts=-(-gpus // figures.gpu.per_host),
        # one more, so that one may be replaced
        coordinators=up(debates / max_debates) + 1,
        gateways=figures.plan.gateways,
    )


def default_settings(figures):
    defaults = figures.defaults
    return SimpleNamespace(
        max_debates=defaults.max_debates, logs_mib=defaults.logs_mib, registers_mib=defaults.registers_mib, servers=1,
        turns=defaults.queued_turns, jobs=defaults.jobs, jobs_mib=defaults.jobs_mib,
        catalogue_mib=defaults.catalogue_mib,
    )


def planned_settings(figures, cells):
    """As the plan needs them: streams large enough, with headroom."""
    measured, defaults, debates = figures.measured, figures.defaults, cells.debates
    turns = debates * figures.debate.turns

    def room(size, default):
        return math.ceil(max(size / figures.plan.headroom, default))

    return SimpleNamespace(
        max_debates=figures.plan.max_debates,
        logs_mib=room(turns * measured.log_bytes_per_turn / MIB, defaults.logs_mib),
        registers_mib=room(turns * measured.register_bytes_per_turn / MIB, defaults.registers_mib),
        servers=figures.plan.replicas,
        turns=room(debates, defaults.queued_turns),
        jobs=room(debates, defaults.jobs),
        jobs_mib=room(debates * measured.job_bytes / MIB, defaults.jobs_mib),
        catalogue_mib=room(debates * measured.catalogue_bytes / MIB, defaults.catalogue_mib),
    )


def waiting(figures, debates):
    """Messages a second of debates whose turns wait or are played."""
    return debates * figures.measured.messages_per_waiting_s


def limits(figures, cell, settings):
    """What is limited, what is asked of it, what there is, and what can be done; what breaks first comes first."""
    measured, defaults, plan = figures.measured, figures.defaults, figures.plan
    debates, turns = cell.debates, cell.debates * figures.debate.turns
    catalogue = debates * measured.catalogue_kib_per_debate / KIB_IN_GIB
    coordinated = settings.max_debates * measured.coordinator_kib_per_debate / KIB_IN_GIB
    followers = cell.coordinators + cell.gateways
    processes = followers + cell.hosts
    notes = min(cell.turns_per_s, debates / defaults.note_s)
    everywhere = "a change of Agon: each follows the whole catalogue"
    rows = [
        ("turns asked and not yet answered", debates, settings.turns, "setting `nats.limits.turns`"),
        ("lists of queued turns, processor seconds at one server each second",
         lists(figures, debates, cell.coordinators), 1,
         "setting `coordinator.max_debates`; a change of Agon: each coordinator lists all queued turns"),
        ("debates waiting or running: jobs", debates, settings.jobs, "setting `nats.limits.jobs`"),
        ("stream of jobs, MiB", debates * measured.job_bytes / MIB, settings.jobs_mib,
         "setting `nats.limits.jobs_mib`"),
        ("catalogue, MiB", debates * measured.catalogue_bytes / MIB, settings.catalogue_mib,
         "setting `nats.limits.catalogue_mib`"),
        ("logs, MiB", turns * measured.log_bytes_per_turn / MIB, settings.logs_mib, "setting `nats.limits.logs_mib`"),
        ("registers, MiB", turns * measured.register_bytes_per_turn / MIB, settings.registers_mib,
         "setting `nats.limits.registers_mib`"),
        ("messages of debates that wait, each second, at one server", waiting(figures, debates),
         measured.nats_requests_per_s,
         "a change of Agon: registers and jobs are one stream each, whatever `nats.shards` says"),
        ("processor seconds of turns at nats-servers, each second",
         cell.turns_per_s * measured.nats_ms_per_turn / 1e3 * settings.servers, settings.servers,
         "more nats-servers, and `nats.shards`"),
        ("seconds from asking a turn to its answer", cycle(figures), figures.debate.patience_s, "more GPUs"),
        ("memory of a gateway, GiB", catalogue, plan.process_gib, everywhere),
        ("memory of a coordinator, GiB", catalogue + coordinated, plan.process_gib, everywhere),
        ("deliveries of signs of life, each second", processes * processes / defaults.heartbeat_s,
         plan.deliveries_per_s, "setting `coordinator.max_debates`"),
        ("deliveries of the catalogue, each second", notes * followers, plan.deliveries_per_s,
         "setting `coordinator.max_debates`"),
    ]
    return sorted(rows, key=lambda row: -row[1] / row[2])


# --- a cell at work, event by event, everything by chance from a seed ---

WORD = 2**64 - 1


def chance(seed, name):
    """A number that looks as if by chance, and is the same for the same seed and name (SplitMix64)."""
    mixed = (name + seed * 0xD1342543DE82EF95 + 0x9E3779B97F4A7C15) & WORD
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & WORD
    return mixed ^ (mixed >> 31)


def spread(debates, places, seed):
    """How many of the debates fall into each place by a hash of their ids."""
    counts = [0] * max(places, 1)
    for debate in range(debates):
        counts[chance(seed, debate) % len(counts)] += 1
    return counts


class Server:
    """Takes one thing after the other."""

    def __init__(self):
        self.free = self.worked = 0.0

    def join(self, now, work):
        """Joins the line for `work` seconds; gives how long it waited, and when it is done."""
        begin = max(now, self.free)
        self.free = begin + work
        self.worked += work
        return begin - now, self.free


ASK, PLAY, RECORD = range(3)


def simulate(cell):
    """Lets a cell hold its debates to their end.

    Each turn is asked in the log of its shard, waits for a place at a GPU in the order of asking, takes between a half and one and a
    half of the mean time there, and is written to the register and to the log.
    """
    shards, places = max(cell.shards, 1), max(cell.places, 1)
    # one nats-server leads the registers, the others the logs
    logs = [Server() for _ in range(max(cell.servers, 2) - 1)]
    registers = Server()
    left, shard_turns = [cell.turns] * cell.debates, [0] * shards
    shard_of = [chance(cell.seed ^ 0x5EED, debate) % shards for debate in range(cell.debates)]
    for_gpu, for_nats, line, events = [], [], deque(), []
    free, played, recorded, end, pushed = places, 0.0, 0, 0.0, 0
    # what waits takes its share of the server away from what happens
    registering = cell.nats_seconds / 4 / (1 - min(cell.background, 0.99))

    def push(at, debate, step):
        nonlocal pushed
        pushed += 1
        heapq.heappush(events, (at, pushed, debate, step))

    def log(now, debate, work):
        waited, done = logs[shard_of[debate] % len(logs)].join(now, work)
        for_nats.append(waited)
        return done

    def fill(now):
        nonlocal free, played
        while free and line:
            since, debate = line.popleft()
            free -= 1
            for_gpu.append(now - since)
            takes = cell.seconds * (0.5 + chance(cell.seed, (debate << 16) | left[debate]) / WORD)
            played += takes
            push(now + takes, debate, RECORD)

    for debate in range(cell.debates):
        push(cell.ramp * debate / cell.debates, debate, ASK)
    while events:
        now, _, debate, step = heapq.heappop(events)
        if step == ASK:
            shard_turns[shard_of[debate]] += 1
            push(log(now, debate, cell.nats_seconds / 2), debate, PLAY)
        elif step == PLAY:
            line.append((now, debate))
            fill(now)
        else:
            free += 1
            fill(now)
            waited, written = registers.join(now, registering)
            for_nats.append(waited)
            done = log(written, debate, cell.nats_seconds / 4)
            recorded += 1
            end = max(end, done)
            left[debate] -= 1
            if left[debate]:
                push(done, debate, ASK)
    asked, seconds = sum(shard_turns), max(end, 1e-300)
    busiest = registers.worked / seconds * (1 - cell.background) + cell.background
    return SimpleNamespace(
        asked=asked,
        recorded=recorded,
        seconds=seconds,
        gpu_busy=played / (seconds * places),
        nats_busy=max([busiest] + [server.worked / seconds for server in logs]),
        for_gpu=waits(for_gpu),
        for_nats=waits(for_nats),
        hottest_to_mean=max(shard_turns) / max(asked / shards, 1),
    )


def waits(seconds):
    """The middle one, that which one of a hundred exceeds, and the longest."""
    seconds.sort()
    return [seconds[(len(seconds) - 1) * hundredths // 100] if seconds else 0.0 for hundredths in (50, 99, 100)]


def simulated_cell(figures, debates, gpus):
    gpu, plan, measured = figures.gpu, figures.plan, figures.measured
    return SimpleNamespace(
        debates=debates,
        turns=figures.debate.turns,
        places=gpus * gpu.sequences,
        seconds=gpu_seconds(figures) * gpu.sequences,
        shards=plan.shards,
        servers=plan.replicas,
        nats_seconds=measured.nats_ms_per_turn / 1e3 * plan.replicas,
        background=min(waiting(figures, debates) / measured.nats_requests_per_s, 1),
        ramp=plan.ramp_min * 60,
        seed=figures.question.seed,
    )


# --- the tables ---


def report(figures):
    """Everything, as Markdown."""
    cells = spread_out(figures)
    planned = planned_settings(figures, cells)
    return "\n".join([
        work_table(figures),
        ranking("One cluster, default settings", limits(figures, single(figures), default_settings(figures))),
        shape_table(figures, cells, planned),
        ranking("One cell of the plan", limits(figures, cells, planned)),
        simulation_table(figures, cells),
        cost_table(figures, cells, planned),
    ])


def work_table(figures):
    turns = turns_of(figures)
    evaluated = figures.debate.prompt_tokens * (1 - figures.debate.cached_share)
    return table(f"{number(figures.question.debates)} debates within {figures.question.hours:g} hours", ["what", "how much"], [
        ["turns", number(turns)],
        ["turns a second", number(turns_per_second(figures))],
        ["tokens generated", f"{number(turns * figures.debate.answer_tokens / 1e6)} million"],
        ["prompt tokens evaluated", f"{number(turns * evaluated / 1e6)} million"],
        ["GPU hours", number(turns * gpu_seconds(figures) / 3600)],
        ["seconds of a debate for each of its turns", number(cycle(figures))],
        ["debates that keep all GPUs at work", number(enough(figures))],
    ])


def shape_table(figures, cells, planned):
    plan, measured = figures.plan, figures.measured
    turns = cells.debates * figures.debate.turns
    size = turns * (measured.log_bytes_per_turn + measured.register_bytes_per_turn)
    size += cells.debates * (measured.catalogue_bytes + measured.job_bytes)
    cores = cells.turns_per_s * (measured.coordinator_ms_per_turn + measured.host_ms_per_turn) / 1e3
    each = {
        "debates": cells.debates,
        "turns a second": cells.turns_per_s,
        "GPUs": cells.gpus,
        "hosts": cells.hosts,
        "coordinators": cells.coordinators,
        "gateways": cells.gateways,
        "nats-servers": plan.replicas,
        "streams of logs (`nats.shards`)": plan.shards,
        "streams in all, each with its copies": plan.shards + STREAMS,
        "busy cores of coordinators and hosts": cores,
        "bus, MB/s": cells.turns_per_s * measured.bus_bytes_per_turn / 1e6,
        "disk of all copies, GiB": size * plan.replicas / GIB,
    }
    settings = {
        "`nats.limits.logs_mib`": planned.logs_mib,
        "`nats.limits.registers_mib`": planned.registers_mib,
        "`nats.limits.turns`": planned.turns,
        "`coordinator.max_debates`": planned.max_debates,
    }
    rows = [[what, number(value), number(value * cells.cells)] for what, value in each.items()]
    rows += [[what, number(value), ""] for what, value in settings.items()]
    return table(f"The plan: {number(cells.cells)} cells", ["what", "in a cell", "in all"], rows)


def ranking(title, rows):
    def loaded(asked, there):
        load = asked / there
        return f"**{number(load)}**" if load > 1 else number(load)

    rows = [[what, number(asked), number(there), loaded(asked, there), remedy] for what, asked, there, remedy in rows]
    return table(f"{title}: what breaks first", ["what", "asked", "there", "load", "beyond it"], rows)


def simulation_table(figures, cells):
    counts = sorted(spread(figures.question.debates, cells.cells, figures.question.seed))
    middle, fullest = counts[len(counts) // 2], counts[-1]
    runs = [
        ("the middle cell", middle, cells.gpus),
        ("the fullest cell", fullest, cells.gpus),
        ("the fullest, a tenth of its GPUs gone", fullest, up(cells.gpus * 0.9 - 0.5)),
    ]
    rows = []
    for name, debates, gpus in runs:
        outcome = simulate(simulated_cell(figures, debates, gpus))
        rows.append([
            name, number(debates), number(gpus), f"{number(outcome.asked)}, {number(outcome.recorded)}",
            number(outcome.seconds / 3600), f"{outcome.gpu_busy * 100:.0f} %",
            ", ".join(number(seconds) for seconds in outcome.for_gpu),
            ", ".join(number(seconds * 1e3) for seconds in outcome.for_nats),
            f"{outcome.nats_busy * 100:.0f} %", f"{outcome.hottest_to_mean:.3f}",
        ])
    return table("Simulated, turn by turn", [
        "cell", "debates", "GPUs", "turns asked, recorded", "hours", "GPUs busy", "wait for a GPU, s: p50, p99, max",
        "wait for NATS, ms: p50, p99, max", "busiest nats-server", "busiest stream of logs to the mean",
    ], rows)


def cost_table(figures, cells, planned):
    price, copies, hours, count = figures.price, figures.plan.replicas, figures.question.hours, cells.cells
    # a core each for what has to be there, whatever it has to do
    processes = cells.coordinators + cells.gateways + cells.hosts + copies * 2
    gib = (planned.logs_mib + planned.registers_mib) / 1024 * copies * count
    costs = {
        "GPUs": cells.gpus * count * hours * figures.gpu.usd_per_hour,
        "cores of everything else": processes * count * hours * price.core_hour,
        "disks while it lasts": gib * price.disk_gib_month * max(hours, 1) / HOURS_IN_MONTH,
    }
    costs["sum"] = sum(costs.values())
    rows = [[what, number(usd), f"{usd / figures.question.debates:.5f}"] for what, usd in costs.items()]
    return table("Cost, US dollars", ["what", "in all", "a debate"], rows)


def table(title, head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return f"### {title}\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def number(value):
    """Three digits that count, with commas between thousands."""
    if value == 0 or not math.isfinite(value):
        return f"{value:.0f}"
    digits = 2 - math.floor(math.log10(abs(value)))
    if digits <= 0:
        return f"{value:,.0f}"
    text = f"{value:.{min(digits, 4)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def main():
    parser = argparse.ArgumentParser(description="Plans very many debates at once, from measured figures.")
    parser.add_argument("--debates", type=int, metavar="N", help="debates that run at the same time")
    parser.add_argument("--hours", type=float, metavar="HOURS", help="hours within which all of them end")
    parser.add_argument("--input", metavar="FILE", help="take figures from this TOML file (see figures.toml)")
    options = parser.parse_args()
    figures = read(options.input)
    for name in ("debates", "hours"):
        if getattr(options, name) is not None:
            setattr(figures.question, name, getattr(options, name))
    check(figures)
    print(report(figures), end="")


if __name__ == "__main__":
    main()
