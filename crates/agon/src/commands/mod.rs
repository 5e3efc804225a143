//! One module per command.
mod cancel;
mod check;
mod config;
mod doctor;
mod eval;
mod health;
mod hosts;
mod nats;
mod new;
mod new_debate;
mod open;
mod pause;
mod plan;
mod print;
mod proof;
mod ratings;
mod rehearsal;
mod rejudge;
mod resume;
mod rows;
mod run;
mod show;
mod stored;
mod submit;
mod token;

pub use open::opener;
pub use ratings::did;

use crate::cli::{Cli, Command, GlobalArgs};
use crate::environment::Environment;
use crate::exit::{Exit, Stop};
use crate::output::OutputMode;
use crate::settings::{Layers, Settings};
use anyhow::Context as _;
use tokio::runtime::{Builder, Runtime};

/// What every command knows.
#[derive(Clone, Debug)]
pub struct Context {
    /// Options of every command.
    pub global: GlobalArgs,
    /// The process environment.
    pub environment: Environment,
    /// How to write.
    pub output: OutputMode,
}

impl Context {
    /// The same, silent where it would only tell what happens.
    pub fn quietly(&self, quiet: bool) -> Self {
        Self { output: self.output.quiet(quiet), ..self.clone() }
    }
    /// The settings in force.
    pub fn settings(&self) -> Result<Settings, Stop> {
        self.layers()?.settings()
    }
    /// The sources of the settings.
    pub fn layers(&self) -> Result<Layers, Stop> {
        Layers::read(&self.environment, self.global.config.as_deref())
    }
}

/// The threads that debates and servers run on. Made only by commands that need them: the others start in no time.
pub fn runtime() -> Result<Runtime, Stop> {
    Ok(Builder::new_multi_thread().enable_all().build().context("the runtime does not start")?)
}

/// A runtime on this thread alone, for a few questions to the store.
pub fn small_runtime() -> Result<Runtime, Stop> {
    Ok(Builder::new_current_thread().enable_all().build().context("the runtime does not start")?)
}

/// Does what the command line asks for.
pub fn run(cli: Cli, environment: Environment, output: OutputMode) -> Result<Exit, Stop> {
    let context = Context { global: cli.global, environment, output };
    match cli.command {
        Command::Config(args) => config::run(&context, args),
        Command::Check(args) => check::run(&context, &args),
        Command::New(args) => new::run(&context, &args),
        Command::List(args) => stored::list(&context, &args),
        Command::Get(args) => stored::get(&context, &args),
        Command::Report(args) => stored::report(&context, &args),
        Command::Open(args) => open::run(&context, &args),
        Command::Replay(args) => proof::replay(&context, &args),
        Command::Verify(args) => proof::verify(&context, &args),
        Command::Resume(args) => resume::run(&context, &args),
        Command::Pause(args) => pause::run(&context, &args),
        Command::Cancel(args) => cancel::run(&context, &args),
        Command::Delete(args) => stored::delete(&context, &args),
        Command::Submit(args) => submit::submit(&context, &args),
        Command::Watch(args) => submit::watch(&context, &args),
        Command::Rejudge(args) => rejudge::run(&context, &args),
        Command::Token(args) => token::run(&context, &args),
        Command::Eval(args) => eval::run(&context, &args),
        Command::Ratings(args) => ratings::run(&context, &args),
        Command::Hosts(args) => hosts::run(&context, &args),
        Command::Serve(args) => crate::serve::run(&context, &args),
        Command::Ui(args) => crate::serve::ui(&context, &args),
        Command::Provision(args) => crate::serve::provision::run(&context, &args),
        Command::Nats(args) => nats::run(&context, &args),
        Command::Run(args) => run::run(&context, &args),
        Command::Rehearsal(args) => rehearsal::run(&context, &args),
        Command::Health(args) => health::run(&context, &args),
        Command::Doctor(args) => doctor::run(&context, &args),
        Command::Schema { of } => print::schema(&context, of),
        Command::Completions { shell } => print::completions(&context, shell),
        Command::Reference => print::reference(&context),
    }
}
