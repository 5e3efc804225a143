//! What came out: verdict, judges, dissent, ballots and votes.
use super::ranks::{self, RankMatrix};
use super::{ReportBlock, ReportTable, TableCell};
use crate::html::Chart;
use crate::key::{self, JudgeKey};
use crate::minutes::{BallotChoice, Judged, Minutes, MinutesEntry, VoteTally};
use crate::text::{one_line, sentence};
use crate::words;
use agon_core::{BallotStage, ParticipantId, Ranked, Speech};

/// A judge on one order of presentation.
pub(crate) struct JudgeReading<'m, T> {
    pub(crate) entry: &'m MinutesEntry<'m>,
    /// Which order, from 1.
    pub(crate) order: u32,
    pub(crate) found: T,
    pub(crate) key: Option<JudgeKey>,
}

/// What the judges found.
pub(crate) struct JudgePanel<'m> {
    /// Judgements; how many quotations of each were found, and how many of its claims have none.
    pub(crate) readings: Vec<JudgeReading<'m, (Judged<'m>, String)>>,
    pub(crate) rankings: Vec<JudgeReading<'m, &'m [Ranked]>>,
}

/// A position that did not win, with the last speech for it.
pub(crate) struct LostPosition<'m> {
    pub(crate) position: &'m str,
    pub(crate) last: Option<(&'m MinutesEntry<'m>, &'m Speech)>,
}

/// What somebody chose.
#[derive(Clone, Copy)]
pub(crate) struct Choosing<'m> {
    pub(crate) entry: &'m MinutesEntry<'m>,
    pub(crate) choice: BallotChoice<'m>,
}

/// The private ballots, and what the debate did to them.
pub(crate) struct BallotSheet<'m> {
    pub(crate) initial: Vec<Choosing<'m>>,
    pub(crate) last: Vec<Choosing<'m>>,
    /// What became of the first majority, once there is a verdict.
    pub(crate) majority: Option<&'static str>,
    pub(crate) moved: &'m [ParticipantId],
    /// Debaters in all.
    pub(crate) debaters: usize,
}

/// The count of the votes, and what it was made of.
pub(crate) struct CountedVotes<'m> {
    pub(crate) tally: VoteTally<'m>,
    /// Where every round votes, the round of each.
    pub(crate) every_round: bool,
    pub(crate) votes: Vec<Choosing<'m>>,
    pub(crate) scores: ReportTable,
    /// Where rankings were counted.
    pub(crate) ranks: Option<RankMatrix>,
}

impl<T> JudgeReading<'_, T> {
    pub(crate) fn judge(&self) -> &'static str {
        words::office(self.entry.participant)
    }
}

impl<'m> BallotSheet<'m> {
    pub(crate) fn before(&self, debater: &str) -> Option<&Choosing<'m>> {
        self.initial.iter().find(|ballot| ballot.entry.participant == debater)
    }
    pub(crate) fn after(&self, debater: &str) -> Option<&Choosing<'m>> {
        self.last.iter().find(|ballot| ballot.entry.participant == debater)
    }
    /// Who changed their ballot, or how many did not: only of those is that known whose ballots were both cast.
    pub(crate) fn changes(&self) -> String {
        let known = self.initial.iter().filter(|ballot| self.after(ballot.entry.participant).is_some()).count();
        let moved: Vec<String> = self.moved.iter().map(|name| one_line(name.as_str())).collect();
        match (moved.len(), known) {
            (0, 0) => "Nobody cast both ballots, so it is unknown who changed.".to_owned(),
            (0, known) if known == self.debaters => "Nobody changed their ballot.".to_owned(),
            (0, known) => format!("None of the {known} of {} who cast both ballots changed.", self.debaters),
            (..) => sentence(&format!("Changed their ballot: {}", moved.join(", "))),
        }
    }
}

impl<'m> Choosing<'m> {
    fn of((entry, choice): (&'m MinutesEntry<'m>, BallotChoice<'m>)) -> Self {
        Self { entry, choice }
    }
    /// The choice, or all choices.
    pub(crate) fn choices(&self) -> Vec<&'m str> {
        match self.choice.choices {
            [] => vec![self.choice.choice],
            choices => choices.iter().map(String::as_str).collect(),
        }
    }
    /// How sure the voter says it is, if that was asked.
    pub(crate) fn sure(&self) -> String {
        words::sure(self.choice.confidence)
    }
    /// The reasons on one line.
    pub(crate) fn reasons(&self) -> String {
        words::reasons(self.choice.reasons)
    }
}

/// The answer of the verdict, where the result does not show it already.
fn answer<'m>(minutes: &'m Minutes<'m>) -> Option<&'m str> {
    let shown = minutes.answer().and_then(|answer| answer.text);
    minutes.verdict?.verdict.filter(|verdict| shown != Some(*verdict))
}

pub(super) fn verdict_title(minutes: &Minutes<'_>) -> &'static str {
    if answer(minutes).is_some() { "Verdict" } else { "Reasoning" }
}

/// The verdict in words where the winner's words are others, and the whole reasoning with its citations.
pub(super) fn verdict<'m>(minutes: &'m Minutes<'m>) -> Vec<ReportBlock<'m>> {
    let (answer, reasoning) = (answer(minutes), minutes.verdict.and_then(|verdict| verdict.reasoning));
    if answer.is_none() && reasoning.is_none() {
        return Vec::new();
    }
    let mut blocks: Vec<ReportBlock<'m>> = answer.map(ReportBlock::Answer).into_iter().collect();
    blocks.extend(reasoning.map(|reasoning| ReportBlock::Reasoning(reasoning, answer.is_some())));
    let key = minutes.deciding().and_then(|(entry, judged)| minutes.judgement_key(entry, judged));
    blocks.extend(key.map(ReportBlock::Key));
    let citations = minutes.citations();
    blocks.extend((!citations.is_empty()).then_some(ReportBlock::Citations(citations)));
    blocks.extend(minutes.verdict_claims().and_then(words::claims).map(ReportBlock::Claims));
    blocks
}

fn readings<'m>(minutes: &'m Minutes<'m>) -> JudgePanel<'m> {
    let readings = minutes.judgements().map(|(entry, judged)| JudgeReading {
        entry,
        order: judged.order.saturating_add(1),
        found: (judged, minutes.checked(entry, judged)),
        key: minutes.judgement_key(entry, judged),
    });
    let rankings = minutes.rankings().map(|(entry, order, ranking)| JudgeReading {
        entry,
        order: order.saturating_add(1),
        found: ranking,
        key: key::of(minutes, entry, order, ranking.iter().map(|one| one.reason.as_str())),
    });
    JudgePanel { readings: readings.collect(), rankings: rankings.collect() }
}

pub(super) fn judgements<'m>(minutes: &'m Minutes<'m>) -> Vec<ReportBlock<'m>> {
    vec![ReportBlock::Judges(readings(minutes))]
}

pub(super) fn judges<'m>(minutes: &'m Minutes<'m>) -> Vec<ReportBlock<'m>> {
    let (panel, objections) = (readings(minutes), objections(minutes));
    let several = minutes.admission.spec.judge.as_ref().is_some_and(|judge| judge.panel > 1);
    let found = !panel.readings.is_empty() || !panel.rankings.is_empty();
    if objections.is_empty() && panel.rankings.is_empty() && !(several && found) {
        return Vec::new();
    }
    [ReportBlock::Judges(panel)].into_iter().chain(objections).collect()
}

pub(super) fn objections<'m>(minutes: &'m Minutes<'m>) -> Vec<ReportBlock<'m>> {
    let objections: Vec<_> = minutes.open_objections().collect();
    (!objections.is_empty()).then_some(ReportBlock::Objections(objections)).into_iter().collect()
}

pub(super) fn dissent<'m>(minutes: &'m Minutes<'m>) -> Vec<ReportBlock<'m>> {
    let split = minutes.order_sensitive().then(|| ReportBlock::Split(readings(minutes)));
    let last = |position| LostPosition { position, last: minutes.last_word(position) };
    let lost: Vec<_> = minutes.lost().into_iter().map(last).collect();
    let against: Vec<_> = minutes.dissenting().into_iter().map(Choosing::of).collect();
    let lost = (!lost.is_empty()).then_some(ReportBlock::Lost(lost));
    let against = (!against.is_empty()).then_some(ReportBlock::Against(against));
    split.into_iter().chain(lost).chain(against).collect()
}

pub(super) fn ballots<'m>(minutes: &'m Minutes<'m>) -> Vec<ReportBlock<'m>> {
    let of = |stage| -> Vec<Choosing<'m>> { minutes.ballots(stage).map(Choosing::of).collect() };
    let (initial, last) = (of(BallotStage::Initial), of(BallotStage::Final));
    if initial.is_empty() && last.is_empty() {
        return Vec::new();
    }
    let verdict = minutes.verdict.filter(|_| !initial.is_empty());
    let majority = verdict.map(|verdict| words::majority(verdict.majority, verdict.winner.is_some()));
    let moved = minutes.verdict.map(|verdict| verdict.moved).unwrap_or_default();
    let flow = Chart::flow(minutes).map(ReportBlock::Chart);
    let sheet = BallotSheet { initial, last, majority, moved, debaters: minutes.admission.spec.personas.len() };
    flow.into_iter().chain([ReportBlock::Ballots(sheet)]).collect()
}

pub(super) fn votes_title(minutes: &Minutes<'_>) -> &'static str {
    let ranked = minutes.tally.is_some_and(|tally| tally.rule.is_none());
    if ranked { "Points of the rankings" } else { "Votes" }
}

pub(super) fn votes<'m>(minutes: &'m Minutes<'m>) -> Vec<ReportBlock<'m>> {
    let Some(tally) = minutes.tally else { return Vec::new() };
    let every_round = minutes.admission.spec.voting.is_some_and(|voting| voting.every_round);
    let votes = minutes.votes().map(Choosing::of).collect();
    let ranks = ranks::matrix(minutes, &tally);
    vec![ReportBlock::Votes(CountedVotes { tally, every_round, votes, scores: scores(minutes), ranks })]
}

/// What every voter scored every other debater with.
fn scores(minutes: &Minutes<'_>) -> ReportTable {
    let rows = minutes.debater_scores().flat_map(|(entry, scores)| {
        scores.iter().map(move |score| {
            let scales = score.score.scales().map(|(_, value)| TableCell::own(value.to_string()));
            let names = [words::who(entry.participant), score.debater.as_str()].map(TableCell::foreign);
            names.into_iter().chain(scales).chain([TableCell::own(score.score.total().to_string())]).collect()
        })
    });
    let head = ["By", "Of", "Clarity", "Evidence", "Originality", "On topic", "Total"];
    ReportTable::of("Scores, one by one", &head, rows.collect())
}
