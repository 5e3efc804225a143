//! Judging again what was said before.
use crate::{specs, world};
use agon_core::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;

fn again(old: &[Record]) -> Result<(Admission, Vec<Event>), RejudgeError> {
    let Event::DebateAdmitted(source) = &old[0].events[0] else { panic!("the log admits no debate") };
    let spec = rejudged_spec(source, Some("another-judge".into()))?;
    let admission = Admission { id: DebateId::parse("debate-2").unwrap(), spec, ..(**source).clone() };
    let records: Vec<std::sync::Arc<Record>> = old.iter().cloned().map(std::sync::Arc::new).collect();
    let events = rejudge(admission.clone(), &records)?;
    Ok((admission, events))
}

fn events(log: &[Record]) -> impl Iterator<Item = &Event> {
    log.iter().flat_map(|record| &record.events)
}

fn speeches(log: &[Record]) -> Vec<(&Answered, &Speech)> {
    events(log).filter_map(Event::speech).collect()
}

/// What judges are shown: all that was said but for the moderator's part, without the places in the log.
fn said(log: &[Record]) -> Vec<(TurnId, SpeechKind, ParticipantId, String)> {
    let debate = Debate::fold(log).unwrap();
    let shown = debate.transcript().entries().iter().filter(|entry| entry.kind != SpeechKind::Moderation);
    shown.map(|entry| (entry.turn, entry.kind, entry.participant.clone(), entry.text.to_string())).collect()
}

/// Whether the verdict's consensus is contested, where there is one that is not unanimous.
fn contested(log: &[Record]) -> Option<bool> {
    events(log).find_map(|event| match event {
        Event::VerdictReached { consensus: Some(consensus), .. } if consensus.strength != Strength::Unanimous => {
            Some(consensus.contested)
        }
        _ => None,
    })
}

/// Contested is what a judge finds unanswered, what the judges disagree on, and a severe critique that no revision met.
fn expected_contest(admission: &Admission, log: &[Record]) -> Option<bool> {
    contested(log)?;
    let judge = admission.spec.judge.as_ref().unwrap();
    let mut winners = std::collections::BTreeSet::new();
    let mut open = false;
    let mut severe: Vec<(&ParticipantId, &ParticipantId, bool)> = Vec::new();
    for event in events(log) {
        match event {
            Event::Answered(Answered { given: Given::Judgement { winner, open_objections, .. }, .. }) => {
                winners.insert(winner);
                open |= !open_objections.is_empty();
            }
            Event::Answered(Answered { participant, given: Given::Critique { of, critique, .. }, .. })
                if critique.severity >= 8 =>
            {
                severe.push((participant, of, false));
            }
            Event::Answered(said @ Answered { given: Given::Speech(speech), .. }) => {
                let met: Vec<_> = speech.accepted.iter().chain(speech.declined.iter().map(|one| &one.critic)).collect();
                for (by, of, answered) in &mut severe {
                    *answered |= **of == said.participant && met.contains(by);
                }
            }
            _ => {}
        }
    }
    let asked = judge.orders * judge.panel;
    Some(open || winners.len() > 1 && asked > 1 || severe.iter().any(|(.., answered)| !answered))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn only_the_judge_is_asked_and_hears_what_was_said(admission in specs::admissions(), script in world::scripts(), seed in any::<u64>()) {
        let old = world::play(admission, &script).map_err(TestCaseError::fail)?;
        let again = again(&old);
        if speeches(&old).is_empty() {
            prop_assert!(matches!(again, Err(RejudgeError::NothingSaid(_))));
            return Ok(());
        }
        let (admission, first) = again.unwrap();
        let log = world::play_from(first, 200u64, &world::Script::smooth(seed)).map_err(TestCaseError::fail)?;

        let debate = Debate::fold(&log).unwrap();
        prop_assert_eq!(speeches(&log), speeches(&old));
        prop_assert_eq!(debate.admission().rejudges.as_ref(), Some(&DebateId::parse("debate-1").unwrap()));
        let asked: Vec<&Ask> = events(&log).filter_map(|event| if let Event::TurnAsked(ask) = event { Some(ask) } else { None }).collect();
        prop_assert!(!asked.is_empty());
        prop_assert!(asked.iter().all(|ask| judge_index(&ask.participant).is_some() && ask.model.as_str() == "another-judge"));
        let judged = events(&log).filter(|event| matches!(event, Event::Answered(Answered { given: Given::Judgement { .. }, .. }))).count();
        let orders = admission.spec.judge.as_ref().map_or(0, |judge| judge.orders * judge.panel);
        prop_assert_eq!(judged as u64, u64::from(orders));
        prop_assert_eq!(said(&log), said(&old));
        prop_assert_eq!(contested(&log), expected_contest(&admission, &log));
        // what was spent in the old debate is not spent again
        prop_assert_eq!(debate.usage().completion_tokens, 20 * u64::from(orders));
    }
}

#[test]
fn a_debate_that_has_not_ended_is_not_judged_again() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let admission = specs::admissions().new_tree(&mut runner).unwrap().current();
    let first =
        Record { first: Position(1), at: Timestamp(1), epoch: 0, nonce: 0, events: vec![Debate::admit(admission)] };

    let refused = again(&[first]);

    assert_eq!(refused.unwrap_err(), RejudgeError::NotEnded(DebateId::parse("debate-1").unwrap()));
}
