//! What a number of debates asks of clusters: how many of everything, and how near each limit is.

use super::figures::Figures;

const KIB_IN_GIB: f64 = 1_048_576.0;
const BYTES_IN_MIB: f64 = 1_048_576.0;

/// How many clusters of which size.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Clusters of their own.
    pub cells: u64,
    /// Debates of each, mean.
    pub debates: f64,
    /// Turns a second in each, mean.
    pub turns_per_s: f64,
    /// GPUs of each.
    pub gpus: u64,
    /// Host processes of each.
    pub hosts: u64,
    /// Coordinators of each.
    pub coordinators: u64,
    /// Gateways of each.
    pub gateways: u64,
}

/// What can be done about a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// This setting.
    Setting(&'static str),
    /// More machines or processes.
    More(&'static str),
    /// Nothing but another version of Agon.
    Code(&'static str),
}

/// A limit, and what is asked of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// What is limited, with its unit.
    pub what: &'static str,
    /// What the debates ask.
    pub asked: f64,
    /// What there is.
    pub there: f64,
    /// What can be done.
    pub remedy: Remedy,
}

impl Limit {
    /// How often what there is would be needed: above 1 it breaks.
    pub fn load(&self) -> f64 {
        self.asked / self.there
    }
}

/// Seconds of a whole GPU that a turn takes: its share of evaluating prompts and of generating.
pub fn gpu_seconds(figures: &Figures) -> f64 {
    let (debate, gpu) = (&figures.debate, &figures.gpu);
    let evaluated = debate.prompt_tokens * (1.0 - debate.cached_share);
    evaluated / gpu.prefill_tokens_per_s + debate.answer_tokens / (gpu.tokens_per_s * f64::from(gpu.sequences))
}

/// Turns a second, for all debates to end in time.
pub fn turns_per_s(figures: &Figures) -> f64 {
    turns(figures) / (figures.question.hours * 3_600.0)
}

/// Turns of all debates.
pub fn turns(figures: &Figures) -> f64 {
    figures.question.debates as f64 * f64::from(figures.debate.turns)
}

/// All debates in one cluster as it is by default.
pub fn single(figures: &Figures) -> Shape {
    shape(figures, 1, figures.defaults.max_debates)
}

/// The debates spread over clusters none of which comes near its limits.
pub fn cells(figures: &Figures) -> Shape {
    let wanted = figures.question.debates;
    let each = match figures.plan.debates_per_cell {
        0 => most(figures),
        each => each,
    };
    shape(figures, wanted.div_ceil(each.max(1)), figures.plan.max_debates)
}

/// The debates of a cell that what cannot be set allows.
fn most(figures: &Figures) -> u64 {
    let (measured, limits) = (&figures.measured, &figures.defaults);
    let waiting = measured.nats_requests_per_s / measured.messages_per_waiting_s.max(f64::MIN_POSITIVE);
    let jobs = limits.jobs_mib * BYTES_IN_MIB / measured.job_bytes;
    let least = limits.queued_turns.min(waiting).min(jobs) * figures.plan.headroom;
    (least as u64).max(1)
}

fn shape(figures: &Figures, cells: u64, max_debates: f64) -> Shape {
    let count = cells as f64;
    let turns_per_s = turns_per_s(figures) / count;
    let gpus = up(turns_per_s * gpu_seconds(figures) / figures.gpu.busy);
    let debates = figures.question.debates as f64 / count;
    Shape {
        cells,
        debates,
        turns_per_s,
        gpus,
        hosts: gpus.div_ceil(u64::from(figures.gpu.per_host)),
        // one more, so that one may be replaced
        coordinators: up(debates / max_debates) + 1,
        gateways: u64::from(figures.plan.gateways),
    }
}

/// The limits of one of these clusters, the one that breaks first at the top.
pub fn limits(figures: &Figures, shape: &Shape, settings: &Settings) -> Vec<Limit> {
    let mut all = in_streams(figures, shape, settings);
    all.extend(of_processes(figures, shape, settings));
    all.sort_by(|a, b| b.load().total_cmp(&a.load()));
    all
}

/// What is set otherwise in the plan than by default.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// `coordinator.max_debates`
    pub max_debates: f64,
    /// `nats.limits.logs_mib`
    pub logs_mib: f64,
    /// `nats.limits.registers_mib`
    pub registers_mib: f64,
    /// nats-servers, each with a copy of all streams.
    pub servers: f64,
}

impl Settings {
    /// As they are by default, on one server.
    pub fn default_of(figures: &Figures) -> Self {
        let limits = &figures.defaults;
        Self {
            max_debates: limits.max_debates,
            logs_mib: limits.logs_mib,
            registers_mib: limits.registers_mib,
            servers: 1.0,
        }
    }

    /// As the plan needs them: streams large enough, with headroom.
    pub fn planned(figures: &Figures, shape: &Shape) -> Self {
        let turns = shape.debates * f64::from(figures.debate.turns);
        let room = |bytes: f64, default: f64| (turns * bytes / BYTES_IN_MIB / figures.plan.headroom).max(default);
        Self {
            max_debates: figures.plan.max_debates,
            logs_mib: room(figures.measured.log_bytes_per_turn, figures.defaults.logs_mib).ceil(),
            registers_mib: room(figures.measured.register_bytes_per_turn, figures.defaults.registers_mib).ceil(),
            servers: f64::from(figures.plan.replicas),
        }
    }
}

fn in_streams(figures: &Figures, shape: &Shape, settings: &Settings) -> Vec<Limit> {
    let (measured, limits) = (&figures.measured, &figures.defaults);
    let limit = |what, asked, there, remedy| Limit { what, asked, there, remedy };
    let mib = |bytes: f64| bytes / BYTES_IN_MIB;
    let turns = shape.debates * f64::from(figures.debate.turns);
    let queue = "the size of the turns' queue is no setting";
    let one_stream = "registers and jobs are one stream each, whatever `nats.shards` says";
    vec![
        limit("turns asked and not yet answered", shape.debates, limits.queued_turns, Remedy::Code(queue)),
        limit("debates waiting or running: jobs", shape.debates, limits.jobs, Remedy::Setting("nats.limits.jobs")),
        limit(
            "stream of jobs, MiB",
            mib(shape.debates * measured.job_bytes),
            limits.jobs_mib,
            Remedy::Code("its bytes are no setting"),
        ),
        limit(
            "catalogue, MiB",
            mib(shape.debates * measured.catalogue_bytes),
            limits.catalogue_mib,
            Remedy::Setting("nats.limits.catalogue_mib"),
        ),
        limit(
            "logs, MiB",
            mib(turns * measured.log_bytes_per_turn),
            settings.logs_mib,
            Remedy::Setting("nats.limits.logs_mib"),
        ),
        limit(
            "registers, MiB",
            mib(turns * measured.register_bytes_per_turn),
            settings.registers_mib,
            Remedy::Setting("nats.limits.registers_mib"),
        ),
        limit(
            "messages of debates that wait, each second, at one server",
            waiting(figures, shape),
            measured.nats_requests_per_s,
            Remedy::Code(one_stream),
        ),
        limit(
            "processor seconds of turns at nats-servers, each second",
            shape.turns_per_s * measured.nats_ms_per_turn / 1e3 * settings.servers,
            settings.servers,
            Remedy::More("nats-servers, and `nats.shards`"),
        ),
    ]
}

/// Messages a second of the debates of a cluster whose turns wait or are played.
pub fn waiting(figures: &Figures, shape: &Shape) -> f64 {
    shape.debates * figures.measured.messages_per_waiting_s
}

fn of_processes(figures: &Figures, shape: &Shape, settings: &Settings) -> Vec<Limit> {
    let (measured, plan) = (&figures.measured, &figures.plan);
    let limit = |what, asked, there, remedy| Limit { what, asked, there, remedy };
    let catalogue = shape.debates * measured.catalogue_kib_per_debate / KIB_IN_GIB;
    let debates = settings.max_debates * measured.coordinator_kib_per_debate / KIB_IN_GIB;
    let followers = (shape.coordinators + shape.gateways) as f64;
    let processes = followers + shape.hosts as f64;
    let notes = shape.turns_per_s.min(shape.debates / figures.defaults.note_s);
    vec![
        limit(
            "seconds from asking a turn to its answer",
            cycle(figures),
            figures.debate.patience_s,
            Remedy::More("GPUs"),
        ),
        limit(
            "memory of a gateway, GiB",
            catalogue,
            plan.process_gib,
            Remedy::Code("each follows the whole catalogue"),
        ),
        limit(
            "memory of a coordinator, GiB",
            catalogue + debates,
            plan.process_gib,
            Remedy::Code("each follows the whole catalogue"),
        ),
        limit(
            "deliveries of signs of life, each second",
            processes * processes / figures.defaults.heartbeat_s,
            plan.deliveries_per_s,
            Remedy::Setting("coordinator.max_debates"),
        ),
        limit(
            "deliveries of the catalogue, each second",
            notes * followers,
            plan.deliveries_per_s,
            Remedy::Setting("coordinator.max_debates"),
        ),
    ]
}

/// Seconds of a debate for each of its turns, if all debates run all the time.
pub fn cycle(figures: &Figures) -> f64 {
    figures.question.hours * 3_600.0 / f64::from(figures.debate.turns)
}

/// Debates that have to run at a time to keep all GPUs at work: the others may as well wait.
pub fn enough(figures: &Figures) -> f64 {
    let slots = turns_per_s(figures) * gpu_seconds(figures) / figures.gpu.busy * f64::from(figures.gpu.sequences);
    slots.min(figures.question.debates as f64)
}

/// The next whole number, one at the least.
pub fn up(value: f64) -> u64 {
    (value.ceil() as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(figures: &Figures, shape: &Shape, what: &str) -> f64 {
        let all = limits(figures, shape, &Settings::planned(figures, shape));
        all.iter().find(|limit| limit.what.starts_with(what)).unwrap().load()
    }

    #[test]
    fn the_plan_stays_within_every_limit_and_a_single_cluster_does_not() {
        let figures = Figures::default();
        let planned = cells(&figures);
        let all = limits(&figures, &planned, &Settings::planned(&figures, &planned));
        assert!(all.iter().all(|limit| limit.load() <= 1.0), "{all:?}");
        let single = limits(&figures, &single(&figures), &Settings::default_of(&figures));
        assert!(single.first().is_some_and(|limit| limit.load() > 10.0), "{single:?}");
        assert!(single.is_sorted_by(|a, b| a.load() >= b.load()));
    }

    #[test]
    fn all_debates_have_a_place() {
        let mut figures = Figures::default();
        for debates in [1, 9_999, 10_000, 1_000_000] {
            figures.question.debates = debates;
            let shape = cells(&figures);
            assert!((shape.debates * shape.cells as f64 - debates as f64).abs() < 1e-6);
            let room = shape.coordinators as f64 * figures.plan.max_debates;
            assert!(room >= shape.debates, "{shape:?}");
        }
    }

    #[test]
    fn less_time_takes_more_gpus_and_longer_answers_take_more_of_them() {
        let mut figures = Figures::default();
        let usual = cells(&figures);
        figures.question.hours /= 2.0;
        let hurried = cells(&figures);
        assert!(hurried.gpus > usual.gpus);
        figures.debate.answer_tokens *= 2.0;
        assert!(cells(&figures).gpus > hurried.gpus);
    }

    #[test]
    fn a_larger_cell_comes_nearer_to_its_limits() {
        let figures = Figures::default();
        let larger = Figures {
            plan: super::super::figures::Choice { debates_per_cell: 50_000, ..figures.plan.clone() },
            ..figures.clone()
        };
        for what in ["turns asked", "messages of debates", "catalogue", "memory of a gateway"] {
            assert!(load(&larger, &cells(&larger), what) > load(&figures, &cells(&figures), what), "{what}");
        }
    }
}
