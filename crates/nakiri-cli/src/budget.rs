//! How much a search may do: for a time, or for a number of configurations, which is the same on a busy machine.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// How much a search may do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// For how long all searches together go on.
    Time(Duration),
    /// How many configurations each search times.
    Configurations(usize),
}

/// Longer than any search.
const ENDLESS: Duration = Duration::from_secs(365 * 86_400);

impl Budget {
    /// How long the searches may take.
    pub fn time(self) -> Duration {
        match self {
            Budget::Time(time) => time,
            Budget::Configurations(_) => ENDLESS,
        }
    }

    /// How many configurations a search may time.
    pub fn configurations(self) -> usize {
        match self {
            Budget::Time(_) => usize::MAX,
            Budget::Configurations(count) => count,
        }
    }

    /// The budget of one of several searches.
    pub fn share(self, searches: usize) -> Budget {
        match self {
            Budget::Time(time) => Budget::Time(time / searches.max(1) as u32),
            each => each,
        }
    }
}

impl From<Duration> for Budget {
    fn from(time: Duration) -> Budget {
        Budget::Time(time)
    }
}

impl FromStr for Budget {
    type Err = String;

    fn from_str(text: &str) -> Result<Budget, String> {
        if let Ok(count) = text.parse() {
            return Ok(Budget::Configurations(count));
        }
        let time = humantime::parse_duration(text);
        time.map(Budget::Time).map_err(|error| {
            format!("{error}: give a time, such as 90s, or a number of configurations, such as 40")
        })
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Budget::Time(time) => write!(f, "{}", humantime::format_duration(*time)),
            Budget::Configurations(count) => write!(f, "{count}"),
        }
    }
}
