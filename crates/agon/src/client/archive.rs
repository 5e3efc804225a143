//! What a server tells of personas and models.
use super::calls::repeat;
use super::connect::Client;
use crate::exit::Stop;
use agon_proto::pb;

impl Client {
    /// The ratings of the caller's debates.
    pub async fn ratings(&self, rehearsal: bool) -> Result<pb::v1::ListRatingsResponse, Stop> {
        let ask = || {
            let mut to = self.archive.clone();
            let request = self.timed(pb::v1::ListRatingsRequest { rehearsal });
            async move { to.list_ratings(request).await }
        };
        match repeat(ask).await {
            Ok(answer) => Ok(answer),
            Err(status) => Err(self.stop(&status, "ratings").await),
        }
    }

    /// All of one persona.
    pub async fn persona(&self, name: &str, rehearsal: bool) -> Result<pb::v1::PersonaRecord, Stop> {
        let ask = || {
            let mut to = self.archive.clone();
            let request = self.timed(pb::v1::GetPersonaRequest { name: name.to_owned(), rehearsal });
            async move { to.get_persona(request).await }
        };
        match repeat(ask).await {
            Ok(answer) => Ok(answer),
            Err(status) => Err(self.stop(&status, "ratings").await),
        }
    }
}
