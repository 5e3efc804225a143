//! `agon health`: asks the admin port of a server, for probes in containers that have neither a shell nor curl.
use super::{Context, small_runtime};
use crate::cli::HealthArgs;
use crate::exit::{Exit, Stop};
use crate::settings::AdminSettings;
use anyhow::Context as _;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{Request, StatusCode, Uri, header};
use hyper_util::rt::TokioIo;
use serde_json::json;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use tokio::net::TcpStream;

/// The longest answer that is read.
const LONGEST_ANSWER: usize = 64 * 1024;

/// `agon health`
pub fn run(context: &Context, args: &HealthArgs) -> Result<Exit, Stop> {
    let base = match &args.url {
        Some(url) => AdminAddress::parse(url).map_err(Stop::usage)?,
        None => AdminAddress::of(context.settings()?.admin.listen.unwrap_or_else(AdminSettings::usual)),
    };
    let path = if args.live { "/healthz" } else { "/readyz" };
    let asked = small_runtime()?.block_on(async { tokio::time::timeout(args.timeout.0, base.ask(path)).await });
    let unreached =
        |error: anyhow::Error| Stop::new(Exit::Unavailable, error.context(format!("{base} cannot be asked")));
    let (status, answer) =
        asked.unwrap_or_else(|_| Err(anyhow::anyhow!("no answer within {}", args.timeout))).map_err(unreached)?;
    if args.json {
        context
            .output
            .json(&json!({"status": status.as_u16(), "ok": status.is_success(), "answer": answer.trim_end()}))?;
    } else {
        context.output.line(answer.trim_end())?;
    }
    match status {
        StatusCode::OK => Ok(Exit::Done),
        StatusCode::SERVICE_UNAVAILABLE => Ok(Exit::Unavailable),
        other => {
            Err(Stop::say(Exit::Unavailable, format!("{base}{path} answers {other}: that is no admin port of Agon")))
        }
    }
}

/// An admin port.
#[derive(Debug, PartialEq, Eq)]
struct AdminAddress {
    /// As `Host` names it.
    authority: String,
    /// As it is connected to.
    host: String,
    port: u16,
}

impl AdminAddress {
    /// Where a server listens, as it is reached from the same machine.
    fn of(listen: SocketAddr) -> Self {
        let ip = match listen.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        let address = SocketAddr::new(ip, listen.port());
        Self { authority: address.to_string(), host: ip.to_string(), port: address.port() }
    }

    /// The port has no TLS and no paths but its own.
    fn parse(url: &str) -> Result<Self, String> {
        let wrong =
            |why: &str| format!("{url:?} is not the address of an admin port, such as http://127.0.0.1:9090: {why}");
        let uri: Uri = url.parse().map_err(|error| wrong(&format!("{error}")))?;
        if uri.scheme_str() != Some("http") {
            return Err(wrong("it must begin with http://"));
        }
        if !matches!(uri.path(), "" | "/") || uri.query().is_some() {
            return Err(wrong("it must not have a path"));
        }
        let authority = uri.authority().filter(|authority| !authority.host().is_empty());
        let authority = authority.ok_or_else(|| wrong("it has no host"))?;
        if authority.as_str().contains('@') {
            return Err(wrong("the port has no authentication: remove the user"));
        }
        let host = authority.host().trim_matches(['[', ']']).to_owned();
        Ok(Self { authority: authority.to_string(), host, port: authority.port_u16().unwrap_or(80) })
    }

    async fn ask(&self, path: &str) -> anyhow::Result<(StatusCode, String)> {
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await.context("no connection")?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.context("no HTTP")?;
        let request = Request::get(path).header(header::HOST, &self.authority).body(Empty::<Bytes>::new())?;
        let asking = async {
            let answer = sender.send_request(request).await.context("no answer")?;
            let status = answer.status();
            let body = Limited::new(answer.into_body(), LONGEST_ANSWER).collect().await;
            let body = body.map_err(anyhow::Error::from_boxed).context("the answer breaks off or is too long")?;
            Ok((status, String::from_utf8_lossy(&body.to_bytes()).into_owned()))
        };
        tokio::pin!(asking);
        tokio::select! {
            answered = &mut asking => answered,
            // what has arrived by then is still to be read
            _ = connection => asking.await,
        }
    }
}

impl std::fmt::Display for AdminAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "http://{}", self.authority)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn door(host: &str, port: u16, authority: &str) -> AdminAddress {
        AdminAddress { authority: authority.to_owned(), host: host.to_owned(), port }
    }

    #[test]
    fn whoever_listens_everywhere_is_reached_on_loopback() {
        let of = |listen: &str| AdminAddress::of(listen.parse().unwrap());
        assert_eq!(of("0.0.0.0:9090"), door("127.0.0.1", 9090, "127.0.0.1:9090"));
        assert_eq!(of("[::]:9191"), door("::1", 9191, "[::1]:9191"));
        assert_eq!(of("10.1.2.3:80"), door("10.1.2.3", 80, "10.1.2.3:80"));
    }

    #[test]
    fn an_address_is_plain_http_without_a_path() {
        assert_eq!(AdminAddress::parse("http://gateway:9090/"), Ok(door("gateway", 9090, "gateway:9090")));
        assert_eq!(AdminAddress::parse("http://[::1]"), Ok(door("::1", 80, "[::1]")));
        for wrong in [
            "",
            "gateway:9090",
            "https://a:1",
            "http://a:1/readyz",
            "http://a:1?x",
            "http://u@a:1",
            "http://a b",
            "http://:1",
        ] {
            assert!(AdminAddress::parse(wrong).is_err(), "{wrong}");
        }
    }
}
