//! `agon ratings`: how personas and models have done in debates that are over.
mod patterns;
mod table;

pub use patterns::did;

use super::Context;
use crate::cli::{RatedBy, RatingsArgs};
use crate::client::{self, DebateSource};
use crate::exit::{Exit, Stop};
use crate::store::{Store, failed};
use agon_archive::ratings::{
    Flip, Ledger, ModelStanding, Moment, PersonaRecord, PositionTaken, Relationship, Standing,
};
use agon_core::{ParticipantId, TenantId};
use agon_proto::{DecodeError, pb};
use agon_store::Cards;
use anyhow::Context as _;
use serde::Serialize;

/// What the figures rest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Basis {
    rehearsal: bool,
    debates: u64,
    /// Older debates were left out.
    truncated: bool,
    /// Rows that a server had no room for.
    #[serde(skip_serializing_if = "is_none_left")]
    left_off: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_none_left(left_off: &u64) -> bool {
    *left_off == 0
}

#[derive(Clone, Debug, Serialize)]
struct Ratings {
    #[serde(flatten)]
    basis: Basis,
    ratings: Vec<Standing>,
    models: Vec<ModelStanding>,
    /// Known of the store of this machine only.
    #[serde(flatten)]
    whole: Option<LedgerReport>,
}

/// What goes with the ratings of a whole ledger.
#[derive(Clone, Debug, Serialize)]
struct LedgerReport {
    positions: Vec<PositionTaken>,
    flips: Vec<Flip>,
    moments: Vec<Moment>,
    relationships: Vec<Relationship>,
}

#[derive(Clone, Debug, Serialize)]
struct PersonaReport {
    #[serde(flatten)]
    basis: Basis,
    name: String,
    #[serde(flatten)]
    record: PersonaRecord,
}

/// `agon ratings`
pub fn run(context: &Context, args: &RatingsArgs) -> Result<Exit, Stop> {
    if let Some(pattern) = patterns::PatternQuery::of(args) {
        return patterns::run(context, args, &pattern);
    }
    match &args.persona {
        Some(name) => {
            let persona = persona(context, args, name)?;
            tell(context, args, &persona, persona.basis, || table::persona(&persona.record))
        }
        None => {
            let ratings = ratings(context, args)?;
            tell(context, args, &ratings, ratings.basis, || match args.by {
                RatedBy::Persona => table::personas(&ratings.ratings),
                RatedBy::Model => table::models(&ratings.models),
            })
        }
    }
}

fn tell(
    context: &Context,
    args: &RatingsArgs,
    told: &impl Serialize,
    basis: Basis,
    table: impl Fn() -> String,
) -> Result<Exit, Stop> {
    if args.json {
        context.output.safe_json(told)?;
    } else if basis.debates == 0 {
        context.output.note(match basis.rehearsal {
            true => {
                "no rehearsal that counts has ended yet; debates of models are counted separately: omit --rehearsal"
            }
            false => "no debate that counts has ended yet; rehearsals are counted separately: add --rehearsal",
        });
    } else {
        let mark = if basis.rehearsal { "Rehearsal: scripted speakers, no model.\n\n" } else { "" };
        context.output.data(&format!("{mark}{}", table()))?;
        context.output.note(&rests_on(basis));
    }
    Ok(Exit::Done)
}

fn rests_on(basis: Basis) -> String {
    let (debates, left_off) = (basis.debates, basis.left_off);
    let which = if basis.truncated { "the newest " } else { "" };
    let noun = if debates == 1 { "debate" } else { "debates" };
    let left = if left_off == 0 { String::new() } else { format!("; {left_off} rows are not shown") };
    format!("from {which}{debates} {noun}{left}")
}

fn ratings(context: &Context, args: &RatingsArgs) -> Result<Ratings, Stop> {
    match client::place(context, &args.place)? {
        DebateSource::Local => {
            let (ledger, basis) = here(context, args)?;
            let whole = LedgerReport {
                positions: ledger.positions().to_vec(),
                flips: ledger.flips().to_vec(),
                moments: ledger.moments().to_vec(),
                relationships: ledger.relationships(),
            };
            Ok(Ratings { basis, ratings: ledger.standings(), models: ledger.models(), whole: Some(whole) })
        }
        DebateSource::Server(server) => client::ask(context, &server, async |client| {
            let told = client.ratings(args.rehearsal).await?;
            let basis = basis_of(told.basis, told.left_off)?;
            Ok(Ratings { basis, ratings: read(told.personas)?, models: read(told.models)?, whole: None })
        }),
    }
}

fn persona(context: &Context, args: &RatingsArgs, name: &str) -> Result<PersonaReport, Stop> {
    match client::place(context, &args.place)? {
        DebateSource::Local => {
            let (ledger, basis) = here(context, args)?;
            let unknown =
                || Stop::usage(format!("no ended debate has a persona {name:?}; agon ratings lists the known ones"));
            let record = ledger.persona(&ParticipantId::from(name)).ok_or_else(unknown)?;
            Ok(PersonaReport { basis, name: name.to_owned(), record })
        }
        DebateSource::Server(server) => client::ask(context, &server, async |client| {
            let told = client.persona(name, args.rehearsal).await?;
            let record = PersonaRecord {
                standings: read(told.ratings)?,
                positions: read(told.positions)?,
                flips: read(told.flips)?,
                moments: read(told.moments)?,
                relationships: read(told.relationships)?,
            };
            Ok(PersonaReport { basis: basis_of(told.basis, told.left_off)?, name: told.name, record })
        }),
    }
}

/// The ledger of the store of this machine.
fn here(context: &Context, args: &RatingsArgs) -> Result<(Ledger, Basis), Stop> {
    let (_, ledger, basis) = read_here(context, args)?;
    Ok((ledger, basis))
}

/// The same with the cards that it is made of.
fn read_here(context: &Context, args: &RatingsArgs) -> Result<(Cards, Ledger, Basis), Stop> {
    let cards = cards(context, args.rehearsal)?;
    let ledger = cards.ledger();
    let basis = Basis { rehearsal: args.rehearsal, debates: ledger.debates(), truncated: cards.truncated, left_off: 0 };
    Ok((cards, ledger, basis))
}

/// The cards in the store of this machine.
pub fn cards(context: &Context, rehearsal: bool) -> Result<Cards, Stop> {
    match Store::open_existing(context)? {
        None => Ok(Cards::default()),
        Some(store) => store.block_on(async {
            Cards::newest(store.sqlite.as_ref(), &TenantId::default(), rehearsal).await.map_err(failed)
        }),
    }
}

fn basis_of(told: Option<pb::v1::Basis>, left_off: u64) -> Result<Basis, Stop> {
    let told = told.context("the server did not report the basis of its ratings")?;
    Ok(Basis { rehearsal: told.rehearsal, debates: told.debates, truncated: told.truncated, left_off })
}

fn read<P, T: TryFrom<P, Error = DecodeError>>(rows: Vec<P>) -> Result<Vec<T>, Stop> {
    let read: Result<Vec<T>, DecodeError> = rows.into_iter().map(T::try_from).collect();
    Ok(read.context("the server sent ratings that this version of Agon cannot read")?)
}
