//! Scripts and styles, under addresses that change with them.
use axum::extract::Path;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderName, StatusCode, header};
use std::sync::LazyLock;

/// A file that browsers load.
struct Asset {
    name: &'static str,
    media_type: &'static str,
    text: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// The console's own style, a file for each group of pages.
const CONSOLE_STYLE: &str = concat!(
    include_str!("../assets/console.css"),
    include_str!("../assets/new.css"),
    include_str!("../assets/cluster.css"),
);

const ALL: [Asset; 6] = [
    Asset { name: "htmx.min.js", media_type: SCRIPT, text: include_str!("../assets/htmx.min.js") },
    Asset { name: "idiomorph-ext.min.js", media_type: SCRIPT, text: include_str!("../assets/idiomorph-ext.min.js") },
    Asset { name: "console.js", media_type: SCRIPT, text: include_str!("../assets/console.js") },
    Asset { name: "report.css", media_type: STYLE, text: agon_report::STYLE },
    Asset { name: "console.css", media_type: STYLE, text: CONSOLE_STYLE },
    Asset { name: "icon.svg", media_type: "image/svg+xml", text: include_str!("../assets/icon.svg") },
];

/// What tells one version of all files from another.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = blake3::Hasher::new();
    for asset in &ALL {
        hasher.update(asset.text.as_bytes());
    }
    hasher.finalize().to_hex().chars().take(12).collect()
});

/// Where a file is.
pub(crate) fn address(name: &str) -> String {
    format!("/assets/{}/{name}", *VERSION)
}

/// `GET /assets/{version}/{name}`: whatever the version, since a page of the version before may still be open.
pub(crate) async fn show(Path((version, name)): Path<(String, String)>) -> Response {
    let Some(asset) = ALL.iter().find(|asset| asset.name == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let kept = if version == *VERSION { "public, max-age=31536000, immutable" } else { "no-store" };
    let headers = [
        (header::CONTENT_TYPE, asset.media_type),
        (header::CACHE_CONTROL, kept),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; style-src 'unsafe-inline'"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    (headers, asset.text).into_response()
}
