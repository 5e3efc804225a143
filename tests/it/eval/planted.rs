//! Evals of questions that speakers know with planted chances: whether each method is right as often as the world says, at equal
//! tokens.
use crate::cluster_bench::ClusterBench;
use crate::support::{World, agon};
use agon_core::{Call, DebateId, Event, Position, Record};
use agon_eval::{ArmKind, ArmResult, Count, Estimate, EvalResult, FreeArmKind, VerdictKind};
use agon_rehearsal::mind::{Minds, MindsFile, TruthArm};
use agon_store::{Journal as _, SqliteOptions, SqliteStore};
use agon_testkit::cluster::{MODEL, Scenario};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;
use tokio::runtime::Builder;

/// A debate of three that vote: everybody casts a ballot, speaks once, in turn, and votes.
pub const PANEL: &str = "\
topic: Any question
mode: deliberative
max_rounds: 1
visibility: sequential
phases: {opening_statements: false, final_statements: false}
ballots: both
consensus_strategy: vote
voting: {rule: plurality}
model: m
personas: [{name: Ada}, {name: Ben}, {name: Cleo}]
";
/// Half of the speakers do not know the answer and most of these give the same wrong one, so that votes gain nothing; who hears the
/// right one often sees it. A debate of three gains about 20 points.
const HELPFUL: &str = "truth = 0.55\nsway = 0.0\nshared = 0.8\nskill = -0.3\n";
/// Ballots move both ways.
const MOVED: &str = "truth = 0.5\nsway = 0.3\nshared = 0.8\nskill = 0.2\n";
/// Nothing but the debate and one sample.
const FLIPS: &str = "\
questions: questions.jsonl
debates: [{file: panel.yaml}]
arms: [single]
primary: [{arm: panel, rival: single}]
match: none
max_samples: 1
";
const OPTIONS: [&str; 4] = ["oak", "ash", "elm", "fir"];
/// So many debaters cast ballots.
const DEBATERS: usize = 3;

/// Questions with four options each, and the minds of those who are asked them.
pub struct PlantedQuestions {
    /// Where the eval is held.
    pub world: World,
    /// The file of questions.
    pub questions: String,
    /// The debate.
    pub panel: String,
    /// The file of minds.
    pub minds: String,
    known: Minds,
}

impl PlantedQuestions {
    /// So many questions of a world with a seed.
    pub fn new(seed: u64, count: usize, chances: &str) -> Self {
        let world = World::new();
        let (mut questions, mut minds) = (String::new(), format!("seed = {seed}\n{chances}"));
        for n in 0..count {
            let (topic, answer) = (format!("Which tree stands at place {n}?"), OPTIONS[n % OPTIONS.len()]);
            let category = ["near", "far"][n % 2];
            let question =
                serde_json::json!({"question": topic, "options": OPTIONS, "answer": answer, "category": category});
            writeln!(questions, "{question}").unwrap();
            write!(minds, "[[questions]]\ntopic = {topic:?}\nanswer = {answer:?}\noptions = {OPTIONS:?}\n").unwrap();
        }
        let known = Minds::from(minds.parse::<MindsFile>().unwrap());
        Self {
            questions: world.file("questions.jsonl", &questions),
            panel: world.file("panel.yaml", PANEL),
            minds: world.file("minds.toml", &minds),
            world,
            known,
        }
    }

    /// Runs an eval of them to its end, with further options.
    pub fn run(&self, id: &str, more: &[&str]) -> EvalResult {
        let args = ["eval", "run", &self.questions, "--debate", &self.panel, "--id", id, "--yes", "-q", "--json"];
        let said = self.world.agon(&[&args[..], more].concat());
        assert!(matches!(said.code, Some(0 | 2)), "{said:?}");
        serde_json::from_str(&said.stdout).unwrap()
    }

    /// The shares of ballots that move are those of the world, within three standard errors of as many debates.
    fn has_flips_as_planted(&self, result: &EvalResult) {
        let truth = self.known.truth(&TruthArm::Ballots { models: vec!["m".to_owned(); DEBATERS] }).unwrap();
        let flips = result.inside[0].ballots.unwrap();
        let debates = f64::from(result.inside[0].debates);
        let planted = [(flips.wrong_to_right, truth.wrong_to_right), (flips.right_to_wrong, truth.right_to_wrong)];
        for (moved, rate) in planted {
            let (seen, rate) = (f64::from(moved) / (debates * DEBATERS as f64), rate.unwrap());
            assert!((seen - rate).abs() <= 3.0 * (rate * (1.0 - rate) / debates).sqrt(), "planted {rate}, seen {seen}");
        }
    }

    /// Runs the eval of a file to its end.
    fn run_file(&self, id: &str, file: &str) -> EvalResult {
        let args = ["eval", "run", file, "--id", id, "--yes", "-q", "--json", "--rehearsal", "--minds", &self.minds];
        let said = self.world.agon(&args);
        assert!(matches!(said.code, Some(0 | 2)), "{said:?}");
        serde_json::from_str(&said.stdout).unwrap()
    }

    /// Each arm is right as often as planted, within three standard errors, and the debate's gain is found.
    fn is_found(&self, eval: &str, result: &EvalResult) {
        let verdict = result.comparisons[0].counts[0].verdict;
        for arm in &result.arms {
            let seen = arm.right.unwrap().value;
            let (rate, error) = self.truth(result, arm);
            let errors = (seen - rate) / (rate * (1.0 - rate) / f64::from(arm.n) + error.powi(2)).sqrt();
            let id = &arm.id;
            println!("{eval}, {id}: planted {rate:.3}, seen {seen:.3}, {errors:+.1} standard errors; {verdict:?}");
            assert!(errors.abs() <= 3.0, "{eval}, {id}: planted {rate}, seen {seen}");
        }
        assert_eq!(verdict, Some(VerdictKind::Helped), "{eval}: {:?}", result.comparisons[0].counts[0]);
    }

    /// The planted shares of wrong ballots that become right, and of right ones that become wrong.
    fn shares_moved(&self) -> (f64, f64) {
        let models = vec!["m".to_owned(); DEBATERS];
        let truth = self.known.truth(&TruthArm::Ballots { models }).unwrap();
        let right = self.known.truth(&TruthArm::Single { model: "m".to_owned() }).unwrap().rate;
        (truth.wrong_to_right.unwrap() / (1.0 - right), truth.right_to_wrong.unwrap() / right)
    }

    /// The true rate of an arm, and its standard error.
    fn truth(&self, result: &EvalResult, arm: &ArmResult) -> (f64, f64) {
        let models = vec!["m".to_owned(); DEBATERS];
        let rate = |arm| self.known.truth(&arm).unwrap();
        match arm.kind {
            ArmKind::Single => (rate(TruthArm::Single { model: "m".to_owned() }).rate, 0.0),
            ArmKind::Debate => {
                let truth = rate(TruthArm::Ballots { models });
                (truth.rate, truth.standard_error)
            }
            ArmKind::SelfConsistency => {
                // each question has its own number of samples
                let cells = result.cells.iter().filter(|cell| cell.arm == arm.id).filter_map(|cell| cell.samples);
                let mut used: BTreeMap<u32, u32> = BTreeMap::new();
                cells.for_each(|samples| *used.entry(samples).or_default() += 1);
                let rates = used.iter().map(|(samples, cells)| {
                    let samples = usize::try_from(*samples).unwrap();
                    let truth = rate(TruthArm::Plurality { models: models.clone(), samples });
                    let share = f64::from(*cells) / f64::from(arm.n);
                    (share * truth.rate, share * truth.standard_error)
                });
                rates.fold((0.0, 0.0), |(rate, error), (one, its)| (rate + one, error + its))
            }
            ArmKind::Isolated | ArmKind::BestOfN | ArmKind::JudgeAlone | ArmKind::Command => {
                panic!("{} has no planted truth", arm.id)
            }
        }
    }
}

/// The logs of debates in a world's store.
pub fn logs<'a>(world: &World, debates: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, Vec<Arc<Record>>> {
    let store = SqliteStore::open(&world.database(), SqliteOptions::default()).unwrap();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let read = |debate: &str| {
        let id = DebateId::parse(debate).unwrap();
        (debate.to_owned(), runtime.block_on(store.read(&id, Position(0))).unwrap())
    };
    debates.into_iter().map(read).collect()
}

/// Evals of the test; `cargo xtask eval-check --runtime` holds more of them, on more questions.
fn sizes() -> (u64, usize) {
    let read = |name: &str| std::env::var(name).ok().map(|value| value.parse::<u32>().unwrap());
    let evals = read("AGON_PLANTED_EVALS").unwrap_or(1);
    (evals.into(), read("AGON_PLANTED_QUESTIONS").unwrap_or(80).try_into().unwrap())
}

#[test]
fn every_arm_is_right_as_often_as_planted_and_a_gain_of_20_points_is_found() {
    let (evals, questions) = sizes();
    for seed in 1..=evals {
        let planted = PlantedQuestions::new(seed, questions, HELPFUL);
        let result = planted.run("planted", &["--rehearsal", "--minds", &planted.minds]);
        planted.is_found(&format!("eval {seed}"), &result);
        for count in &result.comparisons[0].counts {
            if matches!(count.count, Count::Total | Count::Generated) {
                let ratio = count.ratio.unwrap();
                assert!((0.98..=1.02).contains(&ratio), "eval {seed}: {ratio} x the {:?} tokens", count.count);
            }
        }
        planted.has_flips_as_planted(&result);
        nothing_beats_the_oracle(&result);
    }
}

/// A gateway, a coordinator and three hosts, each a process of its own, and speakers who know the questions.
#[test]
fn an_eval_of_a_cluster_of_three_hosts_is_right_as_often_as_planted() {
    let (_, questions) = sizes();
    let planted = PlantedQuestions::new(11, questions, HELPFUL);
    let panel = planted.world.file("scripted.yaml", &PANEL.replace("model: m", &format!("model: {MODEL}")));
    let bench = ClusterBench::start(Scenario::new(agon()).hosts(3).rehearsal(&["--minds", &planted.minds]));
    let submit = ["eval", "submit", &planted.questions, "--debate", &panel, "--id", "planted", "--rehearsal"];
    let said = bench.agon(&[&submit[..], &["--wait", "--json", "-q"]].concat());
    assert!(matches!(said.code, Some(0 | 2)), "{said:?}");
    let result: EvalResult = serde_json::from_str(&said.stdout).unwrap();
    planted.is_found("cluster", &result);
    planted.has_flips_as_planted(&result);
    nothing_beats_the_oracle(&result);
    let mut hosts = BTreeSet::new();
    for debate in result.cells.iter().flat_map(|cell| &cell.debates) {
        let records = bench.logs.until_over(debate).unwrap();
        let calls = records.iter().flat_map(|record| &record.events).filter_map(Event::settled);
        hosts.extend(calls.filter_map(|(_, call)| call.host.clone()));
    }
    assert_eq!(hosts.len(), 3, "{hosts:?}");
}

/// Evals of the flips' coverage; `cargo xtask eval-check --runtime` holds 100 of them.
const FLIP_QUESTIONS: usize = 20;

#[test]
fn intervals_of_flips_cover_the_planted_shares_as_often_as_they_say() {
    let evals: u32 = std::env::var("AGON_PLANTED_FLIPS").map_or(6, |evals| evals.parse().unwrap());
    let (mut mended, mut broken) = (Vec::new(), Vec::new());
    for seed in 1..=evals {
        let planted = PlantedQuestions::new(1_000 + u64::from(seed), FLIP_QUESTIONS, MOVED);
        let arms = planted.world.file("eval.yaml", FLIPS);
        let result = planted.run_file("flips", &arms);
        let (of_wrong, of_right) = planted.shares_moved();
        let flips = result.inside[0].ballots.unwrap();
        // where fewer than ten questions have such a ballot there is none
        let covers = |share: Option<Estimate>, planted: f64| {
            let interval = share.and_then(|share| share.interval);
            interval.map(|interval| (interval.low..=interval.high).contains(&planted))
        };
        mended.extend(covers(flips.mended, of_wrong));
        broken.extend(covers(flips.broken, of_right));
    }
    for (what, covered) in [("mended", mended), ("broken", broken)] {
        let intervals = u32::try_from(covered.len()).unwrap();
        let cover = u32::try_from(covered.into_iter().filter(|covers| *covers).count()).unwrap();
        println!("{cover} of {intervals} intervals cover the share {what}; {evals} evals");
        let least = least_covered(intervals);
        assert!(intervals >= evals / 2, "{what}: {intervals} intervals in {evals} evals");
        assert!(cover >= least, "{what}: {cover} of {intervals}; at least {least} are wanted");
    }
}

/// Fewer of so many 95 % intervals cover what they are of with a chance below one in a thousand.
fn least_covered(evals: u32) -> u32 {
    let (n, missed) = (f64::from(evals), 0.05_f64);
    let mut chance = (1.0 - missed).powf(n);
    let (mut below, mut misses) = (chance, 0);
    while 1.0 - below > 0.001 {
        chance *= (n - f64::from(misses)) / f64::from(misses + 1) * missed / (1.0 - missed);
        below += chance;
        misses += 1;
    }
    evals - misses
}

/// No way of deciding the same debates is right more often than any of their ballots.
fn nothing_beats_the_oracle(result: &EvalResult) {
    let free = |kind| result.free_arms.iter().find(|arm| arm.kind == kind).unwrap().right.value;
    let oracle = free(FreeArmKind::Oracle);
    let debate = result.arms.iter().find(|arm| arm.kind == ArmKind::Debate).unwrap().right.unwrap().value;
    assert!(debate <= oracle, "{debate} {oracle}");
    assert!(result.free_arms.iter().all(|arm| arm.right.value <= oracle), "{:?}", result.free_arms);
}

/// Tokens of the total, cached ones, and generated ones.
type Tokens = (u64, u64, u64);

fn tokens(call: &Call) -> Tokens {
    let usage = &call.usage;
    let [prompt, cached, generated] =
        [usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens].map(|tokens| tokens.unwrap());
    (prompt + generated, cached, generated)
}

fn sum(all: impl Iterator<Item = Tokens>) -> Tokens {
    all.fold((0, 0, 0), |(total, cached, generated), one| (total + one.0, cached + one.1, generated + one.2))
}

/// What the calls of a log cost, in its order.
fn spent(log: &[Arc<Record>]) -> Tokens {
    sum(log.iter().flat_map(|record| &record.events).filter_map(|event| event.settled()).map(|(_, call)| tokens(call)))
}

/// What each sample of a poll cost, by seat.
fn samples(log: &[Arc<Record>]) -> Vec<Tokens> {
    let events = log.iter().flat_map(|record| &record.events);
    let by_seat: BTreeMap<u32, Tokens> =
        events.filter_map(Event::settled).map(|(turn, call)| (turn.seat, tokens(call))).collect();
    by_seat.into_values().collect()
}

/// What a result says was spent.
fn told(costs: &[agon_eval::CostFigure]) -> Tokens {
    let of = |count| costs.iter().find(|cost| cost.count == count).unwrap().total as u64;
    (of(Count::Total), of(Count::Total) - of(Count::New), of(Count::Generated))
}

#[test]
fn every_token_of_the_report_is_in_the_logs_of_its_debates_and_in_the_counts_of_the_server() {
    let planted = PlantedQuestions::new(5, 30, HELPFUL);
    let server = planted.world.rehearsal(&["--minds", &planted.minds]);
    let result = planted.run("tokens", &["--ollama", server.url()]);
    let stats = server.stats().unwrap();
    let counted = |name: &str| stats[name].as_u64().unwrap();
    let answers = counted("answer_tokens");
    let served = (counted("naive_prompt_tokens") + answers, counted("cached_prompt_tokens"), answers);
    assert_eq!(told(&result.setup.spent), served);

    let debates: Vec<&str> = result.cells.iter().flat_map(|cell| &cell.debates).map(String::as_str).collect();
    let logs = logs(&planted.world, debates);
    assert_eq!(sum(logs.values().map(|log| spent(log))), served, "all calls are of cells");
    for arm in &result.arms {
        let cells = result.cells.iter().filter(|cell| cell.arm == arm.id);
        let logged = cells.map(|cell| {
            let logs = cell.debates.iter().map(|debate| &logs[debate]);
            let tokens = match cell.samples {
                None => sum(logs.map(|log| spent(log))),
                Some(used) => sum(logs.flat_map(|log| samples(log)).take(used.try_into().unwrap())),
            };
            assert_eq!((cell.total_tokens, cell.generated_tokens), (tokens.0, tokens.2), "{cell:?}");
            tokens
        });
        let logged = sum(logged);
        assert_eq!(told(&arm.costs), logged, "{}", arm.id);
    }
}
