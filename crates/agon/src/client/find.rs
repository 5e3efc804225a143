//! Which debate a name means at a server: an id, the beginning or the end of one, or `last`.
use super::Client;
use crate::exit::Stop;
use crate::store::{self, LAST};
use agon_core::DebateId;
use agon_proto::pb;

/// So many of the newest debates are looked through for one whose id begins or ends so.
const LOOKED_THROUGH: usize = 1000;

impl Client {
    /// The id of the debate that `name` means.
    pub async fn find(&self, name: &str) -> Result<String, Stop> {
        if name != LAST && DebateId::parse(name).is_ok() && self.exists(name).await? {
            return Ok(name.to_owned());
        }
        let looked = if name == LAST { 1 } else { LOOKED_THROUGH };
        let newest = self.list_own(&pb::v1::DebateFilter::default(), looked).await?;
        let ids: Vec<DebateId> = newest.iter().filter_map(|debate| DebateId::parse(&debate.id).ok()).collect();
        Ok(store::pick(name, &ids)?.name().to_owned())
    }
}
