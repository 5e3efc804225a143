//! What a participant outside Agon is asked, and what it answers.
use crate::error::{DecodeError, FieldProblem};
use crate::flat as pb;
use crate::mirror::mirror;
use agon_core::{Ask, DebateId};

/// A turn for an external participant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatAsk {
    /// The debate.
    pub debate: DebateId,
    /// The turn; its deadline is when the answer must be there, by the coordinator's clock.
    pub ask: Ask,
    /// What a model would be told, in order.
    pub messages: Vec<SeatMessage>,
    /// The JSON Schema that the answer has to fit; absent where the answer is plain text.
    pub schema: Option<String>,
    /// Milliseconds in which the answer must be there, counted from the request; earlier versions do not say.
    pub left_ms: Option<u64>,
}

/// One message of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatMessage {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// Its text.
    pub text: String,
}

/// The answer of an external participant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeatReply {
    /// Plain text, or JSON that fits the schema.
    Text(String),
    /// It does not answer, and why: it cannot, or it does not know such a task.
    Refusal(String),
}

mirror! {
    SeatAsk as SeatAsk { debate, ask, messages, schema, left_ms }
    SeatMessage as SeatMessage { role, text }
}

impl From<&SeatReply> for pb::SeatReply {
    fn from(reply: &SeatReply) -> Self {
        use pb::seat_reply::Kind;
        let kind = match reply {
            SeatReply::Text(text) => Kind::Text(text.clone()),
            SeatReply::Refusal(why) => Kind::Refusal(why.clone()),
        };
        Self { kind: Some(kind) }
    }
}
impl TryFrom<pb::SeatReply> for SeatReply {
    type Error = DecodeError;
    fn try_from(reply: pb::SeatReply) -> Result<Self, DecodeError> {
        use pb::seat_reply::Kind;
        match reply.kind {
            Some(Kind::Text(text)) => Ok(Self::Text(text)),
            Some(Kind::Refusal(why)) => Ok(Self::Refusal(why)),
            None => Err(DecodeError::field("kind", FieldProblem::Missing)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Wire;
    use agon_core::{Position, Timestamp, TurnId, Work};

    #[test]
    fn what_a_seat_is_asked_and_answers_comes_back_as_it_went_out() {
        let ask = SeatAsk {
            debate: DebateId::parse("acme/a-debate").unwrap(),
            ask: Ask {
                turn: TurnId { round: 1, seat: 2, attempt: 1 },
                participant: "Ada".into(),
                model: "external".into(),
                task: Work::Opening.into(),
                sees: Position(3),
                deadline: Timestamp(9),
                correction: None,
                kept: false,
            },
            messages: vec![SeatMessage { role: "system".to_owned(), text: "You are Ada.".to_owned() }],
            schema: Some("{}".to_owned()),
            left_ms: Some(90_000),
        };
        assert_eq!(SeatAsk::from_bytes(&ask.to_bytes()).unwrap(), ask);

        for reply in [SeatReply::Text("A bridge.".to_owned()), SeatReply::Refusal("asleep".to_owned())] {
            assert_eq!(SeatReply::from_bytes(&reply.to_bytes()).unwrap(), reply);
        }
    }

    #[test]
    fn an_answer_of_no_known_kind_is_refused() {
        assert!(SeatReply::from_bytes(&[]).is_err());
    }
}
