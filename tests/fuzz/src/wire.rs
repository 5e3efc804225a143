//! Messages of the bus, records of logs, and JSON of the API.
use crate::dice::{SplitMix, mutate};
use agon_core::{Ask, DebateSpec, Event, TurnResult};
use agon_proto::pb::v1 as pb;
use agon_proto::{
    CancelDebate, CancelOrder, CancelTurn, DebateSummary, HostAlive, JobReady, LogAdvanced, NodeAlive, OfferReply,
    RequestClaim, SeatAsk, SeatReply, TokenDelta, TurnDecided, TurnOffer, Wire, decode_record, encode_record,
    strategies,
};
use proptest::strategy::{BoxedStrategy, Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage};

fn drawn<T: std::fmt::Debug>(dice: &mut SplitMix, strategy: &BoxedStrategy<T>) -> Option<T> {
    let mut seed = [0; 32];
    seed.iter_mut().for_each(|byte| *byte = u8::try_from(dice.below(256)).unwrap_or_default());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    strategy.new_tree(&mut runner).ok().map(|tree| tree.current())
}

pub fn make_message(dice: &mut SplitMix) -> Vec<u8> {
    let bytes = match dice.below(6) {
        0 => drawn(dice, &strategies::spec()).map(|spec| spec.to_bytes().to_vec()),
        1 => drawn(dice, &strategies::ask()).map(|ask| ask.to_bytes().to_vec()),
        2 => drawn(dice, &strategies::turn_result()).map(|result| result.to_bytes().to_vec()),
        3 => drawn(dice, &strategies::event()).map(|event| event.to_bytes().to_vec()),
        4 => Some((0..dice.size(200)).map(|_| u8::try_from(dice.below(256)).unwrap_or_default()).collect()),
        // Groups and lengths that nest without an end.
        _ => Some(vec![dice.pick(&[0x0a_u8, 0x12, 0x0b, 0x1b, 0x7a]); dice.below(50_000)]),
    };
    mutate(dice, bytes.unwrap_or_default())
}

pub fn run_message(input: &[u8]) {
    fn read<T: Wire + PartialEq + std::fmt::Debug>(input: &[u8]) {
        if let Ok(value) = T::from_bytes(input) {
            let bytes = value.to_bytes();
            let again = T::from_bytes(&bytes).map(|value| value.to_bytes());
            assert_eq!(again.as_ref().ok(), Some(&bytes), "{value:?} does not come back");
        }
    }
    read::<Ask>(input);
    read::<DebateSpec>(input);
    read::<Event>(input);
    read::<TurnResult>(input);
    read::<HostAlive>(input);
    read::<NodeAlive>(input);
    read::<CancelOrder>(input);
    read::<RequestClaim>(input);
    read::<DebateSummary>(input);
    read::<CancelDebate>(input);
    read::<CancelTurn>(input);
    read::<JobReady>(input);
    read::<LogAdvanced>(input);
    read::<OfferReply>(input);
    read::<TokenDelta>(input);
    read::<TurnDecided>(input);
    read::<TurnOffer>(input);
    read::<SeatAsk>(input);
    read::<SeatReply>(input);
}

pub fn make_record(dice: &mut SplitMix) -> Vec<u8> {
    let record = drawn(dice, &strategies::record()).map(|record| encode_record(&record, &[7; 32]));
    mutate(dice, record.unwrap_or_default())
}

pub fn run_record(input: &[u8]) {
    // A log of damaged bytes is refused; what is read is a record that can be told again.
    if let Ok(chained) = decode_record(input) {
        assert!(chained.record.events.len() <= input.len(), "more events than bytes");
    }
}

pub fn make_json(dice: &mut SplitMix) -> Vec<u8> {
    let text = match dice.below(3) {
        0 => r#"{"file":{"text":"topic: Tea?\nmodel: m\n","format":"FILE_FORMAT_YAML"},"labels":{"a":"b"},"seed":"7","validateOnly":true}"#.to_owned(),
        1 => format!(r#"{{"spec":{{"topic":"Tea?","maxRounds":{},"personas":[{{"name":"A","voice":{{"model":"m"}}}}]}}}}"#, dice.any()),
        _ => dice.pick(&["{\"spec\":", "[", "{\"file\":{"]).repeat(dice.below(100_000)),
    };
    mutate(dice, text.into_bytes())
}

pub fn run_json(input: &[u8]) {
    let Ok(pool) = DescriptorPool::decode(agon_proto::DESCRIPTORS) else { return };
    let Some(descriptor) = pool.get_message_by_name("agon.v1.CreateDebateRequest") else { return };
    let mut reader = serde_json::Deserializer::from_slice(input);
    let Ok(message) = DynamicMessage::deserialize(descriptor, &mut reader) else { return };
    let Ok(request) = pb::CreateDebateRequest::decode(message.encode_to_vec().as_slice()) else { return };
    if let Some(pb::create_debate_request::Source::Spec(spec)) = request.source
        && let Ok(spec) = DebateSpec::try_from(spec)
    {
        let text = agon_spec::normalize_json(&spec).to_string();
        let source = agon_spec::Source::new("spec", text).with_syntax(agon_spec::Syntax::Json);
        agon_spec::parse(&source, &agon_spec::Defaults::default());
    }
}
