//! Setting up streams.
use crate::servers::{link, programs, start};
use agon_bus::nats::provision::{Difference, DifferenceKind, Growth, ProvisionError, ensure_stream};
use agon_bus::nats::{ProvisionConfig, QUEUE_STREAM, Storage, check, provision};
use async_nats::jetstream::stream::{Config, StorageType};
use std::time::Duration;

fn differs(error: ProvisionError) -> Vec<Difference> {
    match error {
        ProvisionError::Differs { differences, .. } => differences,
        other => panic!("another error: {other}"),
    }
}

#[tokio::test]
async fn streams_are_set_up_once_however_often_and_by_however_many() {
    for program in programs() {
        let server = start(&program, "");
        let (first, second) = (link(&server).await, link(&server).await);
        let config = ProvisionConfig::default();
        assert!(matches!(check(&first, &config).await, Err(ProvisionError::Missing(stream)) if stream == QUEUE_STREAM));
        let (one, other) = tokio::join!(provision(&first, &config), provision(&second, &config));
        one.unwrap();
        other.unwrap();
        provision(&first, &config).await.unwrap();
        check(&second, &config).await.unwrap();
    }
}

#[tokio::test]
async fn limits_are_never_lowered() {
    for program in programs() {
        let server = start(&program, "");
        let link = link(&server).await;
        provision(&link, &ProvisionConfig::default()).await.unwrap();
        let lower = ProvisionConfig { queue_messages: 10, growth: Growth::Allow, ..ProvisionConfig::default() };
        let error = provision(&link, &lower).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains("AGON_GEN") && text.contains("max_msgs is 20000, wanted 10"), "{text}");
        assert_eq!(differs(error).first().map(|difference| difference.kind), Some(DifferenceKind::Higher));
        check(&link, &ProvisionConfig::default()).await.unwrap();
    }
}

#[tokio::test]
async fn limits_are_raised_where_that_was_asked_for_and_only_there() {
    for program in programs() {
        let server = start(&program, "");
        let link = link(&server).await;
        provision(&link, &ProvisionConfig::default()).await.unwrap();
        let day = Duration::from_secs(24 * 3_600);
        let mut higher = ProvisionConfig { queue_messages: 30_000, blob_age: day, ..ProvisionConfig::default() };
        let refused = differs(provision(&link, &higher).await.unwrap_err());
        assert_eq!(refused.iter().map(|difference| difference.field).collect::<Vec<_>>(), ["max_msgs"]);
        higher.growth = Growth::Allow;
        provision(&link, &higher).await.unwrap();
        check(&link, &higher).await.unwrap();
    }
}

#[tokio::test]
async fn a_stream_of_another_kind_is_refused_field_by_field() {
    for program in programs() {
        let server = start(&program, "");
        let link = link(&server).await;
        let foreign = Config {
            name: QUEUE_STREAM.to_owned(),
            subjects: vec!["agon.v1.gen.*".to_owned()],
            storage: StorageType::Memory,
            ..Config::default()
        };
        ensure_stream(&link, &foreign, Growth::Refuse).await.unwrap();
        let config =
            ProvisionConfig { queue_storage: Storage::File, growth: Growth::Allow, ..ProvisionConfig::default() };
        let differences = differs(provision(&link, &config).await.unwrap_err());
        let fields: Vec<_> = differences.iter().map(|difference| difference.field).collect();
        for field in ["subjects", "retention", "storage", "discard", "discard_new_per_subject"] {
            assert!(fields.contains(&field), "{field} is not told: {differences:?}");
        }
    }
}

#[tokio::test]
async fn an_option_that_the_server_does_not_know_is_noticed() {
    for program in programs() {
        let server = start(&program, "");
        let link = link(&server).await;
        let wanted = Config {
            name: "TTL".to_owned(),
            subjects: vec!["ttl".to_owned()],
            allow_message_ttl: true,
            ..Config::default()
        };
        let ensured = ensure_stream(&link, &wanted, Growth::Refuse).await;
        if link.server_at_least(2, 11, 0) {
            ensured.unwrap();
        } else {
            assert_eq!(differs(ensured.unwrap_err()).first().map(|difference| difference.field), Some("allow_msg_ttl"));
        }
    }
}

#[tokio::test]
async fn a_server_without_jetstream_is_named_as_the_cause() {
    for program in programs() {
        let options = agon_testkit::NatsOptions { program: Some(program), no_jetstream: true, ..Default::default() };
        let server = agon_testkit::NatsServer::start_with(options).unwrap();
        let error = provision(&link(&server).await, &ProvisionConfig::default()).await.unwrap_err();
        assert!(matches!(error, ProvisionError::NoJetStream(_)), "{error}");
    }
}
