//! What a card keeps of a debate's course, and what failed in it.
use crate::enums::Numbered;
use crate::error::DecodeError;
use crate::field::Mirrored;
use crate::flat as pb;
use crate::mirror::{message, mirror};
use agon_core::{Chances, Conceded, Conduct, Course, FailedArgument, Fates, Objections, ParticipantId};

mirror! {
    Course as Course { strategy, conduct, objections, conceded }
    Conduct as Conduct {
        persona,
        critiques: or(Default::default()),
        points: or(Default::default()),
        votes: or(Default::default()),
        proposal,
    }
    Chances as Chances { of, did }
    Conceded as Conceded { by, of, text }
    FailedArgument as FailedArgument { how, text, persona, model, decided_by, raised_by }
}

// By hand: what became of objections are fields of their message.
impl Mirrored<pb::Objections> for Objections {
    fn out(&self) -> pb::Objections {
        let Fates { raised, accepted, declined } = self.fates;
        pb::Objections {
            by: self.by.to_string(),
            of: self.of.to_string(),
            kind: self.kind.number(),
            raised,
            accepted,
            declined,
        }
    }
    fn read(wire: pb::Objections, field: &str) -> Result<Self, DecodeError> {
        let pb::Objections { by, of, kind, raised, accepted, declined } = wire;
        let kind = Numbered::from_number(kind, "kind").map_err(|error| error.within(field))?;
        let fates = Fates { raised, accepted, declined };
        Ok(Self { by: ParticipantId::new(by), of: ParticipantId::new(of), kind, fates })
    }
}
message!(Objections as Objections);
