//! What is said between and beside speeches.
use crate::error::{DecodeError, small};
use crate::flat as pb;
use crate::task::{name, names, participants};
use agon_core::{Bid, Critique, Declined, Interjection, Note, ParticipantId, PointReply, Remark, Revision};

impl From<&Bid> for pb::Bid {
    fn from(bid: &Bid) -> Self {
        Self { urgency: bid.urgency.into(), to: name(bid.to.as_ref()), text: bid.text.clone() }
    }
}
impl TryFrom<pb::Bid> for Bid {
    type Error = DecodeError;
    fn try_from(bid: pb::Bid) -> Result<Self, DecodeError> {
        Ok(Self { urgency: small(bid.urgency, "urgency")?, to: bid.to.map(ParticipantId::new), text: bid.text })
    }
}

impl From<&PointReply> for pb::PointReply {
    fn from(reply: &PointReply) -> Self {
        Self { accepts: name(reply.accepts.as_ref()), reply: reply.reply.clone() }
    }
}
impl From<pb::PointReply> for PointReply {
    fn from(reply: pb::PointReply) -> Self {
        Self { accepts: reply.accepts.map(ParticipantId::new), reply: reply.reply }
    }
}

impl From<&Critique> for pb::Critique {
    fn from(critique: &Critique) -> Self {
        Self {
            severity: critique.severity.into(),
            issues: critique.issues.clone(),
            suggestions: critique.suggestions.clone(),
        }
    }
}
impl TryFrom<pb::Critique> for Critique {
    type Error = DecodeError;
    fn try_from(critique: pb::Critique) -> Result<Self, DecodeError> {
        Ok(Self {
            severity: small(critique.severity, "severity")?,
            issues: critique.issues,
            suggestions: critique.suggestions,
        })
    }
}

impl From<&Revision> for pb::Revision {
    fn from(revision: &Revision) -> Self {
        Self {
            text: revision.text.to_string(),
            accepted: names(&revision.accepted),
            declined: revision.declined.iter().map(Into::into).collect(),
        }
    }
}
impl From<pb::Revision> for Revision {
    fn from(revision: pb::Revision) -> Self {
        Self {
            text: revision.text.into(),
            accepted: participants(revision.accepted),
            declined: revision.declined.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<&Declined> for pb::Declined {
    fn from(declined: &Declined) -> Self {
        Self { critic: declined.critic.to_string(), why: declined.why.clone() }
    }
}
impl From<pb::Declined> for Declined {
    fn from(declined: pb::Declined) -> Self {
        Self { critic: ParticipantId::new(declined.critic), why: declined.why }
    }
}

impl From<&Note> for pb::Note {
    fn from(note: &Note) -> Self {
        Self {
            position: note.position.clone(),
            changed_by: note.changed_by.clone(),
            contradictions: note.contradictions.clone(),
            worked: note.worked.clone(),
            did_not_work: note.did_not_work.clone(),
            next: note.next.clone(),
        }
    }
}
impl From<pb::Note> for Note {
    fn from(note: pb::Note) -> Self {
        Self {
            position: note.position,
            changed_by: note.changed_by,
            contradictions: note.contradictions,
            worked: note.worked,
            did_not_work: note.did_not_work,
            next: note.next,
        }
    }
}

impl From<&Interjection> for pb::Interjection {
    fn from(interjection: &Interjection) -> Self {
        let remarks = |remarks: &[Remark]| remarks.iter().map(Into::into).collect();
        Self {
            comment: interjection.comment.clone(),
            warnings: remarks(&interjection.warnings),
            questions: remarks(&interjection.questions),
            revisions: remarks(&interjection.revisions),
        }
    }
}
impl From<pb::Interjection> for Interjection {
    fn from(interjection: pb::Interjection) -> Self {
        let remarks = |remarks: Vec<pb::Remark>| remarks.into_iter().map(Into::into).collect();
        Self {
            comment: interjection.comment,
            warnings: remarks(interjection.warnings),
            questions: remarks(interjection.questions),
            revisions: remarks(interjection.revisions),
        }
    }
}

impl From<&Remark> for pb::Remark {
    fn from(remark: &Remark) -> Self {
        Self { to: remark.to.to_string(), text: remark.text.clone() }
    }
}
impl From<pb::Remark> for Remark {
    fn from(remark: pb::Remark) -> Self {
        Self { to: ParticipantId::new(remark.to), text: remark.text }
    }
}
