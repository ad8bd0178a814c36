//! Axes: from values to pixels, with round numbers as ticks.

/// A linear axis that starts at zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The value at its end, which is a tick.
    pub end: f64,
    /// The distance of two ticks.
    pub step: f64,
    /// Pixels from zero to its end.
    pub length: f64,
}

impl Scale {
    /// The shortest axis with a tick at or beyond `largest`, and at most `ticks` of them beside zero.
    pub fn new(largest: f64, ticks: u32, length: f64) -> Scale {
        let largest = if largest.is_finite() && largest > 0.0 { largest } else { 1.0 };
        let step = round_up(largest / f64::from(ticks.max(1)));
        // Quotients like 0.3 / 0.1 lie a little above the whole number that is meant.
        Scale { end: step * (largest / step - 1e-9).ceil(), step, length }
    }

    /// Pixels from zero to a value.
    pub fn at(&self, value: f64) -> f64 {
        value / self.end * self.length
    }

    /// Each tick's value and its text.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let decimals = (-self.step.log10().floor()).max(0.0) as usize;
        let decimals = decimals + usize::from(is_quarter(self.step));
        let count = (self.end / self.step).round() as u32;
        let value = |k| f64::from(k) * self.step;
        (0..=count).map(|k| (value(k), format!("{:.*}", decimals, value(k)))).collect()
    }
}

/// Whether a step is 2.5 times a power of ten below 10, which takes one decimal more.
fn is_quarter(step: f64) -> bool {
    let lead = step / 10f64.powf(step.log10().floor());
    (lead - 2.5).abs() < 1e-9 && step < 10.0
}

/// The least of 1, 2, 2.5, 5 and 10 times a power of ten that is not below a value.
fn round_up(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|lead| lead * power);
    steps.into_iter().find(|step| *step >= value * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

/// A measured figure with three significant digits: `0.0843`, `1.50`, `12.4`, `204`.
pub fn figure(value: f64) -> String {
    if !value.is_finite() || value == 0.0 {
        return if value == 0.0 { "0".to_string() } else { "–".to_string() };
    }
    let decimals = (2 - value.abs().log10().floor() as i32).clamp(0, 6) as usize;
    format!("{value:.decimals$}")
}

/// A count with narrow spaces between its thousands.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(largest: f64, most: u32) -> Vec<String> {
        Scale::new(largest, most, 100.0).ticks().into_iter().map(|tick| tick.1).collect()
    }

    #[test]
    fn ticks_are_round_and_reach_the_largest_value() {
        assert_eq!(ticks(0.3, 3), ["0.0", "0.1", "0.2", "0.3"]);
        assert_eq!(ticks(13.6, 4), ["0", "5", "10", "15"]);
        assert_eq!(ticks(0.95, 4), ["0.00", "0.25", "0.50", "0.75", "1.00"]);
        assert_eq!(ticks(100.0, 4), ["0", "25", "50", "75", "100"]);
        assert_eq!(ticks(10.0, 4), ["0.0", "2.5", "5.0", "7.5", "10.0"]);
        assert_eq!(ticks(1e-4, 2), ["0.00000", "0.00005", "0.00010"]);
        assert_eq!(ticks(f64::NAN, 2), ["0.0", "0.5", "1.0"]);
        for largest in (1..2000).map(|k| f64::from(k) * 0.037) {
            let scale = Scale::new(largest, 4, 100.0);
            assert!(scale.end >= largest * 0.999_999, "{largest}: {scale:?}");
            assert!((2..=5).contains(&scale.ticks().len()), "{largest}: {scale:?}");
        }
    }

    #[test]
    fn positions_are_proportional() {
        let scale = Scale::new(4.0, 4, 200.0);
        assert_eq!([0.0, 1.0, 4.0].map(|value| scale.at(value)), [0.0, 50.0, 200.0]);
    }

    #[test]
    fn figures_have_three_digits() {
        let all = [0.0843, 0.5, 1.5, 9.999, 12.44, 204.4, 12345.6, 0.0].map(figure);
        assert_eq!(all, ["0.0843", "0.500", "1.50", "10.00", "12.4", "204", "12346", "0"]);
        assert_eq!([7, 1234, 1234567].map(count), ["7", "1\u{202f}234", "1\u{202f}234\u{202f}567"]);
    }
}
