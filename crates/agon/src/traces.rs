//! Traces and metrics, from the settings.
use crate::commands::Context;
use crate::exit::{Exit, Stop};
use crate::settings::TelemetrySettings;
use agon_telemetry::{LogConfig, Otlp, Telemetry, TelemetryConfig};
use anyhow::Context as _;
use secrecy::ExposeSecret as _;
use std::collections::BTreeMap;

/// Who tells.
pub struct TraceOrigin<'a> {
    /// What traces call the service.
    pub service: String,
    /// This process among its like.
    pub instance: String,
    /// The log to install, if none is.
    pub log: Option<LogConfig>,
    /// What is told, and to whom.
    pub settings: &'a TelemetrySettings,
}

impl TraceOrigin<'_> {
    /// Starts to tell. Needs a runtime.
    pub fn start(self, context: &Context) -> Result<Telemetry, Stop> {
        let wrong = |error: anyhow::Error| Stop::new(Exit::Usage, error);
        let settings = self.settings;
        let headers = headers(context, settings).map_err(wrong)?;
        let push_metrics = settings.push_metrics.map(|every| every.0);
        let otlp = settings.otlp_endpoint.as_ref();
        let config = TelemetryConfig {
            otlp: otlp.map(|endpoint| Otlp { endpoint: endpoint.clone(), headers, push_metrics }),
            debate_ratio: settings.sampling,
            rpc_ratio: settings.call_sampling,
            capture_content: settings.capture_content,
            log: self.log,
            ..TelemetryConfig::new(self.service, self.instance)
        };
        Telemetry::start(config).map_err(|error| wrong(error.into()))
    }
}

fn headers(context: &Context, settings: &TelemetrySettings) -> anyhow::Result<BTreeMap<String, String>> {
    let read = |(name, source): (&String, &crate::settings::KeySource)| {
        let value = source.read(&context.environment).with_context(|| format!("telemetry.otlp_headers.{name}"))?;
        Ok((name.clone(), value.expose_secret().to_owned()))
    };
    settings.otlp_headers.iter().map(read).collect()
}

/// Sends what waits; warns of what was lost.
pub async fn finish(context: &Context, telemetry: &Telemetry) {
    let flushed = telemetry.shutdown().await;
    if flushed.lost_spans > 0 {
        context.output.warn(&format!("{} spans did not reach the collector", flushed.lost_spans));
    }
}
