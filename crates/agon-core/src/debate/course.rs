//! What debaters do on the way, as a card keeps it: objections and what becomes of them, points of information, votes.
use crate::answer::{Critique, ObjectionKind};
use crate::archive::{ARGUMENT_CHARS, Chances, Conceded, Conduct, Course, Fates, MOST_CONCEDED, Objections};
use crate::event::{Answered, Event, Given, Speech};
use crate::ids::{ParticipantId, TurnId};
use crate::signals::words;
use crate::spec::{BallotForm, DebateFormat, DebateSpec};
use crate::tally::same_answer;
use crate::task::{Ask, SpeechKind};
use crate::transcript::Transcript;
use crate::work::Work;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What was done so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ConductLog {
    acts: BTreeMap<ParticipantId, Acts>,
    objections: BTreeMap<(ParticipantId, ParticipantId, ObjectionKind), Fates>,
    /// The objections of the round, which its revisions answer.
    open: Vec<OpenObjection>,
    /// The most severe of those that were accepted.
    conceded: Vec<OpenObjection>,
    /// The votes of the round that their voters can cast for themselves.
    own: Vec<(TurnId, BallotForm)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Acts {
    critiques: Chances,
    points: Chances,
    votes: Chances,
}

#[derive(Clone, Debug, PartialEq)]
struct OpenObjection {
    round: u32,
    by: ParticipantId,
    of: ParticipantId,
    severity: u8,
    kind: ObjectionKind,
    text: String,
}

impl ConductLog {
    /// Takes one event in.
    pub fn apply(&mut self, spec: &DebateSpec, event: &Event) {
        match event {
            Event::TurnAsked(ask) => self.asked(spec, ask),
            Event::Answered(Answered { turn, participant, given, .. }) => match given {
                Given::Critique { of, critique, .. } => self.criticised(turn.round, (participant, of), critique),
                Given::Speech(speech) => self.revised(turn.round, participant, speech),
                Given::Points { points, reply } if !points.is_empty() => {
                    self.acts_of(participant).points.add(reply.accepts.is_some());
                }
                Given::Vote { choice, choices, .. } => self.voted(spec, *turn, participant, (choice, choices)),
                _ => {}
            },
            _ => {}
        }
    }

    /// What a card keeps of it.
    pub fn course(&self, spec: &DebateSpec, transcript: &Transcript) -> Course {
        let shown = spec.visible.debaters.history;
        let conduct = |name: &ParticipantId| {
            let Acts { critiques, points, votes } = self.acts.get(name).copied().unwrap_or_default();
            let proposal = proposal(spec, transcript, name).filter(|_| shown);
            Conduct { persona: name.clone(), critiques, points, votes, proposal }
        };
        let objections = self.objections.iter().map(|((by, of, kind), fates)| Objections {
            by: by.clone(),
            of: of.clone(),
            kind: *kind,
            fates: *fates,
        });
        let conceded =
            self.conceded.iter().map(|one| Conceded { by: one.by.clone(), of: one.of.clone(), text: one.text.clone() });
        Course {
            strategy: spec.consensus_strategy,
            conduct: spec.personas.iter().map(|persona| conduct(&persona.name)).collect(),
            objections: objections.collect(),
            conceded: conceded.filter(|_| shown).collect(),
        }
    }

    fn acts_of(&mut self, who: &ParticipantId) -> &mut Acts {
        self.acts.entry(who.clone()).or_default()
    }

    fn fates_of(&mut self, open: &OpenObjection) -> &mut Fates {
        self.objections.entry((open.by.clone(), open.of.clone(), open.kind)).or_default()
    }

    fn criticised(&mut self, round: u32, (by, of): (&ParticipantId, &ParticipantId), critique: &Critique) {
        let kind = ObjectionKind::of(critique.severity);
        self.acts_of(by).critiques.add(kind.is_some());
        self.open.retain(|open| open.round == round);
        let Some(kind) = kind else { return };
        let issues: Vec<&str> = critique.issues.iter().map(String::as_str).collect();
        let (by, of, text) = (by.clone(), of.clone(), beginning(&issues.join("; ")));
        let open = OpenObjection { round, by, of, severity: critique.severity, kind, text };
        let fates = self.fates_of(&open);
        fates.raised = fates.raised.saturating_add(1);
        self.open.push(open);
    }

    /// A revision answers the objections of its round. One that it both accepts and declines is accepted in part.
    fn revised(&mut self, round: u32, who: &ParticipantId, speech: &Speech) {
        let answers = |open: &OpenObjection| open.round == round && open.of == *who;
        for open in self.open.extract_if(.., |open| answers(open)).collect::<Vec<_>>() {
            if speech.accepted.contains(&open.by) {
                let fates = self.fates_of(&open);
                fates.accepted = fates.accepted.saturating_add(1);
                // the very same objection in another round is no further one
                let again = |known: &OpenObjection| {
                    (&known.by, &known.of) == (&open.by, &open.of) && words(&known.text) == words(&open.text)
                };
                match self.conceded.iter_mut().find(|known| again(known)) {
                    Some(known) => known.severity = known.severity.max(open.severity),
                    None => self.conceded.push(open),
                }
            } else if speech.declined.iter().any(|declined| declined.critic == open.by) {
                let fates = self.fates_of(&open);
                fates.declined = fates.declined.saturating_add(1);
            }
        }
        self.conceded.sort_by_key(|open| Reverse(open.severity));
        self.conceded.truncate(MOST_CONCEDED);
    }

    fn asked(&mut self, spec: &DebateSpec, ask: &Ask) {
        if ask.task.work != Work::Vote {
            return;
        }
        self.own.retain(|(turn, _)| turn.round == ask.turn.round && !turn.same_slot(ask.turn));
        let material = &ask.task.material;
        if material.candidates().iter().any(|candidate| is_own(spec, &ask.participant, candidate)) {
            self.own.push((ask.turn, material.form()));
        }
    }

    fn voted(&mut self, spec: &DebateSpec, turn: TurnId, voter: &ParticipantId, vote: (&String, &[String])) {
        let Some((_, form)) = self.own.iter().find(|(asked, _)| asked.same_slot(turn)).copied() else { return };
        let own = |choice: &String| is_own(spec, voter, choice);
        let (choice, choices) = vote;
        let did = match form {
            BallotForm::Approval => choices.iter().any(own),
            BallotForm::Single | BallotForm::Ranking | BallotForm::Scores => own(choice),
        };
        self.acts_of(voter).votes.add(did);
    }
}

/// Whether a candidate is the voter itself, or the stance that it has.
fn is_own(spec: &DebateSpec, voter: &ParticipantId, candidate: &str) -> bool {
    let Some(persona) = spec.persona(voter) else { return false };
    let stance = persona.stance.as_deref().is_some_and(|stance| same_answer(stance, candidate));
    stance || same_answer(persona.name.as_str(), candidate)
}

fn proposal(spec: &DebateSpec, transcript: &Transcript, author: &ParticipantId) -> Option<String> {
    if spec.debate_format != DebateFormat::CritiqueRevision {
        return None;
    }
    let mut entries = transcript.entries().iter().rev();
    let last = entries.find(|entry| {
        entry.participant == *author && matches!(entry.kind, SpeechKind::Proposal | SpeechKind::Revision)
    });
    last.map(|entry| beginning(&entry.text))
}

/// The first [`ARGUMENT_CHARS`] characters on one line, with a mark where there are more.
fn beginning(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(ARGUMENT_CHARS) {
        None => line,
        Some(_) => line.chars().take(ARGUMENT_CHARS - 1).chain(['…']).collect(),
    }
}
