//! `agon rehearsal`: the server with scripted speakers as a process of its own.
use super::{Context, runtime};
use crate::cli::RehearsalArgs;
use crate::exit::{Exit, Stop};
use crate::servers;
use crate::signals::Signals;
use agon_rehearsal::{RehearsalConfig, RehearsalServer};

/// `agon rehearsal`
pub fn run(context: &Context, args: &RehearsalArgs) -> Result<Exit, Stop> {
    let config = RehearsalConfig {
        listen: args.listen,
        parallel: args.parallel.map(std::num::NonZeroUsize::get),
        slots: args.slots.get(),
        ram_cache_tokens: args.ram_cache,
        prefill_token: args.prefill_token.0,
        model_cache: !args.no_model_cache,
        fingerprints: args.fingerprints,
        calls: args.calls.clone(),
        record: args.record.clone(),
        ..servers::config(&args.cast)?
    };
    runtime()?.block_on(async {
        let mut signals = Signals::listen()?;
        let server = RehearsalServer::start(config).await.map_err(anyhow::Error::from);
        let server = server.map_err(|error| Stop::new(Exit::Unavailable, error))?;
        if args.json {
            // One line, so that whoever waits for it knows when it is whole.
            context.output.line(&serde_json::json!({"url": server.url()}).to_string())?;
        } else {
            context.output.line(&server.url())?;
        }
        context.output.note("rehearsal: scripted speakers, no model; Ctrl-C ends it");
        signals.next().await;
        server.shutdown().await;
        Ok(Exit::Done)
    })
}
