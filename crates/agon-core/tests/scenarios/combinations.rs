//! Combinations of options that are refused, each with the key to change first.
use crate::hold::{admission, plain, revises, votes};
use agon_core::testing::{judge, moderator, voting};
use agon_core::*;

type SpecChange = fn(&mut DebateSpec);

/// The keys of the problems that a plain debate has with this change.
fn refused(personas: usize, change: impl FnOnce(&mut DebateSpec)) -> Vec<String> {
    let mut spec = admission(personas, plain).spec;
    change(&mut spec);
    let problems = combination_problems(&spec);
    assert!(problems.iter().all(|problem| problem.message.len() > 20 && !problem.keys.is_empty()));
    problems.into_iter().map(|problem| problem.keys[0].clone()).collect()
}

/// Who is hidden from a persona, and a summary that names everybody.
fn masked_and_summed_up(spec: &mut DebateSpec) {
    spec.personas[0].hidden_from = vec!["P1".into()];
    (spec.memory, spec.context_scope) = (Memory::PersonaMasking, ContextScope::SummaryOnly);
    (spec.max_rounds, spec.summarizer) = (2, Some(Summarizer::default()));
}

/// A moderator without duties.
fn idle() -> Moderator {
    Moderator { opens: false, closes: false, ..moderator() }
}

#[test]
fn options_that_do_nothing_where_they_stand_are_refused() {
    use ConsensusStrategy::{AgentClosing, MediatorSummary, Vote};
    let cases: [(SpecChange, &str); 31] = [
        (|spec| spec.format.inner_circle = 3, "inner_circle"),
        (|spec| spec.answers.confidence = true, "confidence"),
        (
            |spec| {
                (spec.answers.confidence, spec.answers.weigh_by_confidence, spec.ballots) = (true, true, Ballots::Both);
            },
            "weigh_by_confidence",
        ),
        (|spec| spec.format.interruptions = Interruptions::TurnBoundary, "interruptions"),
        (|spec| spec.format.interruption_threshold = 3, "interruption_threshold"),
        (|spec| spec.format.points_of_information = false, "points_of_information"),
        (|spec| spec.format.topology = Topology::Ring, "topology"),
        (|spec| spec.format.hub = Some("P0".into()), "hub"),
        (|spec| spec.format.direction = Direction::CritiqueHub, "direction"),
        (|spec| spec.format.density = 0.7, "density"),
        (|spec| spec.windows.context_turns = 5, "context_turns"),
        (|spec| spec.windows.memory_window = 5, "memory_window"),
        (|spec| spec.windows.window_step = 2, "window_step"),
        (
            |spec| {
                spec.memory = Memory::RollingWindow;
                (spec.windows.memory_window, spec.windows.window_step) = (3, 4);
            },
            "window_step",
        ),
        (|spec| spec.windows.summarize_every = 5, "summarize_every"),
        (|spec| spec.similarity.similarity_threshold = 0.5, "similarity_threshold"),
        (|spec| spec.memory = Memory::PersonaMasking, "memory"),
        (masked_and_summed_up, "context_scope"),
        (|spec| spec.personas[0].sees = Some(vec![Sight::Persona("P1".into())]), "personas[0].sees"),
        (|spec| spec.personas[1].hidden_from = vec!["P1".into()], "personas[1].hidden_from"),
        (|spec| spec.personas[0].reflection = true, "personas[0].reflection"),
        (|spec| spec.personas[0].elo = Some(1600.0), "personas[0].elo"),
        (|spec| spec.phases.rebuttals = true, "phases.rebuttals"),
        (|spec| spec.turn_mode = TurnMode::Moderator, "turn_mode"),
        (
            |spec| {
                (spec.turn_mode, spec.visibility) = (TurnMode::ReactionTriggered, Visibility::Simultaneous);
            },
            "visibility",
        ),
        (|spec| spec.consensus_strategy = MediatorSummary, "consensus_strategy"),
        (|spec| spec.consensus_strategy = AgentClosing, "consensus_strategy"),
        (|spec| spec.consensus_strategy = Vote, "voting"),
        (|spec| spec.consensus_strategy = ConsensusStrategy::Judge, "judge"),
        (
            |spec| {
                spec.moderator = Some(Moderator { interject: Interject::Midpoint, ..idle() });
            },
            "moderator.interject",
        ),
        (
            |spec| {
                spec.moderator = Some(Moderator { summary_style: SummaryStyle::Critical, ..idle() });
            },
            "moderator.summary_style",
        ),
    ];
    for (change, key) in cases {
        assert_eq!(refused(2, change), [key]);
    }
    assert_eq!(refused(2, plain), [""; 0]);
}

#[test]
fn formats_refuse_what_their_shape_does_not_allow() {
    use DebateFormat::*;
    let cases: [(usize, SpecChange, &[&str]); 9] = [
        (2, |spec| spec.debate_format = Fishbowl, &["personas"]),
        (4, |spec| (spec.debate_format, spec.format.inner_circle) = (Fishbowl, 4), &["inner_circle"]),
        (4, |spec| (spec.debate_format, spec.turn_mode) = (Fishbowl, TurnMode::Moderator), &["turn_mode", "turn_mode"]),
        (2, |spec| (spec.debate_format, spec.visibility) = (Socratic, Visibility::Simultaneous), &["visibility"]),
        (2, |spec| (spec.debate_format, spec.turn_mode) = (OpenFight, TurnMode::Random), &["turn_mode"]),
        (2, |spec| spec.debate_format = CritiqueRevision, &["phases.opening_statements"]),
        (
            2,
            |spec| {
                revises(spec);
                (spec.format.topology, spec.format.hub) = (Topology::Star, Some("Px".into()));
            },
            &["hub"],
        ),
        (3, |spec| spec.debate_format = BpStyle, &["personas"]),
        (
            4,
            |spec| (spec.debate_format, spec.max_rounds, spec.phases.opening_statements) = (BpStyle, 2, true),
            &[
                "max_rounds",
                "phases.opening_statements",
                "personas[0].stance",
                "personas[1].stance",
                "personas[2].stance",
                "personas[3].stance",
            ],
        ),
    ];
    for (personas, change, keys) in cases {
        assert_eq!(refused(personas, change), keys);
    }
}

/// A poll that can be held.
fn polls(spec: &mut DebateSpec) {
    (spec.mode, spec.debate_format, spec.format.samples) = (Mode::Deliberative, DebateFormat::Poll, 3);
    (spec.visibility, spec.phases.opening_statements) = (Visibility::Simultaneous, true);
    votes(spec, voting(VoteRule::Plurality));
}

#[test]
fn a_poll_refuses_what_needs_somebody_who_hears_somebody() {
    let alone = |spec: &mut DebateSpec| spec.personas.truncate(1);
    assert_eq!(refused(2, polls), [""; 0]);
    assert_eq!(refused(2, |spec| (polls(spec), alone(spec)).1), [""; 0]);
    assert_eq!(refused(2, alone), ["personas"]);
    assert_eq!(refused(2, |spec| spec.format.samples = 3), ["samples"]);
    let cases: [(SpecChange, &str); 17] = [
        (|spec| spec.format.samples = 0, "samples"),
        (|spec| spec.format.samples = 65, "samples"),
        (|spec| spec.mode = Mode::Adversarial, "mode"),
        (|spec| spec.max_rounds = 2, "max_rounds"),
        (|spec| spec.turn_mode = TurnMode::Random, "turn_mode"),
        (|spec| spec.ballots = Ballots::Both, "ballots"),
        (|spec| spec.moderator = Some(moderator()), "moderator"),
        (|spec| spec.phases.opening_statements = false, "phases.opening_statements"),
        (|spec| spec.phases.final_statements = true, "phases.final_statements"),
        (|spec| spec.visibility = Visibility::Sequential, "visibility"),
        (|spec| spec.end_condition = vec![EndCondition::Impasse], "end_condition"),
        (|spec| spec.terminate_when = Some("true".into()), "terminate_when"),
        (|spec| spec.agreement_intensity = Some(3), "agreement_intensity"),
        (|spec| spec.personas[0].priority = 2, "priority"),
        (|spec| spec.context_scope = ContextScope::LastNTurns, "context_scope"),
        (|spec| votes(spec, voting(VoteRule::Borda)), "voting.rule"),
        (|spec| votes(spec, Voting { every_round: true, ..voting(VoteRule::Plurality) }), "voting"),
    ];
    for (change, key) in cases {
        let found = refused(2, |spec| {
            polls(spec);
            change(spec);
        });
        assert_eq!(found, [key]);
    }
    let undecided = |spec: &mut DebateSpec| {
        polls(spec);
        (spec.consensus_strategy, spec.voting) = (ConsensusStrategy::NoConsensus, None);
    };
    assert_eq!(refused(2, undecided), ["consensus_strategy"]);
}

#[test]
fn an_answer_has_a_form_that_can_be_given() {
    let of = |kind, options: &[&str], tolerance| {
        let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
        refused(2, |spec| {
            (spec.mode, spec.answer) = (Mode::Deliberative, Some(AnswerForm { kind, options, tolerance }));
        })
    };
    use AnswerKind::*;
    assert_eq!(of(Choice, &["a", "b"], Tolerance::Exact), [""; 0]);
    assert_eq!(of(Number, &[], Tolerance::Relative(0.1)), [""; 0]);
    assert_eq!(of(Choice, &["a"], Tolerance::Exact), ["answer.options"]);
    assert_eq!(of(Choice, &["Yes", "yes."], Tolerance::Exact), ["answer.options"]);
    assert_eq!(of(Choice, &["a", " "], Tolerance::Exact), ["answer.options"]);
    assert_eq!(of(Text, &["a", "b"], Tolerance::Exact), ["answer.options"]);
    assert_eq!(of(Choice, &["a", "b"], Tolerance::Absolute(1.0)), ["answer.tolerance"]);
    assert_eq!(of(Number, &[], Tolerance::Absolute(-1.0)), ["answer.tolerance"]);
    assert_eq!(of(Number, &[], Tolerance::Relative(1.5)), ["answer.tolerance"]);

    let assigned = |kind, options: &[&str]| {
        let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
        refused(2, |spec| spec.answer = Some(AnswerForm { kind, options, ..AnswerForm::default() }))
    };
    assert_eq!(assigned(Choice, &["s0", "S1.", "s2"]), [""; 0]);
    assert_eq!(assigned(Choice, &["s0", "x"]), ["personas[1].stance"]);
    assert_eq!(assigned(Number, &[]), ["personas[0].stance", "personas[1].stance"]);
    assert_eq!(assigned(Text, &[]), ["answer"]);
}

#[test]
fn votes_refuse_what_they_cannot_count() {
    use VoteRule::*;
    let by_judges = |rule| Voting { voters: Voters::Judges, ..voting(rule) };
    let of_others = |rule| Voting { self_votes: SelfVotes::Exclude, ..voting(rule) };
    let every_round = |voting| Voting { every_round: true, ..voting };
    let judged = |voting| {
        refused(2, |spec| {
            votes(spec, voting);
            spec.judge = Some(Judge { orders: 2, ..judge() });
        })
    };
    assert_eq!(judged(by_judges(Majority)), [""; 0]);
    assert_eq!(judged(every_round(by_judges(Majority))), ["voting.every_round"]);
    assert_eq!(judged(by_judges(Weighted)), ["voting.rule"]);
    assert_eq!(judged(by_judges(AnonymousScoring)), ["voting.voters"]);
    assert_eq!(refused(2, |spec| votes(spec, of_others(Majority))), ["voting.self_votes"]);
    assert_eq!(refused(2, |spec| votes(spec, voting(AnonymousScoring))), ["voting.self_votes"]);
    let deliberative = |voting, ballots| {
        refused(2, |spec| {
            votes(spec, voting);
            (spec.mode, spec.ballots) = (Mode::Deliberative, ballots);
        })
    };
    assert_eq!(deliberative(voting(Majority), Ballots::None), ["ballots"]);
    assert_eq!(deliberative(every_round(voting(Majority)), Ballots::FinalOnly), ["ballots"]);
}

#[test]
fn a_consensus_of_the_sure_needs_stated_confidence_and_answers() {
    let of = |least, confidence, change: SpecChange| {
        refused(2, |spec| {
            spec.end_condition = vec![EndCondition::ConsensusReached];
            (spec.answers.confidence, spec.answers.confidence_at_least) = (confidence, Some(least));
            change(spec);
        })
    };
    assert_eq!(of(70, true, |_| {}), [""; 0]);
    assert_eq!(of(100, true, |spec| spec.mode = Mode::Deliberative), [""; 0]);
    assert_eq!(of(0, true, |_| {}), ["confidence_at_least"]);
    assert_eq!(of(101, true, |_| {}), ["confidence_at_least"]);
    assert_eq!(of(70, false, |_| {}), ["confidence_at_least"]);
    assert_eq!(of(70, true, |spec| spec.end_condition = vec![EndCondition::Impasse]), ["confidence_at_least"]);
    assert_eq!(of(70, true, |spec| spec.similarity.embedding_model = Some("e".into())), ["confidence_at_least"]);
}

#[test]
fn scores_beside_the_decision_are_refused_where_scores_decide_and_where_nobody_hears_anybody() {
    let scores = |spec: &mut DebateSpec| spec.scoring = Scoring::Anonymous;
    assert_eq!(refused(2, scores), [""; 0]);
    let decided = refused(2, |spec| {
        scores(spec);
        votes(spec, Voting { self_votes: SelfVotes::Exclude, ..voting(VoteRule::AnonymousScoring) });
    });
    assert_eq!(decided, ["scoring"]);
}
