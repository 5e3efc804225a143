//! Names of traces and spans: every process derives the same ones from a debate's id.
use agon_core::{DebateId, TurnId};
use data_encoding::HEXLOWER;
use std::fmt;

/// A W3C trace context: the trace, the span that is the parent of what follows, and whether it is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceContext {
    trace_id: [u8; 16],
    span_id: [u8; 8],
    sampled: bool,
}

/// What a span of a debate's trace stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanPlace {
    /// The whole debate.
    Debate,
    /// Its acceptance.
    Accepted,
    /// A round, from 1.
    Round(u32),
    /// Another phase, by its name.
    Phase(&'static str),
    /// A try of a turn, as the coordinator sees it.
    Turn(TurnId),
}

impl TraceContext {
    /// A context; none where an id is zero, which the format forbids.
    pub fn new(trace_id: [u8; 16], span_id: [u8; 8], sampled: bool) -> Option<Self> {
        let valid = trace_id != [0; 16] && span_id != [0; 8];
        valid.then_some(Self { trace_id, span_id, sampled })
    }

    /// The context of a part of a debate.
    pub fn of(debate: &DebateId, place: SpanPlace, sampled: bool) -> Self {
        Self { trace_id: trace_id(debate), span_id: span_id(debate, place), sampled }
    }

    /// The context of a part of a try, by a key that is unique in the debate.
    pub(crate) fn of_try(debate: &DebateId, key: &str) -> Self {
        let id = debate.as_str().as_bytes();
        let span_id = filled(|salt| digest(&[b"agon span v1\ntry\n", id, b"\n", key.as_bytes(), salt]));
        Self { trace_id: trace_id(debate), span_id, sampled: true }
    }

    /// Reads a `traceparent` header. Unknown versions are read as the first, as the standard asks.
    pub fn parse(header: &str) -> Option<Self> {
        let mut parts = header.trim().split('-');
        let version = bytes::<1>(parts.next()?)?;
        let (trace_id, span_id) = (bytes::<16>(parts.next()?)?, bytes::<8>(parts.next()?)?);
        let [flags] = bytes::<1>(parts.next()?)?;
        let surplus = parts.next().is_some();
        match version {
            [0xff] => None,
            [0] if surplus => None,
            _ => Self::new(trace_id, span_id, flags & 1 == 1),
        }
    }

    /// The trace.
    pub fn trace_id(&self) -> [u8; 16] {
        self.trace_id
    }
    /// The trace as 32 hexadecimal digits, as Jaeger's address wants it.
    pub fn trace_hex(&self) -> String {
        HEXLOWER.encode(&self.trace_id)
    }
    /// The span.
    pub fn span_id(&self) -> [u8; 8] {
        self.span_id
    }
    /// Whether it is recorded.
    pub fn sampled(&self) -> bool {
        self.sampled
    }
}

/// As a `traceparent` header.
impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (trace, span) = (HEXLOWER.encode(&self.trace_id), HEXLOWER.encode(&self.span_id));
        write!(f, "00-{trace}-{span}-{:02x}", u8::from(self.sampled))
    }
}

/// The trace of a debate: the id's own bytes where its name is a UUID of the default tenant, else a hash of the whole id.
pub(crate) fn trace_id(debate: &DebateId) -> [u8; 16] {
    let own = Some(debate.as_str()).filter(|id| id.len() == 36).and_then(uuid);
    own.unwrap_or_else(|| filled(|salt| digest(&[b"agon trace v1\n", debate.as_str().as_bytes(), salt])))
}

pub(crate) fn span_id(debate: &DebateId, place: SpanPlace) -> [u8; 8] {
    let number = |n: u32| n.to_be_bytes().to_vec();
    let (kind, detail) = match place {
        SpanPlace::Debate => ("debate", Vec::new()),
        SpanPlace::Accepted => ("accepted", Vec::new()),
        SpanPlace::Round(round) => ("round", number(round)),
        SpanPlace::Phase(name) => ("phase", name.as_bytes().to_vec()),
        SpanPlace::Turn(turn) => ("turn", [turn.round, turn.seat, turn.attempt].map(u32::to_be_bytes).concat()),
    };
    let id = debate.as_str().as_bytes();
    filled(|salt| digest(&[b"agon span v1\n", kind.as_bytes(), b"\n", id, b"\n", &detail, salt]))
}

/// The first result that is not zero; zero is no valid id.
fn filled<const N: usize>(make: impl Fn(&[u8]) -> [u8; 32]) -> [u8; N] {
    let first = |salt: &[u8]| {
        let mut id = [0; N];
        id.iter_mut().zip(make(salt)).for_each(|(to, from)| *to = from);
        id
    };
    (0u8..=u8::MAX).map(|n| if n == 0 { first(&[]) } else { first(&[n]) }).find(|id| *id != [0; N]).unwrap_or([1; N])
}

fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    *hasher.finalize().as_bytes()
}

/// The bytes of a UUID in its usual form of 36 characters; none for the zero UUID.
fn uuid(text: &str) -> Option<[u8; 16]> {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    if lengths != [8, 4, 4, 4, 12] {
        return None;
    }
    bytes::<16>(&groups.concat()).filter(|id| *id != [0; 16])
}

/// Lower-case hexadecimal of exactly `N` bytes.
fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    HEXLOWER.decode(text.as_bytes()).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> DebateId {
        DebateId::parse(text).unwrap()
    }
    const UUID: &str = "0198c0de-0000-7000-8000-000000000001";

    #[test]
    fn a_uuid_is_its_own_trace() {
        let root = TraceContext::of(&id(UUID), SpanPlace::Debate, true);

        assert_eq!(root.trace_hex(), "0198c0de000070008000000000000001");
    }

    #[test]
    fn a_chosen_name_is_hashed_and_never_changes() {
        let root = TraceContext::of(&id("oven-2026"), SpanPlace::Debate, true).to_string();

        assert_eq!(root, "00-6dbcc0b42b34dc6d16cd6b6895c7582d-b5bdf7a49273477b-01");
    }

    #[test]
    fn the_same_name_in_two_tenants_has_two_traces() {
        let own = format!("acme/{UUID}");

        let traces = [UUID, &own, "globex/oven-2026", "oven-2026"].map(|text| trace_id(&id(text)));

        for (at, trace) in traces.iter().enumerate() {
            assert!(!traces[..at].contains(trace));
        }
    }

    #[test]
    fn every_part_of_a_debate_has_a_span_of_its_own() {
        let turn = TurnId { round: 1, seat: 1, attempt: 1 };
        let places = [
            SpanPlace::Debate,
            SpanPlace::Accepted,
            SpanPlace::Round(1),
            SpanPlace::Round(2),
            SpanPlace::Phase("decision"),
            SpanPlace::Phase("final_ballots"),
            SpanPlace::Turn(turn),
            SpanPlace::Turn(turn.next_attempt()),
            SpanPlace::Turn(TurnId { seat: 2, ..turn }),
        ];

        let spans = places.map(|place| span_id(&id(UUID), place));

        for (at, span) in spans.iter().enumerate() {
            assert!(!spans[..at].contains(span), "{:?}", places[at]);
        }
    }

    #[test]
    fn a_header_comes_back_as_it_went() {
        for sampled in [true, false] {
            let context = TraceContext::of(&id("oven-2026"), SpanPlace::Round(3), sampled);
            assert_eq!(TraceContext::parse(&context.to_string()), Some(context));
        }
    }

    #[test]
    fn a_later_version_is_read_as_far_as_it_is_known() {
        let header = "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-09-more";

        assert!(TraceContext::parse(header).is_some_and(|context| context.sampled()));
    }

    #[test]
    fn a_malformed_header_is_no_context() {
        let (trace, span) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
        let zero = ("0".repeat(32), "0".repeat(16));
        for header in [
            String::new(),
            format!("00-{trace}-{span}"),
            format!("00-{trace}-{span}-01-more"),
            format!("ff-{trace}-{span}-01"),
            format!("00-{}-{span}-01", zero.0),
            format!("00-{trace}-{}-01", zero.1),
            format!("00-{}-{span}-01", trace.to_uppercase()),
            format!("00-{trace}-{span}-1"),
            format!("00-{}é-{span}-01", &trace[..30]),
        ] {
            assert_eq!(TraceContext::parse(&header), None, "{header}");
        }
    }

    #[test]
    fn an_id_of_zeros_is_made_anew() {
        let made: [u8; 8] = filled(|salt| [u8::try_from(salt.len()).unwrap(); 32]);

        assert_eq!(made, [1; 8]);
    }
}
