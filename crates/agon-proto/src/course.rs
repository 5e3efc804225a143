//! What a card keeps of a debate's course, and what failed in it.
use crate::enums::{Numbered, maybe};
use crate::error::{DecodeError, each};
use crate::flat as pb;
use agon_core::{Chances, Conceded, Conduct, Course, FailedArgument, Fates, ModelName, Objections, ParticipantId};

impl From<&Course> for pb::Course {
    fn from(course: &Course) -> Self {
        Self {
            strategy: course.strategy.number(),
            conduct: course.conduct.iter().map(Into::into).collect(),
            objections: course.objections.iter().map(Into::into).collect(),
            conceded: course.conceded.iter().map(Into::into).collect(),
        }
    }
}
impl TryFrom<pb::Course> for Course {
    type Error = DecodeError;
    fn try_from(course: pb::Course) -> Result<Self, DecodeError> {
        Ok(Self {
            strategy: Numbered::from_number(course.strategy, "strategy")?,
            conduct: course.conduct.into_iter().map(Into::into).collect(),
            objections: each(course.objections, "objections")?,
            conceded: course.conceded.into_iter().map(Into::into).collect(),
        })
    }
}

impl From<&Conduct> for pb::Conduct {
    fn from(conduct: &Conduct) -> Self {
        let chances = |Chances { of, did }: Chances| Some(pb::Chances { of, did });
        Self {
            persona: conduct.persona.to_string(),
            critiques: chances(conduct.critiques),
            points: chances(conduct.points),
            votes: chances(conduct.votes),
            proposal: conduct.proposal.clone(),
        }
    }
}
impl From<pb::Conduct> for Conduct {
    fn from(conduct: pb::Conduct) -> Self {
        let chances = |chances: Option<pb::Chances>| {
            chances.map(|pb::Chances { of, did }| Chances { of, did }).unwrap_or_default()
        };
        Self {
            persona: ParticipantId::new(conduct.persona),
            critiques: chances(conduct.critiques),
            points: chances(conduct.points),
            votes: chances(conduct.votes),
            proposal: conduct.proposal,
        }
    }
}

impl From<&Objections> for pb::Objections {
    fn from(objections: &Objections) -> Self {
        let Fates { raised, accepted, declined } = objections.fates;
        Self {
            by: objections.by.to_string(),
            of: objections.of.to_string(),
            kind: objections.kind.number(),
            raised,
            accepted,
            declined,
        }
    }
}
impl TryFrom<pb::Objections> for Objections {
    type Error = DecodeError;
    fn try_from(objections: pb::Objections) -> Result<Self, DecodeError> {
        let pb::Objections { by, of, kind, raised, accepted, declined } = objections;
        Ok(Self {
            by: ParticipantId::new(by),
            of: ParticipantId::new(of),
            kind: Numbered::from_number(kind, "kind")?,
            fates: Fates { raised, accepted, declined },
        })
    }
}

impl From<&Conceded> for pb::Conceded {
    fn from(conceded: &Conceded) -> Self {
        Self { by: conceded.by.to_string(), of: conceded.of.to_string(), text: conceded.text.clone() }
    }
}
impl From<pb::Conceded> for Conceded {
    fn from(conceded: pb::Conceded) -> Self {
        let (by, of) = (ParticipantId::new(conceded.by), ParticipantId::new(conceded.of));
        Self { by, of, text: conceded.text }
    }
}

impl From<&FailedArgument> for pb::FailedArgument {
    fn from(failed: &FailedArgument) -> Self {
        Self {
            how: failed.how.number(),
            text: failed.text.clone(),
            persona: failed.persona.to_string(),
            model: failed.model.to_string(),
            decided_by: failed.decided_by.map(Numbered::number),
            raised_by: failed.raised_by.as_ref().map(ParticipantId::to_string),
        }
    }
}
impl TryFrom<pb::FailedArgument> for FailedArgument {
    type Error = DecodeError;
    fn try_from(failed: pb::FailedArgument) -> Result<Self, DecodeError> {
        Ok(Self {
            how: Numbered::from_number(failed.how, "how")?,
            text: failed.text,
            persona: ParticipantId::new(failed.persona),
            model: ModelName::new(failed.model),
            decided_by: maybe(failed.decided_by, "decided_by")?,
            raised_by: failed.raised_by.map(ParticipantId::new),
        })
    }
}
