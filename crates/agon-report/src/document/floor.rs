//! The floor, where a reader follows the debate: speeches, and what stands between them.
use super::{ReportBlock, ReportSection, SectionKind};
use crate::asides;
use crate::minutes::{Deed, Minutes, MinutesEntry};
use crate::{call_figures, words};
use agon_core::TurnId;

/// A section for each round in which anything happened, for what comes before the first and for what comes after the last.
pub(super) fn rounds<'m>(minutes: &'m Minutes<'m>) -> Vec<ReportSection<'m>> {
    let section = |round: u32| ReportSection {
        kind: SectionKind::Rounds,
        id: format!("round-{round}"),
        title: call_figures::section(minutes, round),
        blocks: blocks(minutes, round),
    };
    minutes.sections().into_iter().map(section).filter(|section| !section.blocks.is_empty()).collect()
}

/// Ballots, votes and judgements have their own sections; notes are for the verbose report.
fn blocks<'m>(minutes: &'m Minutes<'m>, round: u32) -> Vec<ReportBlock<'m>> {
    let mut blocks: Vec<ReportBlock<'m>> = Vec::new();
    for entry in minutes.entries.iter().filter(|entry| entry.turn.round == round) {
        match entry.deed {
            Deed::Noted(_) => {}
            // Runs of bids for the same thing are one.
            Deed::Bid(purpose, bid) => {
                let one = (words::who(entry.participant), asides::bid_of(purpose, bid));
                match blocks.last_mut() {
                    Some(ReportBlock::Bids(what, bids)) if *what == asides::bids(purpose) => bids.push(one),
                    _ => blocks.push(ReportBlock::Bids(asides::bids(purpose), vec![one])),
                }
            }
            _ => {
                let Some(block) = block(entry, &|turn| minutes.speaker(turn)) else { continue };
                blocks.push(block);
                blocks.extend(minutes.tools_of(entry.turn).map(ReportBlock::Tool));
            }
        }
    }
    let measures = minutes.measures.iter().filter(|(of, _)| *of == round);
    blocks.extend(measures.map(|(_, measures)| ReportBlock::Measured(words::measures(measures))));
    blocks
}

/// The block of an entry; nothing where it is told elsewhere. `speaker` says whose a turn was.
pub(crate) fn block<'m>(entry: &'m MinutesEntry<'m>, speaker: &dyn Fn(TurnId) -> String) -> Option<ReportBlock<'m>> {
    Some(match entry.deed {
        Deed::Spoke(speech) => ReportBlock::Speech(entry, speech),
        Deed::Moderated { decision, fallback } => ReportBlock::Moderated(entry, decision, fallback),
        Deed::Failed { failure, retry_at } => ReportBlock::Failure(entry, failure, retry_at),
        Deed::Skipped(reason) => ReportBlock::Skipped(entry, reason),
        _ => ReportBlock::Aside(entry, asides::of(entry, speaker)?),
    })
}
