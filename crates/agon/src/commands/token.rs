//! `agon token`: a bearer token for one caller, and the line that lets it in.
use super::Context;
use crate::cli::TokenArgs;
use crate::exit::{Exit, Stop};
use agon_core::TenantId;
use agon_server::{Scope, new_token, token_line};
use anyhow::Context as _;
use serde_json::json;

/// `agon token PRINCIPAL`
pub fn run(context: &Context, args: &TokenArgs) -> Result<Exit, Stop> {
    let tenant = TenantId::parse(&args.tenant).map_err(Stop::usage)?;
    let scopes = args.scopes.iter().map(|scope| scope_of(scope)).collect::<Result<Vec<_>, _>>()?;
    let token = new_token();
    let line = token_line(&tenant, &args.principal, &scopes, &token).map_err(Stop::usage)?;
    if args.json {
        let both = json!({"token": token, "line": line});
        context.output.line(&serde_json::to_string_pretty(&both).context("the token cannot be written")?)?;
    } else {
        context.output.line(&line)?;
        context.output.note(&format!(
            "token for {}, shown only now: {token}\nthe line above belongs into the file of gateway.auth.tokens_file",
            args.principal
        ));
    }
    Ok(Exit::Done)
}

fn scope_of(text: &str) -> Result<Scope, Stop> {
    let known: Vec<&str> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
    Scope::parse(text).ok_or_else(|| Stop::usage(format!("{text:?} is no scope; there are {}", known.join(", "))))
}
