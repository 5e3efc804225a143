//! `cargo xtask plan`: what very many debates at once would take, on paper and in a simulation.

mod cluster;
mod figures;
mod report;
mod simulation;

use std::path::PathBuf;

use anyhow::Result;

use figures::Figures;

/// The command line of `plan`.
#[derive(clap::Args)]
pub struct Args {
    /// Debates that run at the same time
    #[arg(long, value_name = "N")]
    debates: Option<u64>,
    /// Hours within which all of them shall end
    #[arg(long, value_name = "HOURS")]
    hours: Option<f64>,
    /// Take figures from this TOML file; what it leaves out stays as it is
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Print the figures as TOML, to be changed and given to --input, and plan nothing
    #[arg(long)]
    figures: bool,
}

/// Prints the plan as Markdown.
pub fn run(args: &Args) -> Result<()> {
    let mut figures = args.input.as_deref().map_or_else(|| Ok(Figures::default()), Figures::read)?;
    figures.question.debates = args.debates.unwrap_or(figures.question.debates);
    figures.question.hours = args.hours.unwrap_or(figures.question.hours);
    figures.check()?;
    if args.figures {
        print!("{}", toml::to_string(&figures)?);
    } else {
        print!("{}", report::report(&figures));
    }
    Ok(())
}
