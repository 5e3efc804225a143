//! From the minutes to the result.
use super::*;
use crate::key;
use crate::minutes::{BallotChoice, Concluded, MinutesEntry};
use crate::verdict::verified;
use agon_core::{Admission, FeedReading, PastDebate};
use std::collections::BTreeMap;

pub(super) fn history(admission: &Admission) -> Option<Vec<PastResult>> {
    let asked = admission.spec.history_limit > 0 || !admission.history.is_empty();
    asked.then(|| admission.history.iter().map(past).collect())
}

fn past(past: &PastDebate) -> PastResult {
    let PastDebate { id, topic, admitted: _, outcome, verdict, winner, failed } = past.clone();
    PastResult { id: id.to_string(), topic, outcome, winner, verdict, failed }
}

pub(super) fn feeds(admission: &Admission) -> Vec<FeedResult> {
    let one = |feed: &FeedReading| FeedResult {
        name: feed.name.clone(),
        items: feed.items.iter().map(|item| item.title.clone()).collect(),
        fault: feed.fault,
    };
    admission.feeds.iter().map(one).collect()
}

pub(super) fn transcript(minutes: &Minutes<'_>) -> Vec<TranscriptEntry> {
    minutes.transcript.entries().iter().map(|entry| said(minutes, entry)).collect()
}

fn said(minutes: &Minutes<'_>, entry: &agon_core::Entry) -> TranscriptEntry {
    let shown = minutes.shows(entry.participant.as_str());
    let same = |other: &MinutesEntry<'_>| other.turn.same_slot(entry.turn);
    let speech = minutes.speeches().find(|(other, _)| same(other)).map(|(_, speech)| speech);
    let critique = minutes.critiques().find(|(other, ..)| same(other)).map(|(_, _, critique)| critique);
    let name = |name: &agon_core::ParticipantId| name.to_string();
    TranscriptEntry {
        round: entry.turn.round,
        seat: entry.turn.seat,
        stance: entry.stance.clone(),
        kind: entry.kind,
        text: if shown { entry.text.to_string() } else { String::new() },
        speaker: entry.participant.to_string(),
        to: entry.to.as_ref().map(name),
        bench: entry.bench,
        answer: entry.answer.clone().filter(|_| shown),
        severity: critique.map(|critique| critique.severity),
        accepted: speech.map(|speech| speech.accepted.iter().map(name).collect()).unwrap_or_default(),
        declined: speech.map(|speech| speech.declined.clone()).unwrap_or_default(),
        cut_by: entry.cut_by.as_ref().map(name),
        cut_at_limit: entry.cut_at_limit,
        not_shown: !shown,
    }
}

pub(super) fn verdict(minutes: &Minutes<'_>) -> Option<VerdictResult> {
    let verdict = minutes.verdict.filter(|verdict| verdict.verdict.is_some() || verdict.winner.is_some())?;
    let citations = minutes.citations();
    let answer = minutes.answer();
    Some(VerdictResult {
        verdict: verdict.verdict.map(str::to_owned),
        winner: verdict.winner.map(str::to_owned),
        decision: minutes.ruling().map(|ruling| ruling.decision.to_owned()),
        text: answer.and_then(|answer| answer.text).map(str::to_owned),
        author: answer.map(|answer| answer.author.to_owned()),
        reasoning: verdict.reasoning.map(str::to_owned),
        citations_verified: VerifiedCount { verified: verified(&citations), total: citations.len() },
        claims: minutes.verdict_claims(),
        citations: citations.into_iter().cloned().collect(),
    })
}

pub(super) fn judgements(minutes: &Minutes<'_>) -> Vec<JudgementResult> {
    let labels = labels(minutes);
    let judgements = minutes.judgements();
    let one = judgements.map(|(entry, judged)| JudgementResult {
        judge: entry.participant.to_owned(),
        order: judged.order,
        verdict: judged.verdict.to_owned(),
        winner: judged.winner.map(str::to_owned),
        reasoning: judged.reasoning.to_owned(),
        citations: judged.citations.to_vec(),
        citations_verified: VerifiedCount {
            verified: judged.citations.iter().filter(|citation| citation.verified).count(),
            total: judged.citations.len(),
        },
        claims: minutes.counted_claims(entry, judged),
        open_objections: judged.open_objections.to_vec(),
        labels: labels.clone(),
        entries: minutes.numbered(entry.turn, judged.order).into_iter().map(numbered).collect(),
    });
    one.collect()
}

fn labels(minutes: &Minutes<'_>) -> BTreeMap<String, String> {
    key::labels(minutes.admission).into_iter().map(|(label, name)| (label, name.to_string())).collect()
}

fn numbered(shown: key::NumberedEntry) -> NumberedSpeech {
    let (round, seat) = (shown.turn.round, shown.turn.seat);
    NumberedSpeech { entry: shown.number, round, seat, participant: shown.participant.to_string() }
}

pub(super) fn votes(minutes: &Minutes<'_>) -> Option<VotesResult> {
    let tally = minutes.tally?;
    let one = |entry: &MinutesEntry<'_>, vote: BallotChoice<'_>| VoteResult {
        participant: entry.participant.to_owned(),
        round: entry.turn.round,
        choice: vote.choice.to_owned(),
        choices: vote.choices.to_vec(),
        reasons: vote.reasons.to_vec(),
        confidence: vote.confidence,
    };
    Some(VotesResult {
        rule: tally.rule,
        counts: tally.counts.to_vec(),
        eligible: tally.eligible,
        received: tally.received,
        winner: tally.winner.map(str::to_owned),
        votes: minutes.votes().map(|(entry, vote)| one(entry, vote)).collect(),
        weights: tally.weights.to_vec(),
        scores: if minutes.means_beside().is_empty() { voter_scores(minutes) } else { Vec::new() },
    })
}

fn voter_scores(minutes: &Minutes<'_>) -> Vec<VoterScores> {
    let one = |(entry, scores): (&MinutesEntry<'_>, &[agon_core::DebaterScore])| VoterScores {
        participant: entry.participant.to_owned(),
        scores: scores.to_vec(),
    };
    minutes.debater_scores().map(one).collect()
}

pub(super) fn scoring(minutes: &Minutes<'_>) -> Option<ScoringResult> {
    let means = minutes.means_beside();
    (!means.is_empty()).then(|| ScoringResult { means, scores: voter_scores(minutes) })
}

pub(super) fn consensus(minutes: &Minutes<'_>) -> Option<ConsensusResult> {
    let consensus = minutes.verdict?.consensus?;
    Some(ConsensusResult {
        answer: consensus.answer.clone(),
        strength: consensus.strength,
        share: VoteShare { top: consensus.top, eligible: consensus.eligible },
        contested: consensus.contested,
        contested_by: minutes.contested_by().into_iter().map(str::to_owned).collect(),
        source: consensus.source,
    })
}

pub(super) fn rankings(minutes: &Minutes<'_>) -> Vec<RankingResult> {
    let labels = labels(minutes);
    let one = |(entry, order, ranking): (&MinutesEntry<'_>, u32, &[agon_core::Ranked])| RankingResult {
        judge: entry.participant.to_owned(),
        order,
        ranking: ranking.to_vec(),
        labels: labels.clone(),
        entries: minutes.numbered(entry.turn, order).into_iter().map(numbered).collect(),
    };
    minutes.rankings().map(one).collect()
}

pub(super) fn synthesis(minutes: &Minutes<'_>) -> Option<SynthesisResult> {
    let (_, synthesis) = minutes.synthesis()?;
    Some(SynthesisResult {
        output: synthesis.output.as_deref().and_then(|output| serde_json::from_str(output).ok()),
        text: synthesis.text.to_string(),
        problems: synthesis.problems.clone(),
    })
}

pub(super) fn speech_scores(minutes: &Minutes<'_>) -> Vec<SpeechScoreResult> {
    let one = |score: &agon_core::SpeechScore| SpeechScoreResult {
        round: score.speech.round,
        seat: score.speech.seat,
        speaker: minutes.holder(score.speech).unwrap_or_default().to_owned(),
        score: score.score,
        total: score.score.total(),
        comment: score.comment.clone(),
    };
    minutes.speech_scores().flat_map(|(_, scores)| scores.iter().map(one)).collect()
}

pub(super) fn conclusions(minutes: &Minutes<'_>) -> Vec<ConclusionResult> {
    let one = |concluded: Concluded<'_>| ConclusionResult {
        conclusion: concluded.conclusion,
        text: concluded.text.to_owned(),
        reasoning: concluded.reasoning.map(str::to_owned),
    };
    minutes.conclusions().map(|(_, concluded)| one(concluded)).collect()
}

pub(super) fn tools(minutes: &Minutes<'_>) -> Vec<ToolResult> {
    let mut counted: BTreeMap<(&str, &str), (u32, u32, u64)> = BTreeMap::new();
    for used in &minutes.tools {
        let (calls, failed, ms) = counted.entry((used.participant, &used.tool.tool)).or_default();
        *calls = calls.saturating_add(1);
        *failed = failed.saturating_add(u32::from(used.tool.error.is_some()));
        *ms = ms.saturating_add(used.tool.duration_ms);
    }
    let one = |((participant, tool), (calls, failed, duration_ms)): ((&str, &str), (u32, u32, u64))| ToolResult {
        participant: participant.to_owned(),
        tool: tool.to_owned(),
        calls,
        failed,
        duration_ms,
    };
    counted.into_iter().map(one).collect()
}

pub(super) fn checks(minutes: &Minutes<'_>) -> Vec<ClaimResult> {
    let one = |(entry, check): (&MinutesEntry<'_>, &agon_core::Check)| ClaimResult {
        round: entry.turn.round,
        seat: entry.turn.seat,
        participant: entry.participant.to_owned(),
        check: check.clone(),
    };
    minutes.formal_checks().map(one).collect()
}

pub(super) fn moderator_decisions(minutes: &Minutes<'_>) -> Vec<ModeratorResult> {
    let decisions = minutes.decisions();
    decisions
        .map(|(entry, decision, fallback)| ModeratorResult {
            round: entry.turn.round,
            fallback,
            decision: decision.clone(),
        })
        .collect()
}

pub(super) fn ballots(minutes: &Minutes<'_>, stage: BallotStage) -> Vec<BallotResult> {
    let one = |entry: &MinutesEntry<'_>, ballot: BallotChoice<'_>| BallotResult {
        stage,
        participant: entry.participant.to_owned(),
        choice: ballot.choice.to_owned(),
        reasons: ballot.reasons.to_vec(),
        confidence: ballot.confidence,
    };
    minutes.ballots(stage).map(|(entry, ballot)| one(entry, ballot)).collect()
}

pub(super) fn failures(minutes: &Minutes<'_>) -> Vec<FailureResult> {
    let failures = minutes.failures();
    failures
        .map(|(entry, failure, retry_at)| FailureResult {
            turn: entry.turn,
            participant: entry.participant.to_owned(),
            cause: failure.cause,
            detail: failure.detail.clone(),
            remedy: entry.call.and_then(|call| failure.remedy(call)),
            will_retry: retry_at.is_some(),
        })
        .collect()
}
