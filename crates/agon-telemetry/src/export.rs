//! The exporters to a collector.
use crate::config::{Otlp, TelemetryError};
use opentelemetry_otlp::{
    ExporterBuildError, MetricExporter, RetryPolicy, SpanExporter, WithExportConfig, WithTonicConfig,
};
use std::time::Duration;
use tonic::metadata::{AsciiMetadataKey, AsciiMetadataValue, MetadataMap};
use tonic::transport::ClientTlsConfig;

/// How long a collector may take for a batch.
const TIMEOUT: Duration = Duration::from_secs(3);

pub(crate) fn spans(otlp: &Otlp) -> Result<SpanExporter, TelemetryError> {
    let builder = configured(SpanExporter::builder().with_tonic(), otlp)?;
    builder.build().map_err(|source| refused(otlp, source))
}

pub(crate) fn metrics(otlp: &Otlp) -> Result<MetricExporter, TelemetryError> {
    let builder = configured(MetricExporter::builder().with_tonic(), otlp)?;
    builder.build().map_err(|source| refused(otlp, source))
}

fn configured<B: WithExportConfig + WithTonicConfig>(builder: B, otlp: &Otlp) -> Result<B, TelemetryError> {
    let builder = builder
        .with_endpoint(otlp.endpoint.clone())
        .with_timeout(TIMEOUT)
        .with_retry_policy(RetryPolicy::recommended())
        .with_metadata(metadata(otlp)?);
    let encrypted = otlp.endpoint.starts_with("https://");
    Ok(if encrypted { builder.with_tls_config(ClientTlsConfig::new().with_enabled_roots()) } else { builder })
}

fn metadata(otlp: &Otlp) -> Result<MetadataMap, TelemetryError> {
    let mut metadata = MetadataMap::new();
    for (name, value) in &otlp.headers {
        let wrong = || TelemetryError::Header(name.clone());
        let key = AsciiMetadataKey::from_bytes(name.to_ascii_lowercase().as_bytes()).map_err(|_| wrong())?;
        let mut value = AsciiMetadataValue::try_from(value.as_str()).map_err(|_| wrong())?;
        value.set_sensitive(true);
        metadata.insert(key, value);
    }
    Ok(metadata)
}

fn refused(otlp: &Otlp, source: ExporterBuildError) -> TelemetryError {
    TelemetryError::Endpoint { endpoint: otlp.endpoint.clone(), source }
}
