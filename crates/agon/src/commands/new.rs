//! `agon new`: a debate file from a template, or with a cast that a model proposes.
use super::ratings;
use super::{Context, runtime};
use crate::alumni;
use crate::cast::{self, Proposal};
use crate::cli::{NewArgs, Template};
use crate::debate_file::{self, NamedDebate};
use crate::exit::{Exit, Stop};
use crate::servers::{self, ReachableServer};
use crate::settings::{Settings, USUAL_MODEL, chosen_hosts};
use crate::store;
use agon_core::ModelName;
use agon_spec::{Overrides, Source};
use anyhow::Context as _;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::Path;

/// What is debated where nothing is named.
const TOPIC: &str = "Should we do it?";

/// `agon new`
pub fn run(context: &Context, args: &NewArgs) -> Result<Exit, Stop> {
    let text = match (&args.topic, args.cast) {
        (topic, size) if args.from_ratings => {
            from_ratings(context, args, topic.as_deref().unwrap_or(TOPIC), size.map(NonZeroUsize::get))?
        }
        (Some(topic), Some(size)) => with_cast(context, args, topic, size.get())?,
        (topic, _) => template(args.template, topic.as_deref().unwrap_or(TOPIC)),
    };
    let Some(path) = &args.output else {
        context.output.data(&text)?;
        return Ok(Exit::Done);
    };
    create(path, &text)?;
    context.output.note(&format!("wrote {0}; check it with: agon check {0}", path.display()));
    Ok(Exit::Done)
}

fn template(template: Template, topic: &str) -> String {
    let text = match template {
        Template::ProCon => include_str!("../../templates/pro-con.md"),
        Template::Panel => include_str!("../../templates/panel.md"),
        Template::Decision => include_str!("../../templates/decision.md"),
    };
    text.replace("{topic}", &agon_report::one_line(topic))
}

/// Never over a file that is there: it may be somebody's work.
fn create(path: &Path, text: &str) -> Result<(), Stop> {
    let file = std::fs::File::create_new(path).with_context(|| format!("cannot write {}", path.display()));
    let mut file = file.map_err(|error| Stop::new(Exit::Usage, error))?;
    Ok(file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?)
}

fn with_cast(context: &Context, args: &NewArgs, topic: &str, size: usize) -> Result<String, Stop> {
    let runtime = runtime()?;
    let named = NamedDebate::topic(topic)?;
    let chosen = servers::choose_model(context, &args.server, context.settings()?, &named, args.model.as_deref());
    let settings = runtime.block_on(chosen)?;
    let model = args.model.clone().or_else(|| settings.defaults.model.clone());
    let model = model.unwrap_or_else(|| USUAL_MODEL.to_owned());
    let proposal = runtime.block_on(propose(context, args, &settings, topic, &model, size))?;
    let text = proposal.debate_file(topic, &model, args.server.rehearsal);
    // What a model proposes is not above the rules for debate files.
    checked(context, &settings, text)
}

/// A cast of personas that took part in debates before, with their habits.
fn from_ratings(context: &Context, args: &NewArgs, topic: &str, size: Option<usize>) -> Result<String, Stop> {
    let rehearsal = args.server.rehearsal;
    let ledger = ratings::cards(context, rehearsal)?.ledger();
    let chosen = alumni::chosen(&ledger, size, rehearsal).map_err(Stop::usage)?;
    let flag = if rehearsal { " --rehearsal" } else { "" };
    let figures = store::advice(context, &format!("ratings --traits{flag}"));
    checked(context, &context.settings()?, alumni::debate_file(&chosen, topic, (ledger.debates(), rehearsal), &figures))
}

fn checked(context: &Context, settings: &Settings, text: String) -> Result<String, Stop> {
    debate_file::load(
        &NamedDebate::Written(Source::new("the proposed file", text.as_str())),
        &debate_file::defaults(settings),
        &Overrides::default(),
        Some(&context.output),
    )?;
    Ok(text)
}

async fn propose(
    context: &Context,
    args: &NewArgs,
    settings: &Settings,
    topic: &str,
    model: &str,
    size: usize,
) -> Result<Proposal, Stop> {
    let rehearsal = match args.server.rehearsal {
        true => Some(servers::start(agon_rehearsal::RehearsalConfig::default()).await?),
        false => None,
    };
    let hosts = match &rehearsal {
        Some((_, host)) => vec![host.clone()],
        None => chosen_hosts(&args.server, &settings.hosts, &context.environment, &[ModelName::from(model)]),
    };
    let server = one_that_serves(ReachableServer::connect_all(&hosts, &context.environment)?, model).await?;
    context.output.note(&format!("asking {model} for {size} personas"));
    let proposal = cast::propose(&server, model, topic, size).await;
    if let Some((server, _)) = rehearsal {
        server.shutdown().await;
    }
    proposal.map_err(|error| Stop::new(Exit::Failed, error))
}

async fn one_that_serves(servers: Vec<ReachableServer>, model: &str) -> Result<ReachableServer, Stop> {
    let wanted = [ModelName::from(model)];
    let mut asked = Vec::new();
    for server in servers {
        let found = servers::probe(&server, &wanted).await;
        if found.as_ref().is_ok_and(|found| servers::serves(&server, found, model)) {
            return Ok(server);
        }
        asked.push((server, found));
    }
    let why = servers::check(&asked, &wanted);
    Err(Stop::say(Exit::Unavailable, why.unwrap_or_else(|| format!("no server has the model {model:?}"))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn every_template_is_a_good_debate_file_for_any_topic() {
        for kind in Template::value_variants() {
            for topic in ["Should we?", "A: b # c \"d\"", "two\nlines"] {
                let source = Source::new("new.md", template(*kind, topic));
                let defaults = debate_file::defaults(&Settings::default());
                let parsed = debate_file::parse(&source, &defaults, &Overrides::default());
                assert!(parsed.diagnostics.is_empty(), "{kind:?}: {}", agon_spec::render(&parsed.diagnostics));
                let spec =
                    parsed.spec.unwrap_or_else(|| panic!("{kind:?}: {}", agon_spec::render(&parsed.diagnostics)));
                assert_eq!(spec.topic, agon_report::one_line(topic));
            }
        }
    }
}
