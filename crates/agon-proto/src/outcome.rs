//! How a debate ends.
use crate::enums::Numbered;
use crate::error::DecodeError;
use crate::flat as pb;
use agon_core::{Citation, Consensus, MissingSeat, ParticipantId, Reason, VoterWeight};

impl From<&Consensus> for pb::Consensus {
    fn from(consensus: &Consensus) -> Self {
        Self {
            answer: consensus.answer.clone(),
            top: consensus.top,
            eligible: consensus.eligible,
            strength: consensus.strength.number(),
            contested: consensus.contested,
            source: consensus.source.number(),
        }
    }
}
impl TryFrom<pb::Consensus> for Consensus {
    type Error = DecodeError;
    fn try_from(consensus: pb::Consensus) -> Result<Self, DecodeError> {
        Ok(Self {
            answer: consensus.answer,
            top: consensus.top,
            eligible: consensus.eligible,
            strength: Numbered::from_number(consensus.strength, "strength")?,
            contested: consensus.contested,
            source: Numbered::from_number(consensus.source, "source")?,
        })
    }
}

impl From<&Reason> for pb::Reason {
    fn from(reason: &Reason) -> Self {
        Self { code: reason.code.number(), detail: reason.detail.clone() }
    }
}
impl TryFrom<pb::Reason> for Reason {
    type Error = DecodeError;
    fn try_from(reason: pb::Reason) -> Result<Self, DecodeError> {
        Ok(Self { code: Numbered::from_number(reason.code, "code")?, detail: reason.detail })
    }
}

impl From<&MissingSeat> for pb::MissingSeat {
    fn from(missing: &MissingSeat) -> Self {
        Self {
            round: missing.round,
            seat: missing.seat,
            participant: missing.participant.to_string(),
            cause: missing.cause.number(),
        }
    }
}
impl TryFrom<pb::MissingSeat> for MissingSeat {
    type Error = DecodeError;
    fn try_from(missing: pb::MissingSeat) -> Result<Self, DecodeError> {
        Ok(Self {
            round: missing.round,
            seat: missing.seat,
            participant: ParticipantId::new(missing.participant),
            cause: Numbered::from_number(missing.cause, "cause")?,
        })
    }
}

impl From<&Citation> for pb::Citation {
    fn from(citation: &Citation) -> Self {
        Self {
            turn: citation.turn.map(Into::into),
            participant: citation.participant.as_ref().map(ToString::to_string),
            quote: citation.quote.clone(),
            verified: citation.verified,
            too_short: citation.too_short,
        }
    }
}
impl From<pb::Citation> for Citation {
    fn from(citation: pb::Citation) -> Self {
        Self {
            turn: citation.turn.map(Into::into),
            participant: citation.participant.map(ParticipantId::new),
            quote: citation.quote,
            verified: citation.verified,
            too_short: citation.too_short,
        }
    }
}

impl From<&VoterWeight> for pb::VoterWeight {
    fn from(weight: &VoterWeight) -> Self {
        Self {
            voter: weight.voter.to_string(),
            elo: weight.elo,
            calibration: weight.calibration,
            thousandths: weight.thousandths,
            confidence: weight.confidence.map(u32::from),
        }
    }
}
impl From<pb::VoterWeight> for VoterWeight {
    fn from(weight: pb::VoterWeight) -> Self {
        Self {
            voter: ParticipantId::new(weight.voter),
            elo: weight.elo,
            calibration: weight.calibration,
            // A figure that is no share is no reason to refuse a log.
            confidence: weight.confidence.and_then(|percent| u8::try_from(percent).ok()),
            thousandths: weight.thousandths,
        }
    }
}
