//! The plan as tables for docs/scale.md.

use super::cluster::{self, Limit, Remedy, Settings, Shape};
use super::figures::Figures;
use super::simulation::{self, Cell, Outcome, Waits};

const GIB: f64 = 1_073_741_824.0;
const HOURS_IN_MONTH: f64 = 730.0;
/// Rows of the ranking of limits that say something.
const SHOWN: usize = 13;

/// Everything, as Markdown.
pub fn report(figures: &Figures) -> String {
    let single = cluster::single(figures);
    let cells = cluster::cells(figures);
    let planned = Settings::planned(figures, &cells);
    let parts = [
        work(figures),
        ranking("One cluster, default settings", &cluster::limits(figures, &single, &Settings::default_of(figures))),
        shape(figures, &cells, &planned),
        ranking("One cell of the plan", &cluster::limits(figures, &cells, &planned)),
        simulated(figures, &cells),
        cost(figures, &cells),
    ];
    parts.join("\n")
}

fn work(figures: &Figures) -> String {
    let turns = cluster::turns(figures);
    let tokens = |each: f64| format!("{} million", number(turns * each / 1e6));
    table(
        &format!("{} debates within {} hours", number(figures.question.debates as f64), figures.question.hours),
        &["what", "how much"],
        &[
            vec!["turns".into(), number(turns)],
            vec!["turns a second".into(), number(cluster::turns_per_s(figures))],
            vec!["tokens generated".into(), tokens(figures.debate.answer_tokens)],
            vec![
                "prompt tokens evaluated".into(),
                tokens(figures.debate.prompt_tokens * (1.0 - figures.debate.cached_share)),
            ],
            vec!["GPU hours".into(), number(turns * cluster::gpu_seconds(figures) / 3_600.0)],
            vec!["seconds of a debate for each of its turns".into(), number(cluster::cycle(figures))],
            vec!["debates that keep all GPUs at work".into(), number(cluster::enough(figures))],
        ],
    )
}

fn shape(figures: &Figures, cells: &Shape, planned: &Settings) -> String {
    let count = |each: u64| vec![number(each as f64), number((each * cells.cells) as f64)];
    let row = |what: &str, values: Vec<String>| [vec![what.to_owned()], values].concat();
    let copies = f64::from(figures.plan.replicas);
    let turns = cells.debates * f64::from(figures.debate.turns);
    let measured = &figures.measured;
    let bytes = turns * (measured.log_bytes_per_turn + measured.register_bytes_per_turn)
        + cells.debates * (measured.catalogue_bytes + measured.job_bytes);
    let all = |each: f64| vec![number(each), number(each * cells.cells as f64)];
    let cores = cells.turns_per_s * (measured.coordinator_ms_per_turn + measured.host_ms_per_turn) / 1e3;
    table(
        &format!("The plan: {} cells", number(cells.cells as f64)),
        &["what", "in a cell", "in all"],
        &[
            row("debates", all(cells.debates)),
            row("turns a second", all(cells.turns_per_s)),
            row("GPUs", count(cells.gpus)),
            row("hosts", count(cells.hosts)),
            row("coordinators", count(cells.coordinators)),
            row("gateways", count(cells.gateways)),
            row("nats-servers", count(u64::from(figures.plan.replicas))),
            row("streams of logs (`nats.shards`)", count(u64::from(figures.plan.shards))),
            row("streams in all, each with its copies", count(u64::from(figures.plan.shards) + STREAMS)),
            row("busy cores of coordinators and hosts", all(cores)),
            row("bus, MB/s", all(cells.turns_per_s * measured.bus_bytes_per_turn / 1e6)),
            row("disk of all copies, GiB", all(bytes * copies / GIB)),
            row("`nats.limits.logs_mib`", vec![number(planned.logs_mib), String::new()]),
            row("`nats.limits.registers_mib`", vec![number(planned.registers_mib), String::new()]),
            row("`coordinator.max_debates`", vec![number(planned.max_debates), String::new()]),
        ],
    )
}

/// Streams beside those of the logs: registers, orders, jobs, request ids, catalogue, large bodies, queued turns, blobs.
const STREAMS: u64 = 8;

fn ranking(title: &str, limits: &[Limit]) -> String {
    let row = |limit: &Limit| {
        let remedy = match limit.remedy {
            Remedy::Setting(key) => format!("setting `{key}`"),
            Remedy::More(what) => format!("more {what}"),
            Remedy::Code(why) => format!("a change of Agon: {why}"),
        };
        let load = limit.load();
        let load = if load > 1.0 { format!("**{}**", number(load)) } else { number(load) };
        vec![limit.what.to_owned(), number(limit.asked), number(limit.there), load, remedy]
    };
    let rows: Vec<_> = limits.iter().take(SHOWN).map(row).collect();
    table(&format!("{title}: what breaks first"), &["what", "asked", "there", "load", "beyond it"], &rows)
}

fn simulated(figures: &Figures, cells: &Shape) -> String {
    let seed = figures.question.seed;
    let mut spread = simulation::spread(figures.question.debates, cells.cells, seed);
    spread.sort_unstable();
    let middle = spread.get(spread.len() / 2).copied().unwrap_or(1);
    let fullest = spread.last().copied().unwrap_or(1);
    let runs = [
        ("the middle cell", middle, cells.gpus),
        ("the fullest cell", fullest, cells.gpus),
        ("the fullest, a tenth of its GPUs gone", fullest, cluster::up(cells.gpus as f64 * 0.9 - 0.5)),
    ];
    let row = |(name, debates, gpus): (&str, u64, u64)| {
        let outcome = simulation::run(&cell(figures, cells, debates, gpus));
        told(name, debates, gpus, &outcome)
    };
    table(
        "Simulated, turn by turn",
        &[
            "cell",
            "debates",
            "GPUs",
            "turns asked, recorded",
            "hours",
            "GPUs busy",
            "wait for a GPU, s: p50, p99, max",
            "wait for NATS, ms: p50, p99, max",
            "busiest nats-server",
            "busiest stream of logs to the mean",
        ],
        &runs.map(row),
    )
}

/// A cell for the simulation.
fn cell(figures: &Figures, cells: &Shape, debates: u64, gpus: u64) -> Cell {
    let places = gpus * u64::from(figures.gpu.sequences);
    let measured = &figures.measured;
    let copies = f64::from(figures.plan.replicas);
    let held = Shape { debates: debates as f64, ..cells.clone() };
    Cell {
        debates,
        turns: figures.debate.turns,
        places,
        seconds: cluster::gpu_seconds(figures) * f64::from(figures.gpu.sequences),
        shards: figures.plan.shards,
        servers: figures.plan.replicas,
        nats_seconds: measured.nats_ms_per_turn / 1e3 * copies,
        background: (cluster::waiting(figures, &held) / measured.nats_requests_per_s).min(1.0),
        ramp: figures.plan.ramp_min * 60.0,
        seed: figures.question.seed,
    }
}

fn told(name: &str, debates: u64, gpus: u64, outcome: &Outcome) -> Vec<String> {
    let three =
        |waits: &Waits, unit: f64| [waits.p50, waits.p99, waits.max].map(|seconds| number(seconds * unit)).join(", ");
    let (hottest, mean) = outcome.hottest_shard;
    vec![
        name.to_owned(),
        number(debates as f64),
        number(gpus as f64),
        format!("{}, {}", number(outcome.asked as f64), number(outcome.recorded as f64)),
        number(outcome.seconds / 3_600.0),
        percent(outcome.gpu_busy),
        three(&outcome.for_gpu, 1.0),
        three(&outcome.for_nats, 1e3),
        percent(outcome.nats_busy),
        format!("{:.3}", hottest as f64 / mean.max(1.0)),
    ]
}

fn cost(figures: &Figures, cells: &Shape) -> String {
    let (price, plan) = (&figures.price, &figures.plan);
    let hours = figures.question.hours;
    let count = cells.cells as f64;
    let gpus = cells.gpus as f64 * count * hours * figures.gpu.usd_per_hour;
    // a core each for what has to be there, whatever it has to do
    let processes = (cells.coordinators + cells.gateways + cells.hosts) as f64 + f64::from(plan.replicas) * 2.0;
    let cores = processes * count * hours * price.core_hour;
    let settings = Settings::planned(figures, cells);
    let gib = (settings.logs_mib + settings.registers_mib) / 1_024.0 * f64::from(plan.replicas) * count;
    let disk = gib * price.disk_gib_month * (hours / HOURS_IN_MONTH).max(1.0 / HOURS_IN_MONTH);
    let all = gpus + cores + disk;
    let debates = figures.question.debates as f64;
    let usd = |value: f64| vec![number(value), format!("{:.5}", value / debates)];
    let row = |what: &str, value: f64| [vec![what.to_owned()], usd(value)].concat();
    table(
        "Cost, US dollars",
        &["what", "in all", "a debate"],
        &[
            row("GPUs", gpus),
            row("cores of everything else", cores),
            row("disks while it lasts", disk),
            row("sum", all),
        ],
    )
}

fn table(title: &str, head: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head: Vec<String> = head.iter().map(|&name| name.to_owned()).collect();
    let rule: Vec<String> = head.iter().map(|_| "---".to_owned()).collect();
    let body: String = rows.iter().map(|row| line(row)).collect();
    format!("### {title}\n\n{}{}{body}", line(&head), line(&rule))
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Three digits that count, with commas between thousands.
fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value:.0}");
    }
    let digits = 2 - value.abs().log10().floor() as i32;
    if digits > 0 {
        let text = format!("{value:.*}", usize::try_from(digits).unwrap_or(0).min(4));
        return if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text };
    }
    let whole = format!("{value:.0}");
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../../docs/scale.md");

    #[test]
    fn the_page_shows_what_the_command_prints() {
        let (_, rest) = PAGE.split_once("<!-- cargo xtask plan -->\n").expect("the page marks where the tables begin");
        let (shown, _) = rest.split_once("<!-- end -->").expect("and where they end");
        let printed = report(&Figures::default());
        assert!(
            shown.trim() == printed.trim(),
            "docs/scale.md is stale: put in what `cargo xtask plan` prints\n{printed}"
        );
    }

    #[test]
    fn the_page_says_where_every_figure_comes_from() {
        let text = toml::to_string(&Figures::default()).unwrap();
        let mut section = String::new();
        for line in text.lines().filter(|line| !line.is_empty()) {
            if let Some(name) = line.strip_prefix('[') {
                section = name.trim_end_matches(']').to_owned();
            } else if let Some((key, value)) = line.split_once(" = ") {
                let value: f64 = value.parse().unwrap();
                let row = format!("| `{section}.{key}` | {value} |");
                assert!(PAGE.contains(&row), "docs/scale.md has no row {row}");
            }
        }
    }

    #[test]
    fn numbers_have_three_digits_that_count() {
        let numbers = [0.0, 0.012_345, 0.5, 12.345, 123.4, 12_345.6, 1_234_567.0].map(number);
        assert_eq!(numbers, ["0", "0.0123", "0.5", "12.3", "123", "12,346", "1,234,567"]);
    }
}
