//! Scaling: how much faster than with the narrowest vectors, as in Figure 3 of Mercadier and Dagand, "Usuba: high-throughput
//! and constant-time ciphers, by construction" (2019).

use super::rows::{rank, Instance};
use super::scale::{figure, Scale};
use super::svg::{width, Anchor, Drawing};
use super::{legend, theme, Table};
use nakiri::isa;

/// The width of a figure in a column of the page, and of one that takes both.
pub const COLUMN: f64 = 520.0;
/// See [`COLUMN`].
pub const WIDE: f64 = 1100.0;
const PLOT: f64 = 190.0;
const LEFT: f64 = 48.0;
const BAR: f64 = 17.0;
/// Room above the bars for their figures.
const HEAD: f64 = 40.0;

/// A group of bars: a cipher in one slicing.
pub struct Group {
    /// The lines of its name.
    pub label: Vec<String>,
    /// Targets with their speed-up.
    pub speed_ups: Vec<(String, f64)>,
}

impl Group {
    /// The kernels of an instance in one slicing; none if no vector target was measured, or nothing beside it.
    pub fn of(instance: &Instance, slicing: &str, label: Vec<String>) -> Option<Group> {
        let row = |name: &str| instance.row(slicing, name).map(|row| row.kernel.median);
        let vector = |target: &&&isa::Target| target.simd;
        let base = isa::all().iter().filter(vector).find_map(|target| row(target.name))?;
        let known =
            isa::all().iter().filter_map(|t| Some((t.name.to_string(), base / row(t.name)?)));
        let speed_ups: Vec<(String, f64)> = known.filter(|(_, x)| x.is_finite()).collect();
        (speed_ups.len() > 1).then_some(Group { label, speed_ups })
    }

    fn width(&self, bars: usize) -> f64 {
        let label = self.label.iter().map(|line| width(line)).fold(0.0, f64::max);
        label.max(BAR * bars as f64) + 14.0
    }
}

/// The groups, as many in each line as find room.
fn wrap(groups: &[Group], bars: usize, room: f64) -> Vec<&[Group]> {
    let mut lines = Vec::new();
    let (mut start, mut used) = (0, 0.0);
    for (k, group) in groups.iter().enumerate() {
        let own = group.width(bars);
        if k > start && used + own > room - LEFT {
            lines.push(&groups[start..k]);
            (start, used) = (k, 0.0);
        }
        used += own;
    }
    lines.push(&groups[start..]);
    lines
}

/// Draws groups of bars in a figure of a width.
pub fn draw(groups: &[Group], room: f64, title: &str) -> Drawing {
    let mut targets: Vec<&str> =
        groups.iter().flat_map(|g| g.speed_ups.iter().map(|(target, _)| target.as_str())).collect();
    targets.sort_by_key(|target| rank(target));
    targets.dedup();
    let samples: Vec<legend::Sample> =
        targets.iter().map(|target| (theme::series(rank(target)), *target)).collect();
    let lines = wrap(groups, targets.len(), room);
    let labels = groups.iter().map(|group| group.label.len()).max().unwrap_or(1) as f64;
    let line = HEAD + PLOT + 16.0 * labels + 16.0;
    let top = legend::height(&samples, room);
    let mut drawing = Drawing::new(room, top + line * lines.len() as f64, title);
    legend::draw(&mut drawing, (0.0, 0.0), &samples, room);
    let largest = groups.iter().flat_map(|g| &g.speed_ups).map(|(_, x)| *x).fold(1.0, f64::max);
    let scale = Scale::new(largest, 5, PLOT);
    for (k, groups) in lines.iter().enumerate() {
        let zero = top + line * k as f64 + HEAD + PLOT;
        draw_line(&mut drawing, zero, &scale, groups, &targets);
    }
    drawing
}

fn draw_line(drawing: &mut Drawing, zero: f64, scale: &Scale, groups: &[Group], targets: &[&str]) {
    let room = drawing.width;
    drawing.upright((13.0, zero - PLOT / 2.0), Anchor::Middle, "soft axis", "speed-up");
    for (value, text) in scale.ticks() {
        let y = zero - scale.at(value);
        drawing.line((LEFT, y), (room, y), "line-line");
        drawing.text((LEFT - 6.0, y + 4.5), Anchor::End, "soft", &text);
    }
    let mut x = LEFT;
    for group in groups {
        let own = group.width(targets.len());
        let middle = x + own / 2.0;
        let first = middle - BAR * group.speed_ups.len() as f64 / 2.0;
        for (k, (target, speed_up)) in group.speed_ups.iter().enumerate() {
            let (x, height) = (first + BAR * k as f64, scale.at(*speed_up));
            let (class, tip) =
                (theme::series(rank(target)), format!("{target}: {}", figure(*speed_up)));
            drawing.rectangle((x + 0.5, zero - height), (BAR - 1.0, height), class, &tip);
            let above = (x + BAR / 2.0 + 4.5, zero - height - 5.0);
            drawing.upright(above, Anchor::Start, "", &figure(*speed_up));
        }
        for (k, label) in group.label.iter().enumerate() {
            let class = if k == 0 { "strong" } else { "soft" };
            drawing.text((middle, zero + 18.0 + 16.0 * k as f64), Anchor::Middle, class, label);
        }
        x += own;
    }
    let one = zero - scale.at(1.0);
    drawing.line((LEFT, one), (room, one), "soft-line dashed");
    drawing.line((LEFT, zero), (room, zero), "soft-line");
}

/// The numbers of the figure.
pub fn table(groups: &[Group]) -> Table {
    let names: Vec<String> = isa::all().iter().map(|target| format!("{}#", target.name)).collect();
    let columns: Vec<&str> = ["what"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let mut table = Table::new(&columns);
    for group in groups {
        let cell = |target: &&isa::Target| {
            let found = group.speed_ups.iter().find(|(name, _)| name == target.name);
            found.map_or("–".to_string(), |(_, x)| figure(*x))
        };
        let cells = std::iter::once(group.label.join(" ")).chain(isa::all().iter().map(cell));
        table.rows.push(cells.collect());
    }
    table
}
