//! Page tokens: where a listing goes on, and which listing it was.
use crate::error::Problem;
use agon_core::{DebateId, TenantId, Timestamp};
use agon_proto::pb::v1::DebateFilter;
use agon_store::ListCursor;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use prost::Message as _;

/// The form of the token; another one is refused.
const VERSION: u8 = 1;
/// Bytes of the filter's hash that a token holds.
const HASH_BYTES: usize = 16;

/// A listing: whose, and of what.
#[derive(Clone, Copy)]
pub(super) struct Listing<'a> {
    pub tenant: &'a TenantId,
    pub filter: &'a DebateFilter,
}

impl Listing<'_> {
    fn hash(&self) -> [u8; HASH_BYTES] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.tenant.as_str().as_bytes()).update(b"\n").update(&self.filter.encode_to_vec());
        let mut hash = [0; HASH_BYTES];
        hasher.finalize_xof().fill(&mut hash);
        hash
    }

    /// The token behind this place.
    pub fn token(&self, place: &ListCursor) -> String {
        let mut bytes = vec![VERSION];
        bytes.extend(self.hash());
        bytes.extend(place.admitted.0.to_be_bytes());
        bytes.extend(place.id.name().as_bytes());
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The place of a token; none for the empty one.
    pub fn place(&self, token: &str) -> Result<Option<ListCursor>, Problem> {
        if token.is_empty() {
            return Ok(None);
        }
        let unread = || Problem::invalid("page_token", "this is not a page token of this server");
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(token).map_err(|_| unread())?;
        let rest = bytes.strip_prefix(&[VERSION]).ok_or_else(unread)?;
        let (hash, rest) = rest.split_first_chunk::<HASH_BYTES>().ok_or_else(unread)?;
        if *hash != self.hash() {
            let text = "the page token belongs to another filter; begin again without it";
            return Err(Problem::invalid("page_token", text));
        }
        let (admitted, name) = rest.split_first_chunk::<8>().ok_or_else(unread)?;
        let name = std::str::from_utf8(name).map_err(|_| unread())?;
        let id = DebateId::in_tenant(self.tenant, name).map_err(|_| unread())?;
        Ok(Some(ListCursor { admitted: Timestamp(u64::from_be_bytes(*admitted)), id }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> ListCursor {
        ListCursor { admitted: Timestamp(1_800_000_000_123), id: DebateId::parse("acme/bridge-1").unwrap() }
    }

    #[test]
    fn a_token_leads_back_to_its_place() {
        let (tenant, filter) = (TenantId::parse("acme").unwrap(), DebateFilter::default());
        let listing = Listing { tenant: &tenant, filter: &filter };
        assert_eq!(listing.place(&listing.token(&place())), Ok(Some(place())));
        assert_eq!(listing.place(""), Ok(None));
    }

    #[test]
    fn a_token_of_another_filter_tenant_or_server_is_refused() {
        let (tenant, filter) = (TenantId::parse("acme").unwrap(), DebateFilter::default());
        let token = Listing { tenant: &tenant, filter: &filter }.token(&place());
        let other = DebateFilter { text: "bridge".into(), ..DebateFilter::default() };
        let elsewhere = TenantId::default();
        let lists = [Listing { tenant: &tenant, filter: &other }, Listing { tenant: &elsewhere, filter: &filter }];
        for listing in lists {
            let refused = listing.place(&token).unwrap_err();
            assert!(refused.to_string().contains("another filter"), "{refused}");
        }
        for odd in ["!", "AA", "AQ", &token[..20]] {
            assert!(Listing { tenant: &tenant, filter: &filter }.place(odd).is_err(), "{odd}");
        }
    }
}
