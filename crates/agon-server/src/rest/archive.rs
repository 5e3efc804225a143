//! What debates that are over say of personas and models.
use super::answer::RestResponse;
use super::input::QueryParams;
use super::{Called, Param, Rest};
use crate::error::Problem;
use agon_proto::pb::v1 as pb;
use axum::extract::{RawQuery, State};

/// `GET /v1/ratings`.
pub(crate) async fn ratings(State(rest): State<Rest>, Called(call, id): Called, query: RawQuery) -> RestResponse {
    let answer = async {
        let rehearsal = rehearsal(query)?;
        rest.json.write(rest.api.ratings(&call, &pb::ListRatingsRequest { rehearsal }).await?)
    };
    RestResponse::of(&id, answer.await)
}

/// `GET /v1/ratings/{persona}`.
pub(crate) async fn persona(
    State(rest): State<Rest>,
    Called(call, id): Called,
    Param(name): Param<String>,
    query: RawQuery,
) -> RestResponse {
    let answer = async {
        let rehearsal = rehearsal(query)?;
        rest.json.write(rest.api.persona(&call, &pb::GetPersonaRequest { name, rehearsal }).await?)
    };
    RestResponse::of(&id, answer.await)
}

fn rehearsal(query: RawQuery) -> Result<bool, Problem> {
    let mut query = QueryParams::read(query);
    let rehearsal = query.flag("rehearsal");
    query.end().map(|()| rehearsal)
}
