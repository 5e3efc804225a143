//! Lengths of time as people write them: `90s`, `5m`, `250ms`; a bare number is seconds.
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A length of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Length(pub Duration);

impl Length {
    /// So many seconds.
    pub const fn seconds(n: u64) -> Self {
        Self(Duration::from_secs(n))
    }
    /// So many milliseconds.
    pub const fn millis(n: u64) -> Self {
        Self(Duration::from_millis(n))
    }
    /// In whole milliseconds.
    pub fn as_millis(self) -> u64 {
        u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX)
    }
}

impl FromStr for Length {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let wrong = || format!("{text:?} is not a length of time such as 90s, 5m or 250ms");
        if let Ok(seconds) = text.parse::<f64>() {
            return Duration::try_from_secs_f64(seconds).map(Self).map_err(|_| wrong());
        }
        let signed = text.parse::<jiff::SignedDuration>().map_err(|_| wrong())?;
        Duration::try_from(signed).map(Self).map_err(|_| wrong())
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.as_millis();
        if ms.is_multiple_of(1000) { write!(f, "{}s", ms / 1000) } else { write!(f, "{ms}ms") }
    }
}

impl Serialize for Length {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LengthVisitor;
        impl de::Visitor<'_> for LengthVisitor {
            type Value = Length;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a length of time such as 90s, 5m or 250ms")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Length, E> {
                text.parse().map_err(E::custom)
            }
            fn visit_u64<E: de::Error>(self, seconds: u64) -> Result<Length, E> {
                Ok(Length::seconds(seconds))
            }
            fn visit_i64<E: de::Error>(self, seconds: i64) -> Result<Length, E> {
                seconds.to_string().parse().map_err(E::custom)
            }
            fn visit_f64<E: de::Error>(self, seconds: f64) -> Result<Length, E> {
                seconds.to_string().parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(LengthVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_as_people_write_them() {
        let ms = |text: &str| text.parse::<Length>().map(Length::as_millis);
        assert_eq!(ms("90"), Ok(90_000));
        assert_eq!(ms("90s"), Ok(90_000));
        assert_eq!(ms("5m"), Ok(300_000));
        assert_eq!(ms("250ms"), Ok(250));
        assert_eq!(ms("1m 30s"), Ok(90_000));
        assert!(ms("-1").is_err());
        assert!(ms("soon").unwrap_err().contains("90s"));
    }

    #[test]
    fn what_is_printed_reads_back() {
        for ms in [0, 250, 1000, 90_000] {
            assert_eq!(Length::millis(ms).to_string().parse(), Ok(Length::millis(ms)));
        }
    }
}
