//! The rules by which a speech is something to an earlier one.
use super::mentions::{Mention, mentions};
use super::{ArgumentTree, MOST_TEXT, Relation, TreeEdge, TreeNode};
use crate::minutes::Minutes;
use crate::text::excerpt;
use agon_core::tally::same_answer;
use agon_core::{Entry, ParticipantId, Position, SpeechKind};

/// Something that was said, with its number.
struct SaidEntry<'m> {
    number: u32,
    entry: &'m Entry,
    /// The last event that its speaker could see.
    sees: Position,
}

pub(super) fn tree(minutes: &Minutes<'_>) -> ArgumentTree {
    // the samples of a poll know nothing of each other
    if minutes.admission.spec.is_poll() {
        return ArgumentTree::default();
    }
    let said: Vec<SaidEntry<'_>> = (1..)
        .zip(minutes.transcript.entries())
        .filter(|(_, entry)| entry.kind != SpeechKind::Moderation && minutes.shows(entry.participant.as_str()))
        .map(|(number, entry)| {
            // Point and reply come of one turn; the reply answers the point, whatever the turn could see.
            let sees = minutes.asked(entry.turn).map_or(minutes.last, |(_, ask)| ask.sees);
            SaidEntry { number, entry, sees }
        })
        .collect();
    let finder = Finder { minutes, said: &said };
    let edges = said.iter().enumerate().flat_map(|(at, one)| finder.edges(at, one)).collect();
    ArgumentTree { nodes: said.iter().map(|one| finder.node(one)).collect(), edges }
}

struct Finder<'m> {
    minutes: &'m Minutes<'m>,
    said: &'m [SaidEntry<'m>],
}

impl<'m> Finder<'m> {
    fn node(&self, said: &SaidEntry<'_>) -> TreeNode {
        let entry = said.entry;
        TreeNode {
            number: said.number,
            round: entry.turn.round,
            seat: entry.turn.seat,
            speaker: entry.participant.to_string(),
            stance: self.stance(entry).map(str::to_owned),
            kind: entry.kind,
            text: excerpt(&entry.text, MOST_TEXT),
        }
    }

    /// The stance of the speech, or its speaker's.
    fn stance<'e>(&'e self, entry: &'e Entry) -> Option<&'e str> {
        let persona = || self.minutes.admission.spec.persona(&entry.participant)?.stance.as_deref();
        entry.stance.as_deref().or_else(persona)
    }

    fn edges(&self, at: usize, one: &SaidEntry<'_>) -> Vec<TreeEdge> {
        let entry = one.entry;
        let edge =
            |to: &SaidEntry<'_>, relation| TreeEdge { from: one.number, to: to.number, relation, severity: None };
        let to = entry.to.as_ref();
        match entry.kind {
            SpeechKind::Critique => self.criticised(at, one).into_iter().collect(),
            SpeechKind::Revision => self.revised(at, one),
            SpeechKind::Point => {
                let spoken =
                    to.and_then(|to| self.latest(at, one, |said| said.participant == *to && is_speech(said.kind)));
                spoken.map(|spoken| edge(spoken, Relation::Attacks)).into_iter().collect()
            }
            SpeechKind::PointReply => {
                let point = self.said.get(..at).and_then(|before| before.last());
                let point = point.filter(|point| point.entry.turn == entry.turn);
                point.map(|point| edge(point, Relation::Answers)).into_iter().collect()
            }
            SpeechKind::Question | SpeechKind::FollowUp => {
                let asked = to.and_then(|to| self.latest(at, one, |said| said.participant == *to));
                asked.map(|asked| edge(asked, Relation::Asks)).into_iter().collect()
            }
            SpeechKind::Answer => {
                let asks = |kind| matches!(kind, SpeechKind::Question | SpeechKind::FollowUp);
                let asked = to.and_then(|to| self.latest(at, one, |said| said.participant == *to && asks(said.kind)));
                asked.map(|asked| edge(asked, Relation::Answers)).into_iter().collect()
            }
            SpeechKind::Argument
            | SpeechKind::Closing
            | SpeechKind::Rebuttal
            | SpeechKind::Clarification
            | SpeechKind::Interjection => self.addressed(at, one),
            // Openings and proposals see nobody; what a moderator says is not in the tree.
            SpeechKind::Opening | SpeechKind::Proposal | SpeechKind::Moderation => Vec::new(),
        }
    }

    fn criticised(&self, at: usize, one: &SaidEntry<'_>) -> Option<TreeEdge> {
        let of = one.entry.to.as_ref()?;
        let proposal = self.latest(at, one, |said| said.participant == *of && proposes(said.kind))?;
        let critique = self.minutes.critiques().find(|(entry, ..)| entry.turn.same_slot(one.entry.turn));
        let severity = critique.map(|(_, _, critique)| critique.severity);
        let relation = if severity == Some(0) { Relation::Supports } else { Relation::Attacks };
        Some(TreeEdge { from: one.number, to: proposal.number, relation, severity })
    }

    fn revised(&self, at: usize, one: &SaidEntry<'_>) -> Vec<TreeEdge> {
        let own = |said: &Entry| said.participant == one.entry.participant;
        let proposal = self.latest(at, one, |said| own(said) && proposes(said.kind));
        let before = proposal.or_else(|| self.latest(at, one, |said| own(said) && is_speech(said.kind)));
        let edge =
            |to: &SaidEntry<'_>, relation| TreeEdge { from: one.number, to: to.number, relation, severity: None };
        let mut edges: Vec<TreeEdge> = before.map(|before| edge(before, Relation::Revises)).into_iter().collect();
        let speech = self.minutes.speeches().find(|(entry, _)| entry.turn.same_slot(one.entry.turn));
        let Some((_, speech)) = speech else { return edges };
        let critics = speech.accepted.iter().chain(speech.declined.iter().map(|declined| &declined.critic));
        for critic in critics {
            let critique = self.latest(at, one, |said| {
                said.kind == SpeechKind::Critique
                    && said.participant == *critic
                    && said.to.as_ref() == Some(&one.entry.participant)
            });
            edges.extend(critique.map(|critique| edge(critique, Relation::Answers)));
        }
        edges
    }

    /// Where the speech goes by its addressee, else by what it names.
    fn addressed(&self, at: usize, one: &SaidEntry<'_>) -> Vec<TreeEdge> {
        let edge =
            |to: &SaidEntry<'_>, relation| TreeEdge { from: one.number, to: to.number, relation, severity: None };
        let of = |name: &ParticipantId| {
            self.latest(at, one, |said| said.participant == *name && is_speech(said.kind))
                .filter(|_| *name != one.entry.participant)
        };
        if let Some(to) = &one.entry.to {
            return of(to).map(|to| edge(to, self.relation(one.entry, to.entry))).into_iter().collect();
        }
        let names: Vec<&ParticipantId> =
            self.minutes.admission.spec.personas.iter().map(|persona| &persona.name).collect();
        let mut edges: Vec<TreeEdge> = Vec::new();
        for mention in mentions(&one.entry.text, &names) {
            let (named, against) = match mention {
                Mention::Speaker { index, against } => (names.get(index).and_then(|name| of(name)), against),
                Mention::Number(number) => {
                    let numbered = |said: &&SaidEntry<'_>| said.number == number && said.entry.position <= one.sees;
                    (self.said.get(..at).unwrap_or_default().iter().find(numbered), false)
                }
            };
            let Some(named) = named.filter(|named| named.entry.participant != one.entry.participant) else { continue };
            let relation = if against { Relation::Attacks } else { self.relation(one.entry, named.entry) };
            if !edges.iter().any(|known| known.to == named.number) {
                edges.push(edge(named, relation));
            }
        }
        edges
    }

    /// The latest thing before that the speaker could see.
    fn latest(&self, at: usize, one: &SaidEntry<'_>, wanted: impl Fn(&Entry) -> bool) -> Option<&'m SaidEntry<'m>> {
        let before = self.said.get(..at)?;
        before.iter().rev().find(|said| said.entry.position <= one.sees && wanted(said.entry))
    }

    fn relation(&self, from: &Entry, to: &Entry) -> Relation {
        let same = match (from.bench, to.bench, self.stance(from), self.stance(to)) {
            (Some(one), Some(other), ..) => Some(one.is_government() == other.is_government()),
            (_, _, Some(one), Some(other)) => Some(same_answer(one, other)),
            (_, _, _, _) => from.answer.as_deref().zip(to.answer.as_deref()).map(|(a, b)| same_answer(a, b)),
        };
        match same {
            Some(true) => Relation::Supports,
            Some(false) => Relation::Attacks,
            None => Relation::Answers,
        }
    }
}

fn proposes(kind: SpeechKind) -> bool {
    matches!(kind, SpeechKind::Proposal | SpeechKind::Revision)
}

/// Whether it is a speech of its own, and no point, reply or critique.
pub(crate) fn is_speech(kind: SpeechKind) -> bool {
    match kind {
        SpeechKind::Opening
        | SpeechKind::Argument
        | SpeechKind::Closing
        | SpeechKind::Question
        | SpeechKind::Answer
        | SpeechKind::FollowUp
        | SpeechKind::Proposal
        | SpeechKind::Revision
        | SpeechKind::Rebuttal
        | SpeechKind::Clarification
        | SpeechKind::Interjection => true,
        SpeechKind::Critique | SpeechKind::Point | SpeechKind::PointReply | SpeechKind::Moderation => false,
    }
}
