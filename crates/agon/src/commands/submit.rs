//! `agon submit` and `agon watch`: debates at a server.
use super::new_debate::NewDebate;
use super::plan;
use super::show::{self, Showing};
use super::{Context, rows, small_runtime};
use crate::cli::{OutputArgs, SubmitArgs, WatchArgs};
use crate::client::{self, Client};
use crate::debate_file::NamedDebate;
use crate::exit::{Exit, Stop};
use crate::reports::StoredLog;
use crate::servers;
use crate::settings::Settings;
use crate::signals::Signals;
use crate::store::short;
use crate::terminal::{Begin, choose};
use crate::watching::{Ending, Watching, end_of, interrupts};
use agon_core::{Debate, Position};
use agon_proto::pb;
use uuid::Uuid;

const FAREWELL: &str = "Leaving. The debate continues on the server.";

/// `agon submit FILE|TOPIC|-`
pub fn submit(context: &Context, args: &SubmitArgs) -> Result<Exit, Stop> {
    let context = &context.quietly(args.output.view.quiet);
    let settings = context.settings()?;
    let server = client::required_for(context, &args.api, args.patience)?;
    let named = NamedDebate::find(&args.debate.what, args.debate.syntax)?;
    if args.wait {
        show::try_reports(&args.output, &settings)?;
    }
    small_runtime()?.block_on(async {
        let client = Client::open(&server, &context.environment)?;
        let waits = args.wait || args.output.view.jsonl;
        let first = if waits { client.patient(context.output) } else { client.clone() };
        let settings = match args.rehearsal {
            true => settings,
            false => {
                let model = args.debate.model.as_deref();
                servers::choose_served(context, &first, settings, &named, model).await?
            }
        };
        // a plan names the warnings of the file too
        let warns = (!args.validate_only).then_some(&context.output);
        let wanted = NewDebate::of(&settings, &args.debate, &named, warns)?;
        let request = request(wanted, args);
        let asked = pb::v1::CreateDebateRequest { validate_only: true, ..request.clone() };
        let planned = first.create(asked).await?.plan.unwrap_or_default();
        if args.validate_only {
            return print_plan(context, args, &planned);
        }
        let warnings = plan::unserved(&planned).into_iter().chain(plan::slow(&planned));
        warnings.for_each(|warning| context.output.warn(&warning));
        let debate = first.create(request).await?;
        if waits {
            return wait(context, args, &settings, &client, &debate.id).await;
        }
        if args.output.view.json {
            context.output.safe_json(&rows::DebateRow::of_debate(&debate))?;
        } else {
            context.output.line(&debate.id)?;
        }
        let flag = flag(&args.api.server);
        context.output.note(&format!("next: agon watch {0}{flag}\n      agon get {0}{flag}", debate.id));
        Ok(Exit::Done)
    })
}

fn request(wanted: NewDebate, args: &SubmitArgs) -> pb::v1::CreateDebateRequest {
    // A fresh key still makes it harmless to ask again when an answer is lost.
    let request_id = args.request_id.clone().unwrap_or_else(|| Uuid::new_v4().to_string());
    pb::v1::CreateDebateRequest {
        seed: wanted.spec.seed,
        source: Some(pb::v1::create_debate_request::Source::Spec((&wanted.spec).into())),
        debate_id: wanted.id.map(|id| id.name().to_owned()),
        request_id: Some(request_id),
        validate_only: args.validate_only,
        labels: wanted.labels.into_iter().collect(),
        priority: pb::debate::v1::Priority::from(wanted.priority).into(),
        rehearsal: args.rehearsal,
    }
}

fn print_plan(context: &Context, args: &SubmitArgs, planned: &pb::v1::Plan) -> Result<Exit, Stop> {
    if args.output.view.json {
        context.output.json(&plan::json(planned))?;
    } else {
        context.output.data(&plan::text(planned))?;
    }
    Ok(Exit::Done)
}

async fn wait(
    context: &Context,
    args: &SubmitArgs,
    settings: &Settings,
    client: &Client,
    id: &str,
) -> Result<Exit, Stop> {
    context.output.note(&format!("debate {id} at {}", client.address));
    let signals = Signals::listen()?;
    let showing = Showing { context, settings, output: &args.output, signals };
    RemoteDebate { client, id, flag: flag(&args.api.server) }.show(showing, Position(0)).await
}

/// `agon watch ID`
pub fn watch(context: &Context, args: &WatchArgs) -> Result<Exit, Stop> {
    let context = &context.quietly(args.view.quiet);
    let settings = context.settings()?;
    let server = client::required_for(context, &args.api, args.patience)?;
    let output = OutputArgs { view: args.view.clone(), output_dir: None, no_reports: true };
    small_runtime()?.block_on(async {
        let client = Client::open(&server, &context.environment)?;
        let id = client.patient(context.output).find(&args.id).await?;
        // until then Ctrl-C ends the program
        let signals = Signals::listen()?;
        let showing = Showing { context, settings: &settings, output: &output, signals };
        let remote = RemoteDebate { client: &client, id: &id, flag: flag(&args.api.server) };
        remote.show(showing, Position(args.after)).await
    })
}

/// The flag without which the same command would look elsewhere.
pub fn flag(server: &Option<String>) -> String {
    server.as_ref().map(|server| format!(" --server {server}")).unwrap_or_default()
}

/// A debate at a server.
pub struct RemoteDebate<'a> {
    /// The server.
    pub client: &'a Client,
    /// The debate.
    pub id: &'a str,
    /// The flag that leads to the server.
    pub flag: String,
}

impl RemoteDebate<'_> {
    /// Shows it until it is over.
    pub async fn show(&self, mut showing: Showing<'_>, after: Position) -> Result<Exit, Stop> {
        let begin = match after {
            Position(0) => Begin::default(),
            after => Begin::after(&StoredLog::of(self.before(after).await?)),
        };
        let begin = begin.with_prices(showing.settings);
        let mut view = choose(&showing.context.output, &showing.output.view, begin)?;
        let feed = client::follow(self.client, self.id, after);
        let watching = Watching { feed, view: view.as_mut(), signals: &mut showing.signals, farewell: FAREWELL };
        let ending = watching.watch(std::future::pending()).await;
        // The terminal is the user's again, whatever happened.
        let _ = view.finish();
        match ending? {
            Ending::Over(..) | Ending::Halted | Ending::Silent => self.conclude(&showing).await,
            Ending::Interrupted => {
                let (id, flag) = (self.id, &self.flag);
                let note = format!(
                    "the debate continues; agon watch {id}{flag} follows it again, agon cancel {id}{flag} ends it"
                );
                showing.context.output.note(&note);
                Ok(Exit::Interrupted)
            }
            Ending::Unread => Ok(Exit::BrokenPipe),
        }
    }

    /// What happened up to that event, so that the view knows who speaks.
    async fn before(&self, after: Position) -> Result<Vec<agon_core::Record>, Stop> {
        let mut records = self.client.events(self.id).await?;
        records.retain(|record| record.last() <= after);
        Ok(records)
    }

    async fn conclude(&self, showing: &Showing<'_>) -> Result<Exit, Stop> {
        let log = StoredLog::of(self.client.events(self.id).await?).with_prices(showing.settings);
        if log.records.last().and_then(end_of).is_none() {
            let debate = self.client.get(self.id).await?;
            if client::is_halted(&debate) {
                return self.halted(showing, &log, &debate);
            }
            return Err(Stop::say(
                Exit::Unavailable,
                format!("the server ended the watch of {} before its end", self.id),
            ));
        }
        show::leave_behind(showing, &log, self.id, &format!("agon open {}{}", short(self.id), self.flag))?;
        show::exit(&log)
    }

    /// Says why nothing more comes, and how the debate is continued.
    fn halted(&self, showing: &Showing<'_>, log: &StoredLog, debate: &pb::v1::Debate) -> Result<Exit, Stop> {
        let at_servers = Debate::fold(&log.records).is_some_and(|debate| debate.interrupted());
        let (place, flag) = if at_servers { ("", self.flag.as_str()) } else { (" on its machine", "") };
        let (id, state) = (self.id, rows::state(debate.state()));
        let reason = log.records.last().and_then(interrupts);
        let why = reason.map(|reason| format!(": {}", agon_report::why(reason))).unwrap_or_default();
        show::result_so_far(showing, log)?;
        Err(Stop::say(
            show::halted(reason),
            format!("debate {id} is {state}{why}\n  continue it{place} with: agon resume {id}{flag}"),
        ))
    }
}
