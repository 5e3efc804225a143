//! The forms of an address that Ollama takes, in `OLLAMA_HOST` and elsewhere.
use std::net::Ipv6Addr;

/// Where Ollama answers that listens at this address: "every address" is no place to connect to, and a port alone is enough. Like
/// Ollama, a `lenient` reading ignores quotes and a port that is none.
pub fn connectable(address: &str, lenient: bool) -> String {
    let is_quote = |c: char| lenient && (c.is_whitespace() || matches!(c, '"' | '\''));
    let address = address.trim().trim_matches(is_quote);
    let (scheme, rest) = match address.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None if address == "ollama.com" => ("https://".to_owned(), address),
        None => (String::new(), address),
    };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    if authority.contains('@') {
        return address.to_owned();
    }
    let (host, port) = host_and_port(authority);
    let port = match port {
        Some("") => String::new(),
        Some(port) if lenient && port.parse::<u16>().is_err() => String::new(),
        Some(port) => format!(":{port}"),
        None => String::new(),
    };
    match host.trim_matches(['[', ']']) {
        "" | "0.0.0.0" | "::" => format!("{scheme}127.0.0.1{port}{path}"),
        bare if bare.parse::<Ipv6Addr>().is_ok() => format!("{scheme}[{bare}]{port}{path}"),
        _ => format!("{scheme}{host}{port}{path}"),
    }
}

/// An address of version 6 has colons of its own, and may stand without brackets where no port follows.
fn host_and_port(authority: &str) -> (&str, Option<&str>) {
    if authority.parse::<Ipv6Addr>().is_ok() {
        return (authority, None);
    }
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

#[cfg(test)]
mod tests {
    use crate::settings::{HostSettings, Origin};

    fn base(url: &str) -> String {
        HostSettings::ollama("a", url).endpoint().unwrap().base().to_owned()
    }

    #[test]
    fn every_form_of_ollama_host_can_be_connected_to() {
        for (given, base_url) in [
            ("0.0.0.0:11434", "http://127.0.0.1:11434/"),
            ("0.0.0.0", "http://127.0.0.1:11434/"),
            ("http://0.0.0.0:8080", "http://127.0.0.1:8080/"),
            ("[::]:11434", "http://127.0.0.1:11434/"),
            (":9000", "http://127.0.0.1:9000/"),
            ("gpu1", "http://gpu1:11434/"),
            ("gpu1:8000", "http://gpu1:8000/"),
            ("https://gpu1.example.org/ollama/", "https://gpu1.example.org/ollama"),
            ("gpu1/ollama", "http://gpu1:11434/ollama"),
            ("http://1.2.3.4", "http://1.2.3.4/"),
            ("https://1.2.3.4", "https://1.2.3.4/"),
            ("1.2.3.4:", "http://1.2.3.4:11434/"),
            (":", "http://127.0.0.1:11434/"),
            ("::1", "http://[::1]:11434/"),
            ("[::1]", "http://[::1]:11434/"),
            ("[::1]:1337", "http://[::1]:1337/"),
            ("::", "http://127.0.0.1:11434/"),
            ("http://[::]:8080", "http://127.0.0.1:8080/"),
            ("0001:002:003:0004::1", "http://[1:2:3:4::1]:11434/"),
            (" gpu1:8000 ", "http://gpu1:8000/"),
            ("ollama.com", "https://ollama.com/"),
        ] {
            assert_eq!(base(given), base_url, "{given}");
        }
    }

    #[test]
    fn ollamas_variable_is_read_as_leniently_as_ollama_reads_it() {
        for (given, base_url) in [
            ("\"1.2.3.4\"", "http://1.2.3.4:11434/"),
            (" ' gpu1:8000 ' ", "http://gpu1:8000/"),
            ("gpu1:66000", "http://gpu1:11434/"),
            ("http://gpu1:-1", "http://gpu1/"),
            ("https://gpu1:none/a", "https://gpu1/a"),
        ] {
            let host = HostSettings { origin: Origin::Variable, ..HostSettings::ollama("a", given) };
            assert_eq!(host.endpoint().unwrap().base(), base_url, "{given}");
        }
        for mistake in ["gpu1:66000", "http://gpu1:-1", "https://gpu1:none/a"] {
            assert!(HostSettings::ollama("a", mistake).endpoint().is_err(), "{mistake}");
        }
    }
}
