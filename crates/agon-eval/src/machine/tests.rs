mod commands;
mod grading;
mod matched;
mod told;

use super::*;
use crate::*;
use proptest::prelude::*;

fn question(n: usize) -> Question {
    Question {
        id: format!("q{n}"),
        text: format!("What is {n}?"),
        options: Vec::new(),
        context: None,
        gold: Gold::Number { answers: vec![n as f64], tolerance: Tolerance::Exact },
        category: Some(["sums", "dates", "logic"][n % 3].to_owned()),
        group: None,
    }
}

fn spec(questions: usize) -> EvalSpec {
    let template = DebateTemplate {
        file: "panel.yaml".to_owned(),
        text: "topic: Tea?".to_owned(),
        syntax: "yaml".to_owned(),
        set: Default::default(),
    };
    let debate = DebateArm { name: arm(), template, isolated: false };
    EvalSpec { max_samples: 16, seed: 7, ..EvalSpec::usual((0..questions).map(question).collect(), vec![debate]) }
}

fn arm() -> ArmName {
    ArmName("panel".to_owned())
}

fn admission(spec: EvalSpec) -> EvalAdmission {
    EvalAdmission {
        id: "eval-1".to_owned(),
        format: 1,
        agon_version: "0".to_owned(),
        spec,
        pools: vec![Pool {
            of: PoolOf::Debaters,
            arms: vec![arm()],
            models: vec!["m".to_owned()],
            first: FIRST_SAMPLES,
        }],
        judge_calls: [(arm(), 2)].into(),
        prices: Default::default(),
        models: RoleModels::default(),
        rehearsal: true,
        digests: Default::default(),
        fresh: false,
    }
}

fn cost(prompt: u64, generated: u64) -> CellCost {
    CellCost { calls: 1, prompt, generated, ..CellCost::default() }
}

/// What a cell comes to: a debate costs 760, a sample 100.
fn closed(cell: &Cell, debate: &str) -> CellClosed {
    let sample =
        |number| SampleFact { number, model: None, answer: Some("1".to_owned()), confidence: None, cost: cost(80, 20) };
    let (samples, cost) = match &cell.work {
        CellWork::Samples { first, count, .. } => {
            let count = u64::from(*count);
            ((*first..).map(sample).take(count as usize).collect(), cost(80 * count, 20 * count))
        }
        CellWork::BestOf { count, .. } => (Vec::new(), cost(u64::from(*count) * 120, 0)),
        CellWork::Debate { .. } | CellWork::Isolated { .. } => (Vec::new(), cost(700, 60)),
        CellWork::Command { .. } => (Vec::new(), cost(500, 50)),
        CellWork::Grading { .. } => (Vec::new(), cost(40, 2)),
    };
    let facts = Facts { ending: CellEnding::Answered, samples, cost, ..Facts::default() };
    CellClosed { cell: cell.clone(), debate: debate.to_owned(), head: String::new(), reused: false, wall_ms: 1, facts }
}

/// A driver without a world: cells are over as `end` says, in any order.
struct Trial {
    machine: EvalMachine,
    log: Vec<(u64, EvalEvent)>,
    opened: Vec<Cell>,
}

impl Trial {
    fn new(spec: EvalSpec) -> Self {
        Self::of(admission(spec))
    }
    fn of(admission: EvalAdmission) -> Self {
        let log = vec![(0, EvalEvent::EvalAdmitted(Box::new(admission.clone())))];
        Self { machine: EvalMachine::admitted(admission, 0), log, opened: Vec::new() }
    }
    fn take(&mut self, input: EvalInput) -> usize {
        let events = self.machine.decide(input);
        let count = events.len();
        for event in events {
            let at = self.log.len() as u64;
            self.machine.apply(at, &event);
            self.log.push((at, event));
        }
        count
    }
    fn settle(&mut self, now: u64) {
        while self.take(EvalInput::Settle { now }) > 0 {}
    }
    fn open(&mut self, room: usize) {
        let cells = self.machine.next_cells(room);
        self.opened.extend(cells.iter().map(|(cell, _)| cell.clone()));
        let named = cells.into_iter().map(|(cell, attempt)| (cell.clone(), format!("{cell:?} {attempt}"))).collect();
        self.take(EvalInput::Open(named));
    }
    fn held(&self) -> Vec<(Cell, String)> {
        let held = self.machine.outstanding().into_iter().filter_map(|effect| match effect {
            EvalEffect::Hold { cell, debate, .. } => Some((cell, debate)),
            EvalEffect::Look { .. } => None,
        });
        held.collect()
    }
    /// Runs with `room` cells at once; `pick` says which of the open ones is over next.
    fn run(&mut self, room: usize, mut pick: impl FnMut(usize) -> usize, end: impl Fn(CellClosed) -> CellClosed) {
        for step in 0..100_000 {
            self.settle(step);
            if self.machine.ended().is_some() {
                return;
            }
            self.open(room - self.machine.open_cells());
            let held = self.held();
            assert!(!held.is_empty(), "nothing is open and the eval goes on");
            let (cell, debate) = &held[pick(held.len()) % held.len()];
            self.take(EvalInput::Closed(Box::new(end(closed(cell, debate)))));
        }
        panic!("the eval never ends");
    }
}

fn failed(of: CellClosed) -> CellClosed {
    let ending = CellEnding::Failed { reason: "timeout".to_owned() };
    CellClosed { facts: Facts { ending, ..of.facts.clone() }, ..of }
}

#[test]
fn blocks_hold_every_question_once_and_mix_the_categories() {
    let blocks = blocks(&spec(95));
    assert_eq!(blocks.len(), 10);
    let mut all: Vec<u32> = blocks.concat();
    for block in &blocks[..9] {
        for category in 0..3 {
            let of = block.iter().filter(|question| *question % 3 == category).count();
            assert!((2..=5).contains(&of), "{block:?}");
        }
    }
    all.sort_unstable();
    assert_eq!(all, (0..95).collect::<Vec<u32>>());
    assert_ne!(super::blocks(&EvalSpec { seed: 8, ..spec(95) }), blocks);
}

#[test]
fn every_question_gets_its_debate_its_first_samples_and_as_many_as_the_debate_is_worth() {
    let mut run = Trial::new(spec(25));
    run.run(8, |_| 0, |closed| closed);
    assert_eq!(run.machine.ended(), Some("complete"));
    let mut counts = Vec::new();
    for question in 0..25 {
        let samples: Vec<(u32, u32)> = run
            .machine
            .closed()
            .filter(|one| one.cell.question == question)
            .filter_map(|one| match one.cell.work {
                CellWork::Samples { first, count, .. } => Some((first, count)),
                CellWork::Debate { .. }
                | CellWork::Isolated { .. }
                | CellWork::BestOf { .. }
                | CellWork::Command { .. }
                | CellWork::Grading { .. } => None,
            })
            .collect();
        assert_eq!(samples[0], (0, 4));
        assert_eq!(samples[1].0, 4);
        counts.push(4 + samples[1].1);
    }
    // 760 of 100 each: 7, or 8 by lot
    assert!(counts.iter().all(|count| [7, 8].contains(count)) && counts.contains(&8), "{counts:?}");
}

#[test]
fn one_sample_is_drawn_where_no_method_takes_more_and_four_where_the_log_was_begun_before_that() {
    let single = EvalSpec { arms: vec![BaselineArm::Single], ..spec(25) };
    let mut admission = admission(single);
    admission.pools[0].first = first_samples(&admission.spec, PoolOf::Debaters);
    for count in [1, 4] {
        let mut run = Trial::of(admission.clone());
        run.run(8, |_| 0, |closed| closed);
        assert_eq!(run.machine.ended(), Some("complete"));
        let samples = CellWork::Samples { pool: 0, first: 0, count };
        assert_eq!(run.opened.iter().filter(|cell| cell.work == samples).count(), 25);
        let mut stored = serde_json::to_value(&admission.pools[0]).unwrap();
        stored.as_object_mut().unwrap().remove("first");
        admission.pools[0] = serde_json::from_value(stored).unwrap();
    }
}

#[test]
fn a_mean_is_matched_once_every_debate_is_over() {
    let mut run = Trial::new(EvalSpec { matching: Matching::Mean, ..spec(25) });
    run.run(8, |open| open / 2, |closed| closed);
    assert_eq!(run.machine.ended(), Some("complete"));
    let first = run.opened.iter().position(|cell| matches!(cell.work, CellWork::Samples { first: 4, .. })).unwrap();
    assert_eq!(first, 50, "25 debates and 25 first samples come before");
    assert_eq!(run.opened.len(), 75);
}

#[test]
fn best_of_n_is_held_once_its_budget_is_known() {
    let arms = vec![BaselineArm::BestOfN];
    let mut run = Trial::new(EvalSpec { arms, ..spec(3) });
    run.run(4, |_| 0, |closed| closed);
    let counts: Vec<u32> = run
        .opened
        .iter()
        .filter_map(|cell| match cell.work {
            CellWork::BestOf { count, .. } => Some(count),
            CellWork::Samples { .. }
            | CellWork::Debate { .. }
            | CellWork::Isolated { .. }
            | CellWork::Command { .. }
            | CellWork::Grading { .. } => None,
        })
        .collect();
    // (760 - 2 · 100) / (100 + 2 · 20) = 4
    assert_eq!(counts, [4, 4, 4]);
}

#[test]
fn an_arm_that_fails_too_often_ends_the_eval_without_a_verdict() {
    let mut run = Trial::new(spec(60));
    run.run(
        8,
        |_| 0,
        |closed| match closed.cell.work {
            CellWork::Debate { .. } if closed.cell.question.is_multiple_of(4) => failed(closed),
            _ => closed,
        },
    );
    assert_eq!((run.machine.stopped(), run.machine.ended()), (Some("failures"), Some("failed")));
    let debates = run.machine.closed().filter(|one| matches!(one.cell.work, CellWork::Debate { .. }));
    assert_eq!(
        debates.filter(|one| has_failed(one)).count(),
        5,
        "more than a fifth of 20 cells, however many are over"
    );
    let detail = run.machine.stop().unwrap().detail.clone().unwrap();
    assert!(detail.starts_with("panel: 5 of ") && detail.ends_with(" cells failed (5 x timeout)"), "{detail}");
}

#[test]
fn an_arm_that_never_answers_is_not_asked_twenty_times() {
    let mut run = Trial::new(spec(60));
    run.run(8, |_| 0, failed);
    assert_eq!((run.machine.stopped(), run.machine.ended()), (Some("failures"), Some("failed")));
    // the fifth failure of the debates or of the samples ends it
    assert!((5..10).contains(&run.machine.closed().count()), "{:?}", run.machine.progress());

    let mut few = Trial::new(spec(19));
    let debates = |closed: CellClosed| match closed.cell.work {
        CellWork::Debate { .. } => failed(closed),
        _ => closed,
    };
    few.run(8, |_| 0, debates);
    assert_eq!((few.machine.stopped(), few.machine.ended()), (None, Some("complete")));
}

#[test]
fn no_block_is_begun_that_would_pass_a_limit() {
    let limits = EvalLimits { tokens: Some(40_000), ..EvalLimits::default() };
    let mut run = Trial::new(EvalSpec { limits, ..spec(100) });
    run.run(8, |_| 0, |closed| closed);
    assert_eq!((run.machine.stopped(), run.machine.ended()), (Some("limit_tokens"), Some("stopped")));
    let over = run.machine.questions_over().len();
    let begun: std::collections::BTreeSet<u32> = run.opened.iter().map(|cell| cell.question).collect();
    assert_eq!(over, begun.len());
    // 10 questions take about 15,200
    assert_eq!(over, 20);
    assert!(run.machine.tokens() <= 40_000, "{}", run.machine.tokens());
}

#[test]
fn time_that_is_over_ends_an_eval_inside_a_block_and_a_retry_has_its_time_anew() {
    let limits = EvalLimits { seconds: Some(60.0), ..EvalLimits::default() };
    let mut run = Trial::new(EvalSpec { limits, ..spec(30) });
    run.settle(1);
    run.open(4);
    let (cell, debate) = run.held().remove(0);
    run.take(EvalInput::Closed(Box::new(failed(closed(&cell, &debate)))));
    run.settle(59_999);
    assert_eq!((run.machine.ended(), run.machine.open_cells()), (None, 3));
    run.settle(60_000);
    assert_eq!((run.machine.stopped(), run.machine.ended()), (Some("limit_seconds"), Some("stopped")));
    assert_eq!((run.machine.outstanding(), run.machine.questions_over()), (vec![], vec![]));

    let ordered = run.machine.decide(EvalInput::Retry);
    ordered.iter().for_each(|event| run.machine.apply(90_000, event));
    assert_eq!(run.machine.deadline(), Some(150_000));
    run.settle(149_999);
    assert_eq!(run.machine.ended(), None);
}

#[test]
fn an_eval_whose_last_cell_is_over_at_its_limit_is_complete() {
    let limits = EvalLimits { seconds: Some(60.0), ..EvalLimits::default() };
    let mut run = Trial::new(EvalSpec { limits, ..spec(3) });
    run.run(8, |_| 0, |closed| closed);
    let complete = run.log.len() - 1;
    assert!(matches!(&run.log[complete].1, EvalEvent::EvalEnded { state } if state == "complete"));
    let mut before = EvalMachine::fold(run.log[..complete].iter().map(|(at, event)| (*at, event))).unwrap();
    let events = before.decide(EvalInput::Settle { now: 70_000 });
    events.iter().for_each(|event| before.apply(70_000, event));
    assert_eq!((before.stopped(), before.ended()), (None, Some("complete")));
}

#[test]
fn a_sequential_eval_looks_after_each_block_and_ends_when_it_is_decided() {
    let mut run = Trial::new(EvalSpec { design: Design::Sequential, ..spec(60) });
    let mut looks = 0;
    for step in 0..10_000 {
        run.settle(step);
        if run.machine.ended().is_some() {
            break;
        }
        match run.machine.outstanding().into_iter().find_map(|effect| match effect {
            EvalEffect::Look { blocks } => Some(blocks),
            EvalEffect::Hold { .. } => None,
        }) {
            Some(blocks) => {
                looks += 1;
                run.take(EvalInput::Looked { blocks, ends: blocks >= 3, by: "sequential".to_owned() });
            }
            None => {
                run.open(8 - run.machine.open_cells());
                let (cell, debate) = run.held().remove(0);
                run.take(EvalInput::Closed(Box::new(closed(&cell, &debate))));
            }
        }
    }
    assert_eq!((run.machine.stopped(), run.machine.ended()), (Some("decided"), Some("stopped")));
    assert!((3..=4).contains(&looks), "{looks}");
    assert!(run.machine.blocks_over() < 6);
}

#[test]
fn a_fixed_design_is_blind_until_its_end_unless_somebody_peeks() {
    let mut run = Trial::new(spec(20));
    assert!(run.machine.is_blind());
    run.take(EvalInput::Looked { blocks: 1, ends: false, by: "peek".to_owned() });
    assert!(run.machine.peeked() && !run.machine.is_blind());
}

#[test]
fn a_retry_holds_the_failed_cells_again_and_keeps_what_they_said() {
    let mut run = Trial::new(spec(20));
    run.run(8, |_| 0, |closed| if closed.cell.question == 3 { failed(closed) } else { closed });
    let before = run.opened.len();
    assert_eq!(run.take(EvalInput::Retry), 1);
    run.run(8, |_| 0, |closed| closed);
    let again: Vec<Cell> = run.opened.split_off(before);
    assert_eq!(again.iter().filter(|cell| cell.question == 3).count(), again.len());
    assert_eq!(run.machine.replaced().len(), again.len());
    assert!(again.len() >= 3, "{again:?}");
    assert_eq!(run.machine.attempt(&again[0]), 1);
    assert_eq!(run.machine.ended(), Some("complete"));
    assert_eq!(run.take(EvalInput::Retry), 0, "nothing is left to retry");
}

#[test]
fn a_retry_of_an_eval_that_failures_ended_holds_the_failed_cells_before_it_judges_failures() {
    let mut run = Trial::new(spec(60));
    let often = |closed: CellClosed| match closed.cell.work {
        CellWork::Debate { .. } if closed.cell.question.is_multiple_of(4) => failed(closed),
        _ => closed,
    };
    run.run(8, |_| 0, often);
    assert_eq!(run.machine.ended(), Some("failed"));
    let (before, over) = (run.machine.progress(), run.machine.questions_over());
    assert!(run.take(EvalInput::Retry) > 0);
    let mut cancelled = run.machine.clone();
    cancelled.apply(0, &EvalEvent::EvalEnded { state: "cancelled".to_owned() });
    assert_eq!((cancelled.progress(), cancelled.questions_over()), (before, over), "nothing that was there is lost");
    run.run(8, |_| 0, |closed| closed);
    assert_eq!((run.machine.ended(), run.machine.questions_over().len()), (Some("complete"), 60));
}

#[test]
fn a_cancelled_eval_opens_nothing_more() {
    let mut run = Trial::new(spec(20));
    run.open(8);
    run.take(EvalInput::Cancel { detail: None });
    assert_eq!(run.machine.ended(), Some("cancelled"));
    assert!(run.machine.next_cells(8).is_empty() && run.machine.outstanding().is_empty());
}

#[test]
fn progress_counts_cells_and_forecasts_by_what_blocks_cost() {
    let mut run = Trial::new(spec(40));
    let before = run.machine.progress();
    assert_eq!((before.cells_likely, before.tokens_likely), (80, None));
    for _ in 0..75 {
        run.settle(1);
        run.open(8 - run.machine.open_cells());
        let (cell, debate) = run.held().remove(0);
        run.take(EvalInput::Closed(Box::new(closed(&cell, &debate))));
    }
    let now = run.machine.progress();
    assert!(now.blocks_over >= 1);
    let likely = now.tokens_likely.unwrap() as f64;
    run.run(8, |_| 0, |closed| closed);
    let spent = run.machine.progress().tokens as f64;
    assert!((likely / spent - 1.0).abs() < 0.05, "{likely} {spent}");
    assert_eq!(run.machine.progress().cells_over, run.machine.progress().cells_likely);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn whatever_the_order_no_cell_is_opened_twice_few_blocks_are_open_and_the_log_folds_to_the_same(
        seed in any::<u64>(), questions in 1_usize..45, room in 1_usize..12, mean in any::<bool>(), repetitions in 1_u32..3,
        picks in prop::collection::vec(0_usize..100, 16),
    ) {
        let matching = if mean { Matching::Mean } else { Matching::Debate };
        let mut run = Trial::new(EvalSpec { seed, matching, repetitions, ..spec(questions) });
        let mut at = 0;
        run.run(room, |_| { at += 1; picks[at % picks.len()] }, |closed| closed);
        let all: std::collections::BTreeSet<&Cell> = run.opened.iter().collect();
        prop_assert_eq!(all.len(), run.opened.len());
        prop_assert_eq!(run.machine.questions_over().len(), questions);
        // at any moment of the log, what is open is of few blocks, and a fold agrees
        let block_of = |question: u32| run.machine.blocks.iter().position(|block| block.contains(&question)).unwrap();
        for cut in (1..run.log.len()).step_by(7) {
            let folded = EvalMachine::fold(run.log[..cut].iter().map(|(at, event)| (*at, event))).unwrap();
            let open: std::collections::BTreeSet<usize> = folded.open.iter().map(|cell| block_of(cell.question)).collect();
            prop_assert!(open.len() <= OPEN_BLOCKS);
        }
        let folded = EvalMachine::fold(run.log.iter().map(|(at, event)| (*at, event))).unwrap();
        prop_assert_eq!(folded.progress(), run.machine.progress());
        prop_assert_eq!(folded.ended(), Some("complete"));
    }
}
