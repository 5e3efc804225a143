//! `agon ratings`: how personas and models have done.
use super::remote::PlaceArgs;
use clap::{Args, ValueEnum};

/// `agon ratings`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  agon ratings --by model
  agon ratings --persona Ada --json
  agon ratings --objections --by model
  agon ratings --failed \"Should the depot move?\"

Winning a debate is not being right: docs/guide/ratings.md explains the figures.")]
pub struct RatingsArgs {
    /// What to rate: personas, separately for each model, or models against each other
    #[arg(long, value_name = "WHAT", default_value = "persona")]
    pub by: RatedBy,
    /// Show everything about one persona: ratings, ballots, positions, flips, moments, relationships
    #[arg(long, value_name = "NAME", conflicts_with = "by")]
    pub persona: Option<String>,
    /// Show which kinds of objection were accepted, by persona or by model
    #[arg(long, conflicts_with = "persona")]
    pub objections: bool,
    /// Show the arguments that failed, newest debate first; with TOPIC, those of similar debates, most similar first
    #[arg(long, value_name = "TOPIC", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["by", "persona", "objections"])]
    pub failed: Option<String>,
    /// Show what personas do repeatedly, and how often in the earlier and the later half of their debates
    #[arg(long, conflicts_with_all = ["by", "persona", "objections", "failed"])]
    pub traits: bool,
    /// Rate only rehearsals
    #[arg(long)]
    pub rehearsal: bool,
    /// Print one JSON object: all that is known for the store of this machine, the ratings or the persona for a server
    #[arg(long)]
    pub json: bool,
    /// Where to find it.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// Who is rated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RatedBy {
    /// Each persona, separately for each model
    Persona,
    /// Each model, by its seats against other models
    Model,
}
