//! Which figures there are: each with a title that says what is seen, a caption that says how to read it, and its numbers.

use super::rows::{whole, Instance};
use super::scale::{count, figure};
use super::scaling::Group;
use super::{circuit, layout, mix, pressure, scaling, throughput, transposition};
use super::{Cipher, Figure, KernelFacts, Report};
use crate::mix::CLASSES;
use nakiri::core::Direction;

/// The figure that compares all ciphers; none if fewer than two were measured on several targets.
pub fn overview(report: &Report) -> Option<Figure> {
    let mut groups = Vec::new();
    for cipher in &report.ciphers {
        for instance in Instance::all(&cipher.rows) {
            for slicing in instance.slicings() {
                let label = vec![instance.name.to_string(), slicing.to_string()];
                groups.extend(Group::of(&instance, slicing, label));
            }
        }
    }
    (report.ciphers.len() > 1 && groups.len() > 1).then(|| {
        let title = "How all kernels scale with the width of registers".to_string();
        let drawing = scaling::draw(&groups, scaling::WIDE, &title);
        let table = scaling::table(&groups);
        Figure {
            name: "scaling".to_string(),
            title,
            caption: SCALING.to_string(),
            drawing,
            table,
            wide: true,
        }
    })
}

const SCALING: &str = "Kernels alone, relative to the same slicing on the narrowest vector target (dashed line). Twice the \
    width is worth a factor of 2; more registers and ternary logic can be worth more.";

/// The figures of what was measured of a cipher.
pub fn timed_figures(cipher: &Cipher) -> Vec<Figure> {
    let instances = Instance::all(&cipher.rows);
    instances.iter().flat_map(|instance| of_instance(cipher, instance)).collect()
}

fn of_instance(cipher: &Cipher, instance: &Instance) -> Vec<Figure> {
    let name = |what: &str| format!("{}-{what}", instance.name);
    let mut figures = vec![throughput_of(cipher, instance, name("throughput"))];
    figures.extend(scaling_of(instance, name("scaling")));
    figures.push(transposition_of(instance, name("transposition")));
    figures
}

fn throughput_of(cipher: &Cipher, instance: &Instance, name: String) -> Figure {
    let best = instance.rows().min_by(|a, b| a.kernel.median.total_cmp(&b.kernel.median));
    let title = best.map_or(String::new(), |row| {
        format!(
            "{}: the fastest kernel is {} on {}, at {} core cycles per byte",
            instance.name,
            row.slicing,
            row.target,
            figure(row.kernel.median)
        )
    });
    let message = instance.rows().find_map(whole).map_or(String::new(), super::rows::message);
    let caption = format!(
        "Medians; shorter is faster. The whole message ({message}) has the transposition and the mode in it. The tick is \
         the least time that the machine model allows for the kernel's object code. {}",
        if cipher.rows.iter().all(|row| row.bound.is_none()) { "No model fits this machine, so there are no bounds." } else { "" }
    );
    let drawing = throughput::draw(instance, &title);
    Figure { name, title, caption, drawing, table: throughput::table(instance), wide: false }
}

fn scaling_of(instance: &Instance, name: String) -> Option<Figure> {
    let slicings = instance.slicings();
    let group = |slicing: &&str| Group::of(instance, slicing, vec![slicing.to_string()]);
    let groups: Vec<Group> = slicings.iter().filter_map(group).collect();
    let most = groups.iter().flat_map(|group| &group.speed_ups);
    let (target, most) = most.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let title = format!(
        "{}: up to {} times faster on {target} than with the narrowest vectors",
        instance.name,
        figure(*most)
    );
    let (drawing, table) =
        (scaling::draw(&groups, scaling::COLUMN, &title), scaling::table(&groups));
    Some(Figure { name, title, caption: SCALING.to_string(), drawing, table, wide: false })
}

fn transposition_of(instance: &Instance, name: String) -> Figure {
    let share = |row: &crate::results::Row| {
        let all = whole(row)
            .map_or(0.0, |m| m.cost.median)
            .max(row.kernel.median + row.transposition.median);
        100.0 * row.transposition.median / all
    };
    let shares: Vec<f64> = instance.rows().map(share).collect();
    let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
    let most = shares.iter().copied().fold(0.0, f64::max);
    let title = match shares.len() {
        1 => format!("{}: transposition takes {most:.0} per cent of a message", instance.name),
        _ => format!(
            "{}: transposition takes {least:.0} to {most:.0} per cent of a message",
            instance.name
        ),
    };
    let caption = "Kernel and transposition are measured alone; the rest of the whole message is the mode: counters, reading, \
        exclusive or, writing."
        .to_string();
    let drawing = transposition::draw(instance, &title);
    Figure { name, title, caption, drawing, table: transposition::table(instance), wide: false }
}

/// The figures of what kernels, layouts and circuits say of themselves.
pub fn static_figures(cipher: &Cipher) -> Vec<Figure> {
    let mut slicings: Vec<&str> = Vec::new();
    for kernel in &cipher.kernels {
        if !slicings.contains(&kernel.slicing.as_str()) {
            slicings.push(&kernel.slicing);
        }
    }
    let mut figures: Vec<Figure> =
        slicings.iter().map(|slicing| pressure_of(cipher, slicing)).collect();
    figures.extend(mix_of(cipher));
    figures.extend(cipher.layouts.iter().map(|placement| layout_of(cipher, placement)));
    figures.extend(cipher.circuits.iter().map(|named| circuit_of(cipher, named)));
    figures
}

/// How many targets show their register pressure: the widest.
const PANELS: usize = 2;

fn pressure_of(cipher: &Cipher, slicing: &str) -> Figure {
    let all: Vec<&KernelFacts> =
        cipher.kernels.iter().filter(|kernel| kernel.slicing == slicing).collect();
    let kernels = &all[all.len().saturating_sub(PANELS)..];
    let fits = kernels.iter().filter(|kernel| kernel.pressure.above() == 0);
    let fitting: Vec<&str> = fits.map(|kernel| kernel.target.as_str()).collect();
    let title = match (fitting.len(), kernels.len()) {
        (0, _) => format!("{}, {slicing}: more values live than there are registers", cipher.title),
        (n, all) if n == all => {
            format!("{}, {slicing}: all values fit into the registers", cipher.title)
        }
        _ => format!(
            "{}, {slicing}: all values fit into the registers of {}",
            cipher.title,
            fitting.join(", ")
        ),
    };
    let caption = "Values that are needed at each statement or later, in the order of the kernel; bodies of loops stand once, \
        with the number of iterations above. What is above the line of the registers has to be kept in memory, or loaded \
        again; constants and parameters count from their load on. Spills are those of one run, counted in the object code."
        .to_string();
    let spills = |kernel: &KernelFacts| cipher.row_of(kernel).map(|row| row.code.spills);
    Figure {
        name: format!("{}-pressure-{}", cipher.name, slicing.to_lowercase()),
        drawing: pressure::draw(kernels, spills, &title),
        title,
        caption,
        table: pressure::table(cipher, slicing),
        wide: false,
    }
}

fn mix_of(cipher: &Cipher) -> Option<Figure> {
    let widest = cipher.kernels.last()?;
    let most = (0..CLASSES.len()).max_by_key(|k| widest.mix.counts[*k])?;
    let share = 100.0 * widest.mix.counts[most] as f64 / widest.mix.total().max(1) as f64;
    let title = format!(
        "{}: of the operations of {} on {}, {share:.0} per cent are of the class {}",
        cipher.title, widest.slicing, widest.target, CLASSES[most]
    );
    let caption = "Operations that one run of the kernel executes, on values of a register each. An operation can be several \
        instructions where the target has none for it, such as rotations before AVX-512."
        .to_string();
    let (drawing, table) = (mix::draw(cipher, &title), mix::table(cipher));
    Some(Figure {
        name: format!("{}-mix", cipher.name),
        title,
        caption,
        drawing,
        table,
        wide: false,
    })
}

fn layout_of(cipher: &Cipher, placement: &layout::Placement) -> Figure {
    let slicing = placement.direction.to_string();
    let how = match placement.direction {
        Direction::B => "every bit in a register of its own",
        Direction::V => "every word in one element of a register",
        Direction::H => "every word spread over the elements of a register",
        Direction::P => "the words of a row side by side",
    };
    let title = format!("{}, {slicing} on {}: {how}", cipher.title, placement.target);
    let caption = "Equal colours are equal atoms. Bits of registers are numbered as in memory: bit k is bit k mod 8 of byte k ÷ 8; \
        bits of words from the least significant, 0."
        .to_string();
    Figure {
        name: format!("{}-layout-{}", cipher.name, slicing.to_lowercase()),
        drawing: layout::draw(placement, &title),
        title,
        caption,
        table: layout::table(placement),
        wide: true,
    }
}

/// A name of the source as a part of a file's name.
fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    name.chars().map(plain).collect()
}

fn circuit_of(cipher: &Cipher, named: &circuit::Named) -> Figure {
    let circuit = &named.circuit;
    let title = format!(
        "{}, {}: {} gates, depth {}",
        cipher.title,
        named.name,
        circuit.size(),
        circuit.depth()
    );
    let caption = format!(
        "{} x0 and y0 are the most significant bits of the table's index and entry. Dots join wires; wires that cross without one \
         are not connected. A small ring inverts.",
        named.origin
    );
    Figure {
        name: format!("{}-circuit-{}", cipher.name, file_name(&named.name)),
        drawing: circuit::draw(circuit, &title),
        title,
        caption,
        table: circuit::table(circuit),
        wide: true,
    }
}

/// All figures of a report, each file's name once.
pub fn all(report: &Report) -> Vec<Figure> {
    let mut figures: Vec<Figure> = overview(report).into_iter().collect();
    for cipher in &report.ciphers {
        figures.extend(timed_figures(cipher));
        figures.extend(static_figures(cipher));
    }
    figures
}

/// What a cipher's figures are about, in one line.
pub fn summary(cipher: &Cipher) -> String {
    let best = cipher.rows.iter().min_by(|a, b| a.kernel.median.total_cmp(&b.kernel.median));
    match best {
        Some(row) => format!(
            "{} core cycles per byte ({}, {}); {} blocks at once",
            figure(row.kernel.median),
            row.slicing,
            row.target,
            count(u64::from(row.blocks))
        ),
        None => String::new(),
    }
}
