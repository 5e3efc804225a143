//! Pages for browsers, which another crate draws: what it is given, and who may see them.
use crate::api::Api;
use crate::auth::{Authenticator, Caller, Stay};
use crate::error::Problem;
use crate::net::peer_of;
use axum::Router;
use http::header::{self, HeaderValue};
use http::request::Parts;
use std::sync::Arc;

/// The pages beside the API, at its HTTP address.
pub struct SitePages {
    /// Makes the router of all pages. Whatever it does not route is the API's.
    pub router: Box<dyn FnOnce(PagePorts) -> Router + Send>,
    /// How a page says what is wrong with a call; the second argument is the call's id.
    pub refuse: fn(&Problem, &str) -> axum::response::Response,
}

/// What pages stand on.
#[derive(Clone)]
pub struct PagePorts {
    /// The operations.
    pub api: Arc<Api>,
    /// Who may call them.
    pub door: Door,
    /// Whether browsers come by TLS, as far as this gateway knows.
    pub tls: bool,
}

/// Says whose call a request is.
#[derive(Clone)]
pub struct Door(pub(crate) Arc<Authenticator>);

impl Door {
    /// Whether nobody is asked for credentials.
    pub fn is_open(&self) -> bool {
        self.0.is_off()
    }

    /// Whether only a client certificate lets somebody in.
    pub fn needs_certificate(&self) -> bool {
        !self.0.is_off() && !self.0.takes_tokens()
    }

    /// Who calls, by a token that the browser keeps, or else by the certificate of its connection; and for how long.
    pub async fn caller(&self, token: Option<&str>, request: &Parts) -> Result<(Caller, Stay), Problem> {
        let peer = peer_of(&request.extensions);
        let mut headers = http::HeaderMap::new();
        // what a proxy may have added is for the API
        if let Some(token) = token {
            let bearer = HeaderValue::from_str(&format!("Bearer {token}"));
            let bearer = bearer.map_err(|_| Problem::Unauthenticated("a token is one line of visible characters"))?;
            headers.insert(header::AUTHORIZATION, bearer);
        }
        let caller = self.0.caller(&headers, &peer).await?;
        let stay = Stay::of(&self.0, &headers, peer, &caller);
        Ok((caller, stay))
    }
}

/// The id of a call, as the answer and the log have it.
pub fn call_id(request: &Parts) -> String {
    crate::net::call_of_extensions(&request.extensions)
}
