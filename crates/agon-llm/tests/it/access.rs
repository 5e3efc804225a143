//! Keys, headers and certificates; and what stands between a server and its callers.
use agon_llm::{
    ChatError, ChatErrorKind, ChatMessage, ChatModel, ChatRequest, ClientConfig, Discard, Endpoint, Http, connect_with,
};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use serde_json::json;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsAcceptor;

use crate::stub::{Stub, StubRequest, StubStep, json as reply, response};

fn request() -> ChatRequest {
    ChatRequest::new("m", vec![ChatMessage::user("Speak.")])
}

/// User, key, headers, and the lines that are sent for them.
type SentAccess =
    (Option<&'static str>, Option<&'static str>, &'static [(&'static str, &'static str)], &'static [&'static str]);

#[tokio::test]
async fn a_key_a_user_and_headers_are_sent_as_they_are_set() {
    let cases: [SentAccess; 6] = [
        (Some("sk-1"), None, &[], &["authorization: bearer sk-1"]),
        // base64 of ada:pa55word, in the small letters of the stub
        (Some("pa55word"), Some("ada"), &[], &["authorization: basic ywrhonbhntv3b3jk"]),
        (Some("Basic QWxhZGRpbjpvcGVu"), None, &[], &["authorization: basic qwxhzgrpbjpvcgvu"]),
        (Some("Token abc"), None, &[], &["authorization: token abc"]),
        (
            None,
            None,
            &[("x-api-key", "k1"), ("OpenAI-Organization", "org")],
            &["x-api-key: k1", "openai-organization: org"],
        ),
        (
            Some("sk-1"),
            None,
            &[("cf-access-client-secret", "s")],
            &["authorization: bearer sk-1", "cf-access-client-secret: s"],
        ),
    ];
    for (key, user, headers, expected) in cases {
        let stub = Stub::always(reply(&json!({"data": []}))).await;
        let client = connect_with(ClientConfig {
            api_key: key.map(Into::into),
            user: user.map(str::to_owned),
            headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect(),
            ..ClientConfig::new(stub.open_ai())
        });
        client.models().await.unwrap();

        let sent = &stub.requests()[0].headers;
        for line in expected {
            assert!(sent.lines().any(|header| header == *line), "{line}: {sent}");
        }
        assert_eq!(sent.matches("authorization:").count(), usize::from(key.is_some()), "{sent}");
    }
}

#[tokio::test]
async fn a_header_that_a_server_repeats_is_in_no_error() {
    let stub = Stub::always(response(400, "application/json", r#"{"error":"bad x-api-key: secret-header-1"}"#)).await;
    let headers = vec![("x-api-key".to_owned(), "secret-header-1".into())];
    let client = connect_with(ClientConfig { headers, ..ClientConfig::new(stub.ollama()) });

    let error = client.chat(&request(), &mut Discard).await.unwrap_err();

    assert_eq!(error.detail, "bad x-api-key: [key]");
}

/// What a chat and a list of models come to where every request is answered so.
async fn both(open_ai: bool, bytes: String) -> [ChatError; 2] {
    let stub =
        Stub::serve(move |_: &StubRequest| vec![StubStep::Send(bytes.clone().into_bytes()), StubStep::Fin]).await;
    let client = connect_with(ClientConfig::new(if open_ai { stub.open_ai() } else { stub.ollama() }));
    [client.chat(&request(), &mut Discard).await.unwrap_err(), client.models().await.unwrap_err()]
}

#[tokio::test]
async fn what_stands_before_a_server_is_named() {
    let zipped = "\u{1f}not for reading";
    let told = [
        (
            "301 Moved\r\nLocation: https://llm.example.org/v1/chat?key=1#a",
            ChatErrorKind::BadRequest,
            "the server redirects to https://llm.example.org/v1/chat; give its final address",
        ),
        ("308 Moved\r\nLocation: /login", ChatErrorKind::BadRequest, "/login; give its final address"),
        ("302 Found", ChatErrorKind::BadRequest, "the server redirects; give its final address"),
        ("200 OK\r\nContent-Encoding: gzip", ChatErrorKind::Malformed, "Content-Encoding: gzip"),
        ("200 OK\r\nContent-Encoding: br", ChatErrorKind::Malformed, "Content-Encoding: br"),
        ("401 No\r\nContent-Encoding: zstd", ChatErrorKind::Unauthorized, "Content-Encoding: zstd"),
        ("503 Busy\r\nContent-Encoding: deflate", ChatErrorKind::Busy, "Content-Encoding: deflate"),
        ("401 No\r\nWWW-Authenticate: Basic realm=\"x\"", ChatErrorKind::Unauthorized, "Basic authentication"),
    ];
    for (head, kind, detail) in told {
        for open_ai in [true, false] {
            let body = if head.starts_with("302") { "" } else { zipped };
            let length = body.len();
            for error in both(open_ai, format!("HTTP/1.1 {head}\r\nContent-Length: {length}\r\n\r\n{body}")).await {
                assert_eq!(error.kind, kind, "{head}: {error:?}");
                assert!(error.detail.contains(detail), "{head}: {error:?}");
                assert!(!error.detail.contains("key=1"), "{error:?}");
            }
        }
    }
}

/// A certificate with its key, as PEM.
struct IssuedCertificate {
    certificate: String,
    key: KeyPair,
}

fn self_signed(name: &str, is_authority: bool) -> IssuedCertificate {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    if is_authority {
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    }
    IssuedCertificate { certificate: params.self_signed(&key).unwrap().pem(), key }
}

fn signed_by(authority: &IssuedCertificate, name: &str) -> IssuedCertificate {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = Issuer::new(params, &authority.key);
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, &issuer).unwrap().pem();
    IssuedCertificate { certificate, key }
}

fn der(pem: &str) -> rustls::pki_types::CertificateDer<'static> {
    use rustls::pki_types::pem::PemObject as _;
    rustls::pki_types::CertificateDer::from_pem_slice(pem.as_bytes()).unwrap()
}

/// An OpenAI-compatible server behind TLS that lists one model; where `clients` is given, only to clients with its certificates.
async fn secure_server(pair: &IssuedCertificate, clients: Option<&IssuedCertificate>) -> Endpoint {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = match clients {
        None => ServerConfig::builder().with_no_client_auth(),
        Some(authority) => {
            let mut roots = RootCertStore::empty();
            roots.add(der(&authority.certificate)).unwrap();
            let verifier = WebPkiClientVerifier::builder(Arc::new(roots)).build().unwrap();
            ServerConfig::builder().with_client_cert_verifier(verifier)
        }
    };
    let key = PrivateKeyDer::try_from(pair.key.serialize_der()).unwrap();
    let config = builder.with_single_cert(vec![der(&pair.certificate)], key).unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(socket).await else { return };
                let mut bytes = [0; 4096];
                let _ = stream.read(&mut bytes).await;
                let _ = stream.write_all(&reply(&json!({"data": [{"id": "m"}]}))).await;
                let _ = stream.shutdown().await;
            });
        }
    });
    Endpoint::open_ai(&format!("https://127.0.0.1:{port}")).unwrap()
}

async fn lists(
    endpoint: &Endpoint,
    authorities: &[&IssuedCertificate],
    identity: Option<&IssuedCertificate>,
) -> Result<usize, ChatError> {
    let authorities: String = authorities.iter().map(|pair| pair.certificate.as_str()).collect();
    let identity = identity.map(|pair| (pair.certificate.clone() + &pair.key.serialize_pem()).into_bytes());
    let http = Http::secured(Some(authorities.as_bytes()), identity)?;
    let client: Arc<dyn ChatModel> = connect_with(ClientConfig { http, ..ClientConfig::new(endpoint.clone()) });
    Ok(client.models().await?.len())
}

#[tokio::test]
async fn the_file_of_authorities_may_be_the_servers_own_certificate() {
    let authority = self_signed("Authority", true);
    let other = self_signed("127.0.0.1", false);
    for (server, named, accepted) in [
        (self_signed("127.0.0.1", false), None, true),
        (self_signed("127.0.0.1", true), None, true),
        (self_signed("gpu1", false), None, true),
        (signed_by(&authority, "127.0.0.1"), Some(&authority), true),
        // an authority vouches for the name, too
        (signed_by(&authority, "gpu1"), Some(&authority), false),
        (self_signed("127.0.0.1", false), Some(&other), false),
        (signed_by(&authority, "127.0.0.1"), Some(&other), false),
    ] {
        let endpoint = secure_server(&server, None).await;
        let found = lists(&endpoint, &[named.unwrap_or(&server)], None).await;
        assert_eq!(found.is_ok(), accepted, "{found:?}");
        if let Err(error) = found {
            assert!(error.detail.contains("certificate"), "{error:?}");
        }
    }
}

#[tokio::test]
async fn a_server_that_wants_a_client_certificate_gets_it() {
    let (authority, server) = (self_signed("Authority", true), self_signed("127.0.0.1", false));
    let endpoint = secure_server(&server, Some(&authority)).await;
    let (ours, others) = (signed_by(&authority, "me"), self_signed("me", false));

    assert_eq!(lists(&endpoint, &[&server], Some(&ours)).await.unwrap(), 1);
    assert!(lists(&endpoint, &[&server], Some(&others)).await.is_err());
    assert!(lists(&endpoint, &[&server], None).await.is_err());
}

#[test]
fn files_that_hold_something_else_are_refused() {
    let pair = self_signed("a", false);
    let (certificate, key) = (pair.certificate.clone().into_bytes(), pair.key.serialize_pem().into_bytes());
    for (authorities, identity, said) in [
        (Some(b"nothing".as_slice()), None, "no certificate"),
        (Some(key.as_slice()), None, "no certificate"),
        (None, Some(certificate.clone()), "no key"),
        (None, Some(key.clone()), "no certificate"),
        (None, Some(b"nothing".to_vec()), "no key"),
    ] {
        let error = Http::secured(authorities, identity).unwrap_err();
        assert!(error.detail.contains(said), "{said}: {error:?}");
        assert_eq!(error.kind, ChatErrorKind::BadRequest);
    }
    Http::secured(Some(&certificate), Some([certificate.clone(), key].concat())).unwrap();
}
