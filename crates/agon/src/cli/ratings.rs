//! `agon ratings`: how personas and models have done.
use super::remote::PlaceArgs;
use clap::{Args, ValueEnum};

/// `agon ratings`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  agon ratings --by model
  agon ratings --persona Ada --json

Winning a debate is not being right: docs/guide/ratings.md says what the figures mean.")]
pub struct RatingsArgs {
    /// Whom to rate: personas, each by each of its models, or models against each other
    #[arg(long, value_name = "WHAT", default_value = "persona")]
    pub by: RatedBy,
    /// Show all of one persona: ratings, ballots, positions, flips, moments, relationships
    #[arg(long, value_name = "NAME", conflicts_with = "by")]
    pub persona: Option<String>,
    /// Rate what was rehearsed, and only that
    #[arg(long)]
    pub rehearsal: bool,
    /// Print one JSON object: of the store of this machine all that is known, of a server the ratings or the persona
    #[arg(long)]
    pub json: bool,
    /// Where to look.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// Who is rated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RatedBy {
    /// Each persona by each of its models
    Persona,
    /// Each model, by its seats against other models
    Model,
}
