//! What a log must be, whatever happened to those who wrote it.
use agon_core::{Answer, Answered, Debate, DebateId, Event, Given, Record, ToolUse, TurnId, TurnResult};
use agon_proto::{Chained, decode_record};
use agon_store::{RawRecord, chain};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// A log as it is stored, and what the registers still hold of its turns.
#[derive(Clone, Debug)]
pub struct RawLog {
    /// Whose.
    pub id: DebateId,
    /// Its records, as they are stored.
    pub raw: Vec<RawRecord>,
    /// The registers of the turns that were asked, as far as they are still there.
    pub registers: BTreeMap<TurnId, Arc<TurnResult>>,
}

/// Something that must not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvariantBreach {
    /// The hash chain is broken at this position, or a record cannot be read.
    Chain(u64),
    /// No event stands at this position although later ones do.
    Gap(u64),
    /// Two records hold this position, or one was written in another epoch than its owner's.
    TwoWriters(u64),
    /// The epoch falls, or two claims have the same one.
    Epoch(u64),
    /// A turn has two results.
    Doubled(TurnId),
    /// A turn was asked although the same try was asked before, or its slot was settled.
    AskedAgain(TurnId),
    /// A turn has a result and was never asked.
    Unasked(TurnId),
    /// The log has another result than the register.
    Differs(TurnId),
    /// The register has an answer, and the log says that there was none.
    Lost(TurnId),
    /// The log tells of other uses of tools than the register.
    Tools(TurnId),
    /// Something was heard or used in a turn that was not under way.
    Stray(TurnId),
    /// There is no end, more than one, or something after it.
    End(usize),
    /// The machine that folds the log finds it broken.
    Broken(String),
}
impl fmt::Display for InvariantBreach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chain(at) => write!(f, "the hash chain is broken at event {at}"),
            Self::Gap(at) => write!(f, "event {at} is missing"),
            Self::TwoWriters(at) => write!(f, "event {at} has two writers"),
            Self::Epoch(at) => write!(f, "the epoch falls at event {at}"),
            Self::Doubled(turn) => write!(f, "turn {turn} has two results"),
            Self::AskedAgain(turn) => write!(f, "turn {turn} was asked again"),
            Self::Unasked(turn) => write!(f, "turn {turn} has a result and was not asked"),
            Self::Differs(turn) => write!(f, "turn {turn} is not what its register holds"),
            Self::Tools(turn) => write!(f, "turn {turn} used other tools than its register holds"),
            Self::Stray(turn) => write!(f, "something happened in turn {turn} while it was not under way"),
            Self::Lost(turn) => write!(f, "turn {turn} was answered, and the log says that it failed"),
            Self::End(count) => write!(f, "{count} ends, or something after the end"),
            Self::Broken(why) => write!(f, "{why}"),
        }
    }
}

/// Everything that is wrong with the log of a debate that is over.
pub fn check(log: &RawLog) -> Vec<InvariantBreach> {
    let mut findings = Vec::new();
    let records = linked(log, &mut findings);
    writers(&records, &mut findings);
    turns(&records, &log.registers, &mut findings);
    asides(&records, &log.registers, &mut findings);
    end(&records, &mut findings);
    match Debate::fold(&records).map(|debate| debate.check()) {
        Some(Ok(())) => {}
        Some(Err(why)) => findings.push(InvariantBreach::Broken(why)),
        None => findings.push(InvariantBreach::Broken("no admission at its start".to_owned())),
    }
    findings
}

/// Reads the records; each must continue the one before, by position and by hash.
fn linked(log: &RawLog, findings: &mut Vec<InvariantBreach>) -> Vec<Record> {
    let (mut prev, mut next) = (chain::genesis(&log.id), 1);
    let mut records = Vec::with_capacity(log.raw.len());
    for raw in &log.raw {
        let at = raw.first.0;
        match at.cmp(&next) {
            std::cmp::Ordering::Less => findings.push(InvariantBreach::TwoWriters(at)),
            std::cmp::Ordering::Greater => findings.push(InvariantBreach::Gap(next)),
            std::cmp::Ordering::Equal => {}
        }
        next = raw.last.0 + 1;
        let whole = chain::link(&prev, &raw.body) == raw.hash;
        let continues = |chained: &Chained| chained.prev_hash == prev && chained.record.first == raw.first;
        let read = decode_record(&raw.body).ok();
        if !whole || !read.as_ref().is_some_and(continues) {
            findings.push(InvariantBreach::Chain(at));
        }
        prev = raw.hash;
        records.extend(read.map(|chained| chained.record));
    }
    records
}

/// Each record is of the epoch that the last claim began, and each claim begins the next one.
fn writers(records: &[Record], findings: &mut Vec<InvariantBreach>) {
    let mut epoch = 0;
    for record in records {
        let claimed = record.events.iter().find_map(|event| match event {
            Event::Claimed { epoch, .. } => Some(*epoch),
            _ => None,
        });
        let at = record.first.0;
        match claimed {
            Some(claimed) if claimed != epoch + 1 => findings.push(InvariantBreach::Epoch(at)),
            None if record.epoch < epoch => findings.push(InvariantBreach::Epoch(at)),
            Some(_) | None => {}
        }
        let owner = claimed.unwrap_or(epoch);
        if record.epoch != owner {
            findings.push(InvariantBreach::TwoWriters(at));
        }
        epoch = epoch.max(owner);
    }
}

/// How a turn's try was settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// With a speech.
    Spoken(Arc<str>),
    /// With another answer.
    Answered,
    /// Without one.
    Failed,
}

/// The result of a try that an event records.
pub fn settled(event: &Event) -> Option<(TurnId, Settled)> {
    let (turn, _) = event.settled()?;
    let how = match event {
        Event::Answered(Answered { given: Given::Speech(speech), .. }) => Settled::Spoken(speech.text.clone()),
        Event::TurnFailed { .. } => Settled::Failed,
        _ => Settled::Answered,
    };
    Some((turn, how))
}

/// Each try is asked once and settled once, no settled slot is asked again, and the registers say the same.
fn turns(records: &[Record], registers: &BTreeMap<TurnId, Arc<TurnResult>>, findings: &mut Vec<InvariantBreach>) {
    let (mut asked, mut done, mut answered) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for event in records.iter().flat_map(|record| &record.events) {
        if let Event::TurnAsked(ask) = event {
            let slot = (ask.turn.round, ask.turn.seat);
            if answered.contains(&slot) || !asked.insert(ask.turn) {
                findings.push(InvariantBreach::AskedAgain(ask.turn));
            }
        }
        let Some((turn, how)) = settled(event) else { continue };
        if !asked.contains(&turn) {
            findings.push(InvariantBreach::Unasked(turn));
        }
        let slot = (turn.round, turn.seat);
        if how != Settled::Failed && !answered.insert(slot) || !done.insert(turn) {
            findings.push(InvariantBreach::Doubled(turn));
        }
        let held = registers.get(&turn);
        findings.extend(held.and_then(|held| compare(turn, &how, held)));
    }
}

fn compare(turn: TurnId, logged: &Settled, held: &TurnResult) -> Option<InvariantBreach> {
    match (logged, held) {
        (Settled::Spoken(text), TurnResult::Answered { answer: Answer::Speech { text: said, .. }, .. }) => {
            (text != said).then_some(InvariantBreach::Differs(turn))
        }
        (Settled::Spoken(text), TurnResult::Answered { answer: Answer::Revision(revision), .. }) => {
            (*text != revision.text).then_some(InvariantBreach::Differs(turn))
        }
        (Settled::Answered, TurnResult::Answered { .. }) => None,
        (Settled::Failed, TurnResult::Failed { .. } | TurnResult::Withdrawn) => None,
        (Settled::Failed, TurnResult::Answered { .. }) => Some(InvariantBreach::Lost(turn)),
        (Settled::Spoken(_) | Settled::Answered, _) => Some(InvariantBreach::Differs(turn)),
    }
}

/// What is heard of a speech, and the tools of a try, stand between its asking and its end; the tools are those that its
/// register holds.
fn asides(records: &[Record], registers: &BTreeMap<TurnId, Arc<TurnResult>>, findings: &mut Vec<InvariantBreach>) {
    let mut open: BTreeMap<TurnId, Vec<&ToolUse>> = BTreeMap::new();
    for event in records.iter().flat_map(|record| &record.events) {
        match aside(event) {
            Some((turn, used)) => match open.get_mut(&turn) {
                Some(tools) => tools.extend(used),
                None => findings.push(InvariantBreach::Stray(turn)),
            },
            None => {
                if let Event::TurnAsked(ask) = event {
                    open.insert(ask.turn, Vec::new());
                }
                let Some((turn, _)) = settled(event) else { continue };
                let held = registers.get(&turn).and_then(|held| used(held));
                let (Some(tools), Some(held)) = (open.remove(&turn), held) else { continue };
                let same = tools.into_iter().eq(held);
                findings.extend((!same).then_some(InvariantBreach::Tools(turn)));
            }
        }
    }
}

/// What an event tells of a turn that is under way.
fn aside(event: &Event) -> Option<(TurnId, Option<&ToolUse>)> {
    if let Event::ToolCalled { turn, tool, .. } = event {
        return Some((*turn, Some(tool)));
    }
    if let Event::SpeechHeard { turn, .. } = event { Some((*turn, None)) } else { None }
}

/// The tools of a try; unknown where it was withdrawn.
fn used(held: &TurnResult) -> Option<&[ToolUse]> {
    match held {
        TurnResult::Answered { call, .. } | TurnResult::Failed { call, .. } => Some(&call.tools),
        TurnResult::Withdrawn => None,
    }
}

fn end(records: &[Record], findings: &mut Vec<InvariantBreach>) {
    let is_end = |event: &&Event| matches!(event, Event::DebateEnded { .. });
    let events = || records.iter().flat_map(|record| &record.events);
    let ends = events().filter(is_end).count();
    if ends != 1 || !events().last().is_some_and(|event| is_end(&event)) {
        findings.push(InvariantBreach::End(ends));
    }
}

#[cfg(test)]
mod tests;
