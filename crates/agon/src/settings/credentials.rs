//! Secrets in addresses, which are shown and logged. Users and passwords have to be given apart from them; the values of their
//! queries, which may be keys, are hidden wherever an address is shown.
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;

/// What stands for a user and a password, and for a value of a query.
const HIDDEN: &str = "***";
/// Settings that are addresses, with a scheme or without one.
const ADDRESSES: [&str; 5] = ["url", "urls", "server", "jwks_url", "otlp_endpoint"];
/// What programs are given is theirs, and may be such an address; it is hidden where settings are shown.
const OF_PROGRAMS: [&str; 3] = ["command", "args", "env"];

/// Each address among the settings that carries a user or a password, by its path. What it is stands in no message.
pub fn problems(settings: &impl Serialize) -> Vec<String> {
    let mut paths = Vec::new();
    // what cannot be shown is not shown
    walk(&serde_json::to_value(settings).unwrap_or_default(), "", "", &mut paths);
    let told = |path: String| {
        let apart = apart(&path);
        format!("{path}: an address must not carry a user or a password, because addresses are shown; {apart}")
    };
    paths.into_iter().map(told).collect()
}

/// Where users and passwords belong instead.
fn apart(path: &str) -> &'static str {
    match path.split(['.', '[']).next() {
        Some("nats") => "give them as nats.user and nats.password, or a token as nats.token",
        Some("hosts") => "name a key with api_key of the host",
        Some("client") => "name a token with client.token",
        _ => "give them separately",
    }
}

/// The settings with the secrets hidden in their addresses.
pub fn hidden<T: Serialize + DeserializeOwned>(settings: &T) -> serde_json::Result<T> {
    let mut value = serde_json::to_value(settings)?;
    hide(&mut value, "");
    serde_json::from_value(value)
}

fn hide(value: &mut Value, key: &str) {
    match value {
        Value::Object(members) => {
            let members = members.iter_mut().filter(|(key, _)| !OF_PROGRAMS.contains(&key.as_str()));
            members.for_each(|(key, value)| hide(value, key));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| hide(value, key)),
        Value::String(text) if ADDRESSES.contains(&key) => *text = masked_address(text).into_owned(),
        Value::String(text) => *text = masked(text).into_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// [`masked`] for a text that is an address, with a scheme or without one.
pub fn masked_address(text: &str) -> Cow<'_, str> {
    if text.contains("://") {
        return masked(text);
    }
    let schemed = format!("://{text}");
    Cow::Owned(masked(&schemed).trim_start_matches("://").to_owned())
}

fn walk(value: &Value, path: &str, key: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members.iter().filter(|(key, _)| !OF_PROGRAMS.contains(&key.as_str())) {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                walk(value, &path, key, found);
            }
        }
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(at, value)| walk(value, &format!("{path}[{at}]"), key, found));
        }
        Value::String(text) if carries(text, ADDRESSES.contains(&key)) => found.push(path.to_owned()),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether a text is an address with a user or a password; `bare` ones have no scheme.
pub fn carries(text: &str, bare: bool) -> bool {
    match text.split_once("://") {
        Some((_, rest)) => user_bytes(rest) > 0,
        None => bare && user_bytes(text) > 0,
    }
}

/// The text with users, passwords and values of queries hidden in all addresses in it.
pub fn masked(text: &str) -> Cow<'_, str> {
    let (mut shown, mut rest) = (String::new(), text);
    while let Some((before, address)) = rest.split_once("://") {
        shown.push_str(before);
        shown.push_str("://");
        let (user, after) = address.split_at(user_bytes(address));
        if !user.is_empty() {
            shown.push_str(HIDDEN);
        }
        let whole = until(after, ends_address);
        // of several addresses in a list, the first one ends before the next
        rest = match whole.find('?').filter(|query| whole.find("://").is_none_or(|next| *query < next)) {
            None => after,
            Some(at) => {
                let (path, query) = whole.split_at(at);
                shown.push_str(path);
                shown.push_str(&hidden_values(query));
                after.get(whole.len()..).unwrap_or_default()
            }
        };
    }
    if shown.is_empty() {
        return Cow::Borrowed(text);
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

/// A query, which begins with its question mark, with its names alone; what stands behind it stays.
fn hidden_values(query: &str) -> String {
    let (query, fragment) = query.split_at(query.find('#').unwrap_or(query.len()));
    let hide = |pair: &str| match pair.split_once('=') {
        Some((name, _)) => format!("{name}={HIDDEN}"),
        None if pair.is_empty() => String::new(),
        None => HIDDEN.to_owned(),
    };
    let pairs: Vec<String> = query.trim_start_matches('?').split('&').map(hide).collect();
    format!("?{}{fragment}", pairs.join("&"))
}

fn ends_address(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '`' | '<' | '>')
}

/// The bytes of the user and the password at the start of what stands behind an address's scheme. A password that was written without
/// escapes may end the host's part too soon: then there is no number behind the colon.
fn user_bytes(rest: &str) -> usize {
    let whole = until(rest, |c| ends_address(c) || c == ',');
    let host = until(whole, |c| matches!(c, '/' | '?' | '#' | '\\'));
    let port = host.rsplit_once(':').map(|(_, port)| port).filter(|_| !host.ends_with(']'));
    let is_cut = port.is_some_and(|port| port.parse::<u16>().is_err());
    let searched = if is_cut { whole } else { host };
    searched.rfind('@').unwrap_or(0)
}

fn until(text: &str, ends: impl Fn(char) -> bool) -> &str {
    text.split(ends).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn users_and_passwords_in_addresses_are_hidden_and_nothing_else_is() {
        for (text, shown) in [
            ("nats://u:p@h:4222", "nats://***@h:4222"),
            ("\"nats://u:p@h\", 'tls://token@b'", "\"nats://***@h\", 'tls://***@b'"),
            ("https://u:p/w?#x@h/a", "https://***@h/a"),
            ("https://u:p@w@h", "https://***@h"),
            ("at http://u:p@h: refused", "at http://***@h: refused"),
            ("https://example.org/@me https://h:80/a@b", "https://example.org/@me https://h:80/a@b"),
            ("http://[::1]:80/@x me@example.org", "http://[::1]:80/@x me@example.org"),
            ("http://h/feed?api_key=K&n=1#top is away", "http://h/feed?api_key=***&n=***#top is away"),
            ("\"http://h/a,b?K\" \"http://h/?\"", "\"http://h/a,b?***\" \"http://h/?\""),
            ("nats://a:1,nats://u:p@b:2?t=K", "nats://a:1,nats://***@b:2?t=***"),
            ("http://h/?to=http://u:p@i/&k=K", "http://h/?to=***&k=***"),
            ("why? https://h/x", "why? https://h/x"),
        ] {
            assert_eq!(masked(text), shown);
        }
        assert_eq!(masked_address("u:p@h:1?k=K"), "***@h:1?k=***");
        assert_eq!(masked_address("gpu:8000"), "gpu:8000");
    }

    #[test]
    fn keys_in_queries_of_addresses_are_hidden_where_settings_are_shown() {
        let settings: Settings = toml::from_str(
            "[feeds.news]\nurl = \"http://n/feed?api_key=hush\"\n\
             [tools.web]\nkind = \"search\"\nurl = \"http://s/search?key=hush\"\n\
             [tools.db]\nkind = \"mcp\"\nurl = \"http://m/mcp?token=hush\"\n\
             [tools.own]\nkind = \"mcp\"\ncommand = \"db\"\nargs = [\"http://h/?k=hush\"]\n\
             [[hosts]]\nname = \"a\"\nkind = \"openai\"\nurl = \"http://gpu/v1?key=hush\"\n\
             [gateway.auth.jwt]\nissuer = \"https://i\"\naudience = \"a\"\njwks_url = \"https://i/keys?key=hush\"\n",
        )
        .unwrap();

        let shown = toml::to_string(&hidden(&settings).unwrap()).unwrap();
        let shown = masked(&shown);

        assert!(!shown.contains("hush") && shown.contains("http://n/feed?api_key=***"), "{shown}");
        assert!(!settings.problems().concat().contains("hush"));
    }

    #[test]
    fn every_address_among_the_settings_is_refused_with_its_path_and_without_the_password() {
        let settings: Settings = toml::from_str(
            "[client]\nserver = \"u:hush@gateway:50051\"\n[nats]\nurls = \"nats://a:4222, nats://u:hush@b:4222\"\n\
             [telemetry]\notlp_endpoint = \"http://u:hush@jaeger:4317\"\n\
             [gateway.auth.jwt]\nissuer = \"https://u:hush@i\"\naudience = \"a\"\njwks_url = \"https://u:hush@i/keys\"\n\
             [tools.db]\nkind = \"mcp\"\ncommand = \"db\"\nargs = [\"postgresql://u:hush@h/db\"]\n\
             [[hosts]]\nname = \"a\"\nurl = \"http://u:hush@gpu\"\n\
             [feeds.news]\nurl = \"https://u:hush@n/feed\"\n",
        )
        .unwrap();

        let told = settings.problems().join("\n");

        for path in [
            "client.server: ",
            "nats.urls[1]: ",
            "telemetry.otlp_endpoint: ",
            "gateway.auth.jwt.jwks_url: ",
            "gateway.auth.jwt.issuer",
            "hosts[0].url: ",
            "feeds.news.url: ",
        ] {
            assert!(told.contains(path), "{path} {told}");
        }
        assert!(!told.contains("hush") && !told.contains("tools.db"), "{told}");
        assert!(told.contains("nats.user and nats.password") && told.contains("client.token"), "{told}");
        let hidden = hidden(&Settings { tools: Default::default(), ..settings }).unwrap();
        let shown = toml::to_string(&hidden).unwrap();
        assert!(!shown.contains("hush") && shown.contains("\"***@gateway:50051\""), "{shown}");
    }
}
