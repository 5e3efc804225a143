//! The rehearsal server inside this process, reached by HTTP like any other.
use crate::cli::{CastArgs, PaceArgs};
use crate::exit::{Exit, Stop};
use crate::settings::{HostSettings, Length};
use agon_rehearsal::mind::{Minds, MindsFile};
use agon_rehearsal::{FaultScript, RehearsalConfig, RehearsalServer};
use anyhow::Context;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// What logs and reports call the rehearsal server.
const NAME: &str = "rehearsal";

/// Fast enough not to bore, slow enough to see that somebody speaks.
pub const READING_PACE: Duration = Duration::from_millis(4);

/// Starts a server; gives it and how to reach it.
pub async fn start(config: RehearsalConfig) -> Result<(RehearsalServer, HostSettings), Stop> {
    let server = RehearsalServer::start(config).await.context("the rehearsal server does not start")?;
    let host = HostSettings::ollama(NAME, &server.url());
    Ok((server, HostSettings { permits: MANY, ..host }))
}

/// A rehearsal costs nothing: as many calls at once as a debate can ask for.
const MANY: std::num::NonZeroUsize = match std::num::NonZeroUsize::new(16) {
    Some(many) => many,
    None => std::num::NonZeroUsize::MIN,
};

/// The settings of a server as the command line gives them.
pub fn config(args: &CastArgs) -> Result<RehearsalConfig, Stop> {
    Ok(RehearsalConfig {
        seed: args.seed,
        latency: args.latency.0,
        token_interval: args.token_interval.0,
        models: args.models.clone(),
        answer_tokens: args.answer_tokens.map(std::num::NonZeroU32::get),
        faults: args.script.as_deref().map(script).transpose()?.unwrap_or_default(),
        minds: args.minds.as_deref().map(minds).transpose()?,
        ..RehearsalConfig::default()
    })
}

/// The settings of a server in this process, with what they are where no flag names a pace.
pub fn paced(pace: &PaceArgs, latency: Length, token_interval: Length) -> Result<RehearsalConfig, Stop> {
    Ok(RehearsalConfig {
        latency: pace.latency.unwrap_or(latency).0,
        token_interval: pace.token_interval.unwrap_or(token_interval).0,
        faults: pace.rehearsal_script.as_deref().map(script).transpose()?.unwrap_or_default(),
        ..RehearsalConfig::default()
    })
}

/// Reads a fault script.
fn script(path: &Path) -> Result<FaultScript, Stop> {
    let text = agon_files::read_text(path).with_context(|| format!("cannot read the fault script {}", path.display()));
    let text = text.map_err(|error| Stop::new(Exit::Usage, error))?;
    let script = text.parse::<FaultScript>().with_context(|| path.display().to_string());
    script.map_err(|error| Stop::new(Exit::Usage, error))
}

/// Reads a minds file that names its questions.
fn minds(path: &Path) -> Result<Arc<Minds>, Stop> {
    let minds = Minds::from(minds_file(path)?);
    if minds.is_empty() {
        let what = anyhow::anyhow!("{}: no questions; add [[questions]] with topic and answer", path.display());
        return Err(Stop::new(Exit::Usage, what));
    }
    Ok(Arc::new(minds))
}

/// Reads a minds file, which may leave its questions to others.
pub fn minds_file(path: &Path) -> Result<MindsFile, Stop> {
    let text = agon_files::read_text(path).with_context(|| format!("cannot read the minds file {}", path.display()));
    let text = text.map_err(|error| Stop::new(Exit::Usage, error))?;
    let file = text.parse::<MindsFile>().with_context(|| path.display().to_string());
    file.map_err(|error| Stop::new(Exit::Usage, error))
}
