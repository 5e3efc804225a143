use crate::{
    CancelDebate, CancelTurn, Chained, DESCRIPTORS, DebateTurn, DecodeError, FieldProblem, JobReady, LogAdvanced,
    OfferReply, TimeLeft, TokenDelta, TurnCheck, TurnCheckReply, TurnDecided, TurnOffer, Wire, decode_record,
    encode_record, flat, strategies,
};
use agon_core::{Answer, Call, DebateId, HostId, NodeId, ParticipantId, Position, Priority, TurnId, TurnResult};
use proptest::prelude::*;
use prost::Message as _;
use std::collections::BTreeMap;

proptest! {
    #[test]
    fn a_record_survives_the_way_out_and_back(record in strategies::record(), prev_hash in any::<[u8; 32]>()) {
        let bytes = encode_record(&record, &prev_hash);
        prop_assert_eq!(&bytes, &encode_record(&record, &prev_hash));
        prop_assert_eq!(decode_record(&bytes).unwrap(), Chained { record, prev_hash });
    }

    #[test]
    fn an_event_survives_the_way_out_and_back(event in strategies::event()) {
        prop_assert_eq!(agon_core::Event::from_bytes(&event.to_bytes()).unwrap(), event);
    }

    #[test]
    fn a_spec_survives_the_way_out_and_back(spec in strategies::spec()) {
        prop_assert_eq!(agon_core::DebateSpec::from_bytes(&spec.to_bytes()).unwrap(), spec);
    }

    #[test]
    fn an_ask_survives_the_way_out_and_back(debate in strategies::debate_id(), ask in strategies::ask()) {
        prop_assert_eq!(&agon_core::Ask::from_bytes(&ask.to_bytes()).unwrap(), &ask);
        let time_left = Some(TimeLeft { left_ms: 90_000, sent_ms: 5 });
        let (owner, priority) = (Some(NodeId::new("n-1")), Priority::Batch);
        let offer = TurnOffer { debate, ask, first: true, owner, priority, time_left, beginning: true };
        prop_assert_eq!(TurnOffer::from_bytes(&offer.to_bytes()).unwrap(), offer);
    }

    #[test]
    fn a_result_survives_the_way_out_and_back(result in strategies::turn_result()) {
        prop_assert_eq!(TurnResult::from_bytes(&result.to_bytes()).unwrap(), result);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        // What it is worth is that no input panics; what is accepted must encode again.
        if let Ok(Chained { record, prev_hash }) = decode_record(&bytes) {
            prop_assert!(!encode_record(&record, &prev_hash).is_empty());
        }
    }

    #[test]
    fn a_cut_or_flipped_record_is_read_or_refused(record in strategies::record(), at in any::<proptest::sample::Index>()) {
        let mut bytes = encode_record(&record, &[0; 32]);
        let at = at.index(bytes.len());
        // A cut is never taken for the whole record; a flip may be (an unknown empty field), which is why records are hashed.
        prop_assert_ne!(decode_record(&bytes[..at]).ok(), Some(Chained { record, prev_hash: [0; 32] }));
        bytes[at] ^= 0x40;
        if let Ok(Chained { record, prev_hash }) = decode_record(&bytes) {
            prop_assert!(!encode_record(&record, &prev_hash).is_empty());
        }
    }
}

fn debate() -> DebateId {
    DebateId::parse("debate-1").unwrap()
}
const TURN: TurnId = TurnId { round: 1, seat: 2, attempt: 3 };

#[test]
fn every_bus_message_survives_the_way_out_and_back() {
    fn check<T: Wire + PartialEq + std::fmt::Debug>(value: T) {
        assert_eq!(T::from_bytes(&value.to_bytes()).unwrap(), value);
    }
    let debate = debate;
    check(OfferReply { accepted: true, host: HostId::new("h"), reason: None });
    check(OfferReply { accepted: false, host: HostId::new("h"), reason: Some("full".to_owned()) });
    let turn = || DebateTurn { debate: debate(), turn: TURN };
    check(TurnCheck { owner: "n1".into(), turns: vec![turn()] });
    check(TurnCheckReply { answered: true, absent: vec![turn()] });
    check(TurnDecided { debate: debate(), turn: TURN });
    check(TokenDelta {
        debate: debate(),
        turn: TURN,
        participant: ParticipantId::new("Ada"),
        offset: 7,
        text: " so".into(),
        waiting: String::new(),
    });
    check(LogAdvanced { debate: debate(), position: Position(9) });
    check(JobReady { debate: debate() });
    check(CancelTurn { debate: debate(), turn: TURN });
    check(CancelDebate { debate: debate(), reason: "enough".to_owned() });
}

#[test]
fn an_unknown_figure_is_absent_and_a_known_zero_is_kept() {
    let call = |prompt_tokens| {
        let mut call = Call::default();
        call.usage.prompt_tokens = prompt_tokens;
        TurnResult::Answered {
            answer: Answer::Speech { text: "x".into(), cut: false, cut_at_limit: false },
            call: Box::new(call),
        }
    };
    let (unknown, zero) = (call(None), call(Some(0)));
    assert_ne!(unknown.to_bytes(), zero.to_bytes());
    assert_eq!(TurnResult::from_bytes(&unknown.to_bytes()).unwrap(), unknown);
    assert_eq!(TurnResult::from_bytes(&zero.to_bytes()).unwrap(), zero);
}

fn problem(error: DecodeError) -> (String, FieldProblem) {
    match error {
        DecodeError::Field { path, problem } => (path, problem),
        DecodeError::Bytes(error) => panic!("{error}"),
    }
}

#[test]
fn an_event_of_a_later_version_is_refused_by_its_place() {
    // Field 2000 of `Event` stands for a kind that does not exist yet.
    let later = [0x82, 0x7d, 0x00];
    let mut record = flat::Record { first: 1, prev_hash: vec![0; 32], ..Default::default() };
    record.events.push(flat::Event::decode(&later[..]).unwrap());
    let refused = decode_record(&record.encode_to_vec()).unwrap_err();
    assert!(refused.to_string().contains("events[0].kind: is of a kind that this version of Agon does not know"));
    assert_eq!(problem(refused), ("events[0].kind".to_owned(), FieldProblem::UnknownKind));
}

#[test]
fn a_number_of_a_later_version_is_refused_by_its_path() {
    let spec = |mode| flat::DebateSpec { mode, ..Default::default() };
    let refused = |mode| problem(agon_core::DebateSpec::try_from(spec(mode)).unwrap_err());
    assert_eq!(refused(0), ("mode".to_owned(), FieldProblem::UnknownNumber(0)));
    assert_eq!(refused(77), ("mode".to_owned(), FieldProblem::UnknownNumber(77)));
}

#[test]
fn a_missing_field_is_named_from_the_outermost_message() {
    let ask = flat::Ask { turn: Some(TURN.into()), ..Default::default() };
    let offer = flat::TurnOffer {
        debate: "debate-1".to_owned(),
        ask: Some(ask),
        first: false,
        owner: None,
        priority: 0,
        time_left: None,
        beginning: false,
    };
    assert_eq!(problem(TurnOffer::try_from(offer).unwrap_err()), ("ask.task".to_owned(), FieldProblem::Missing));
}

#[test]
fn a_record_needs_a_position_events_and_a_whole_hash() {
    let refused = |record: flat::Record| problem(Chained::try_from(record).unwrap_err()).0;
    let event = (&agon_core::Event::CancelRequested { reason: String::new() }).into();
    let whole = flat::Record { first: 1, events: vec![event], prev_hash: vec![0; 32], ..Default::default() };
    assert!(Chained::try_from(whole.clone()).is_ok());
    assert_eq!(refused(flat::Record { first: 0, ..whole.clone() }), "first");
    assert_eq!(refused(flat::Record { events: vec![], ..whole.clone() }), "events");
    assert_eq!(refused(flat::Record { prev_hash: vec![0; 31], ..whole }), "prev_hash");
}

#[test]
fn what_processes_and_stores_say_survives_the_way_out_and_back() {
    use crate::{
        BreakerState, CancelOrder, DebateSummary, HostAlive, HostModel, HostTools, ModelServerAway, NodeAlive,
        RequestClaim, SummaryState,
    };
    let model = HostModel {
        name: "qwen3:4b".into(),
        digest: Some("abc".into()),
        context: Some(8192),
        warm: Some(false),
        permits: 4,
        running: 2,
        waiting: 1,
        breaker: BreakerState::Open,
        away: Some(ModelServerAway {
            why: "no connection".into(),
            since: agon_core::Timestamp(5),
            next_look: agon_core::Timestamp(7),
            breaker: BreakerState::HalfOpen,
        }),
        millitokens_per_second: Some(2_500),
    };
    let host = HostAlive {
        host: HostId::new("gpu-1"),
        node: NodeId::new("node-1"),
        agon_version: "1".into(),
        serves_any: true,
        serves_prefix: Some("openai".into()),
        draining: true,
        rehearsal: true,
        models: vec![model],
        server: "http://127.0.0.1:11434".into(),
        tools: Some(HostTools { tools: vec!["docs".into(), "search".into()], verifiers: vec!["smt".into()] }),
    };
    assert_eq!(HostAlive::from_bytes(&host.to_bytes()).unwrap(), host);
    let unmeasured = HostModel { millitokens_per_second: None, ..host.models[0].clone() };
    let earlier = HostAlive { models: vec![unmeasured], ..host.clone() };
    assert_eq!(HostAlive::from_bytes(&earlier.to_bytes()).unwrap(), earlier, "an unknown speed is not 0");
    for tools in [None, Some(HostTools::default())] {
        let host = HostAlive { tools, ..host.clone() };
        assert_eq!(HostAlive::from_bytes(&host.to_bytes()).unwrap(), host, "to say nothing is not to have none");
    }
    let node = NodeAlive {
        node: NodeId::new("n"),
        agon_version: "1".into(),
        draining: false,
        debates: 3,
        max_debates: 9,
        stalled: 2,
    };
    assert_eq!(NodeAlive::from_bytes(&node.to_bytes()).unwrap(), node);
    let id = DebateId::parse("acme/debate-1").unwrap();
    let states = [
        SummaryState::Queued,
        SummaryState::Running { owner: NodeId::new("n") },
        SummaryState::Local,
        SummaryState::Halted(agon_core::Halt::Paused),
        SummaryState::Halted(agon_core::Halt::Interrupted),
        SummaryState::Ended { state: agon_core::DebateState::Succeeded, outcome: Some(agon_core::Outcome::Tie) },
        SummaryState::Ended { state: agon_core::DebateState::Failed, outcome: None },
    ];
    for state in states {
        let summary = DebateSummary {
            id: id.clone(),
            topic: "t".into(),
            labels: [("k".to_owned(), "v".to_owned())].into(),
            priority: Priority::Interactive,
            creator: Some("ada".into()),
            rehearsal: true,
            epoch: 2,
            last: Position(7),
            admitted: agon_core::Timestamp(1),
            updated: agon_core::Timestamp(2),
            card: matches!(state, SummaryState::Ended { outcome: Some(_), .. }).then(card),
            paused_ms: 3,
            claimed: Some(agon_core::Timestamp(5)),
            rounds: Some(2),
            figures: matches!(state, SummaryState::Ended { .. }).then(summary_figures),
            state,
        };
        assert_eq!(DebateSummary::from_bytes(&summary.to_bytes()).unwrap(), summary);
    }
    let claim = RequestClaim { debate: id, payload: [7; 32] };
    assert_eq!(RequestClaim::from_bytes(&claim.to_bytes()).unwrap(), claim);
    let order = CancelOrder { reason: "enough".into(), by: None };
    assert_eq!(CancelOrder::from_bytes(&order.to_bytes()).unwrap(), order);
}

#[test]
fn a_schema_that_is_not_json_is_refused_by_its_path() {
    let voice = Some(flat::Voice { model: "m".to_owned(), ..Default::default() });
    let synthesizer = flat::Synthesizer { output_schema: Some("{".to_owned()), instructions: None, voice };
    let (path, refused) = problem(agon_core::Synthesizer::try_from(synthesizer).unwrap_err());
    assert_eq!(path, "output_schema");
    assert!(matches!(refused, FieldProblem::Invalid(detail) if detail.starts_with("is not JSON")));
}

#[test]
fn a_figure_that_does_not_fit_is_refused_by_its_path() {
    let bid = flat::Bid { urgency: 256, to: None, text: None };
    let event = flat::BidPlaced { turn: Some(TURN.into()), purpose: 1, bid: Some(bid), ..Default::default() };
    let event = flat::Event { kind: Some(flat::event::Kind::BidPlaced(event)) };
    let (path, refused) = problem(agon_core::Event::try_from(event).unwrap_err());
    assert_eq!(
        (path.as_str(), refused),
        ("bid_placed.bid.urgency", FieldProblem::Invalid("256 is out of range".to_owned()))
    );
}

#[test]
fn work_of_a_later_version_is_refused_by_its_place() {
    let seat = flat::Seat { participant: "Ada".to_owned(), work: Some(flat::Work { kind: None }) };
    let stage = flat::StageOpened { round: 1, step: 3, seats: vec![seat], parallel: false, joins: false };
    let stage = flat::Event { kind: Some(flat::event::Kind::StageOpened(stage)) };
    let refused = problem(agon_core::Event::try_from(stage).unwrap_err());
    assert_eq!(refused, ("stage_opened.seats[0].work.kind".to_owned(), FieldProblem::UnknownKind));
}

/// What a client leaves out of a spec is the default, and what no version knows is refused all the same.
#[test]
fn options_that_are_left_out_are_the_defaults() {
    use agon_core::{FormatOptions, Similarity, ToolLimits, Visible, Windows};
    assert_eq!(FormatOptions::try_from(flat::FormatOptions::default()).unwrap(), FormatOptions::default());
    assert_eq!(Windows::try_from(flat::Windows::default()), Ok(Windows::default()));
    assert_eq!(Similarity::try_from(flat::Similarity::default()), Ok(Similarity::default()));
    assert_eq!(ToolLimits::try_from(flat::ToolLimits::default()), Ok(ToolLimits::default()));
    assert_eq!(Visible::try_from(flat::Visible::default()), Ok(Visible::default()));
    let unknown = flat::FormatOptions { topology: 77, ..Default::default() };
    let refused = problem(FormatOptions::try_from(unknown).unwrap_err());
    assert_eq!(refused, ("topology".to_owned(), FieldProblem::UnknownNumber(77)));
}

#[test]
fn a_note_of_an_earlier_version_has_no_figures() {
    let note = flat::Summary {
        debate: "debate-1".into(),
        topic: "t".into(),
        state: flat::SummaryState::Queued.into(),
        last: 1,
        ..Default::default()
    };
    let read = crate::DebateSummary::try_from(note.clone()).unwrap();
    assert_eq!((read.figures.clone(), read.rounds), (None, None), "what is unknown is not 0");
    assert_eq!(flat::Summary::from(&read).figures, None);
    let known = flat::Summary { figures: Some((&agon_core::SummaryFigures::default()).into()), ..note };
    assert_eq!(crate::DebateSummary::try_from(known).unwrap().figures, Some(agon_core::SummaryFigures::default()));
}

fn summary_figures() -> agon_core::SummaryFigures {
    use agon_core::{CallCounts, Dissent, DissentAmong, ModelUsage, SummaryFigures, UsageTotals};
    let usage =
        UsageTotals { calls: 4, unknown_calls: 1, prompt_tokens: 100, cached_tokens: Some(0), completion_tokens: 10 };
    let of = |model: &str, usage| ModelUsage { model: model.into(), usage };
    SummaryFigures {
        winner: Some("for".into()),
        dissent: Some(Dissent { against: 1, of: 3, among: DissentAmong::Judges }),
        models: vec![of("qwen3:4b", usage), of("planned", UsageTotals::default())],
        other_calls: Some(UsageTotals { cached_tokens: None, ..usage }),
        calls: CallCounts { done: 4, planned: 9 },
        max_rounds: 3,
        turns: 3,
        failed_tries: 1,
        rejudges: Some(agon_core::DebateId::parse("acme/old-1").unwrap()),
    }
}

fn course() -> agon_core::Course {
    use agon_core::{Chances, Conceded, Conduct, ConsensusStrategy, Course, Fates, ObjectionKind, Objections};
    let conduct = |name: &str, proposal: Option<&str>| Conduct {
        persona: name.into(),
        critiques: Chances { of: 3, did: 2 },
        points: Chances { of: 1, did: 0 },
        votes: Chances { of: 4, did: 4 },
        proposal: proposal.map(str::to_owned),
    };
    let kinds = [ObjectionKind::Critical, ObjectionKind::Serious, ObjectionKind::Mild];
    let objections = |kind| Objections {
        by: "Ada".into(),
        of: "Bo".into(),
        kind,
        fates: Fates { raised: 3, accepted: 1, declined: 2 },
    };
    Course {
        strategy: ConsensusStrategy::Vote,
        conduct: vec![conduct("Ada", Some("A bridge.")), conduct("Bo", None)],
        objections: kinds.map(objections).into(),
        conceded: vec![Conceded { by: "Ada".into(), of: "Bo".into(), text: "No figure.".to_owned() }],
    }
}

fn card() -> agon_core::Card {
    let seat = |name: &str, last: Option<&str>| agon_core::CardSeat {
        persona: agon_core::ParticipantId::new(name),
        model: agon_core::ModelName::new("m:1"),
        stance: Some("yes".to_owned()),
        first: Some("no".to_owned()),
        last: last.map(str::to_owned),
    };
    agon_core::Card {
        outcome: agon_core::Outcome::Tie,
        verdict: Some("It depends.".to_owned()),
        winner: None,
        majority: agon_core::MajorityShift::Overturned,
        seats: vec![seat("Ada", Some("yes")), seat("Bo", None)],
        course: Some(Box::new(course())),
    }
}

#[test]
fn no_package_imports_one_that_builds_on_it() {
    const ORDER: [&str; 4] = ["google.protobuf", "agon.debate.v1", "agon.bus.v1", "agon.v1"];
    let files = prost_types::FileDescriptorSet::decode(DESCRIPTORS).unwrap().file;
    let mut seen = BTreeMap::new();
    for file in &files {
        let place = ORDER.iter().position(|package| *package == file.package()).unwrap();
        // A reader of the descriptors may take the files as they come.
        assert!(file.dependency.iter().all(|import| seen[import.as_str()] <= place), "{}", file.name());
        seen.insert(file.name(), place);
    }
}

#[test]
fn what_a_host_of_an_earlier_version_says_to_a_check_is_no_answer() {
    let reply =
        OfferReply { accepted: false, host: HostId::new("h"), reason: Some("a host is not asked to".to_owned()) };
    assert_eq!(TurnCheckReply::from_bytes(&reply.to_bytes()).unwrap(), TurnCheckReply::default());
}
