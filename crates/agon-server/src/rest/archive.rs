//! What debates that are over say of personas and models.
use super::answer::RestResponse;
use super::input::QueryParams;
use super::{Called, Param, Rest};
use agon_proto::pb::v1 as pb;
use axum::extract::{RawQuery, State};

/// `GET /v1/ratings`.
pub(crate) async fn ratings(State(rest): State<Rest>, Called(call, id): Called, query: RawQuery) -> RestResponse {
    let mut query = QueryParams::read(query);
    let rehearsal = query.flag("rehearsal");
    let answer = match query.end() {
        Ok(()) => rest.api.ratings(&call, &pb::ListRatingsRequest { rehearsal }).await,
        Err(problem) => Err(problem),
    };
    RestResponse::of(&id, answer.and_then(|ratings| rest.json.write(&ratings)))
}

/// `GET /v1/ratings/{persona}`.
pub(crate) async fn persona(
    State(rest): State<Rest>,
    Called(call, id): Called,
    Param(name): Param<String>,
    query: RawQuery,
) -> RestResponse {
    let mut query = QueryParams::read(query);
    let rehearsal = query.flag("rehearsal");
    let answer = match query.end() {
        Ok(()) => rest.api.persona(&call, &pb::GetPersonaRequest { name, rehearsal }).await,
        Err(problem) => Err(problem),
    };
    RestResponse::of(&id, answer.and_then(|record| rest.json.write(&record)))
}
