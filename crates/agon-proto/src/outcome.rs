//! How a debate ends.
use crate::mirror::mirror;

mirror! {
    agon_core::Consensus as Consensus { answer, top, eligible, strength, contested, source }
    agon_core::Reason as Reason { code, detail }
    agon_core::MissingSeat as MissingSeat { round, seat, participant, cause }
    agon_core::Citation as Citation { turn, participant, quote, verified, too_short }
    agon_core::VoterWeight as VoterWeight { voter, elo, calibration, thousandths, confidence: if_known() }
}
