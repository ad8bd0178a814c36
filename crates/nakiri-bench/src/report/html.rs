//! The page: one file without anything from elsewhere.

use super::svg::escape;
use super::{figures, theme, Cipher, Figure, Report, Table};
use std::fmt::Write;

/// Beyond so many circuits of a cipher the others are folded.
const UNFOLDED: usize = 2;
/// Tables of at most so many rows are shown at once.
const SHORT: usize = 6;

/// The page of a report.
pub fn page(report: &Report) -> String {
    let mut body = head(report);
    if let Some(figure) = figures::overview(report) {
        let _ = writeln!(
            body,
            "<section id=\"all\">\n<h2>All ciphers</h2>\n<div class=\"figures\">\n{}</div>\n</section>",
            element(&figure)
        );
    }
    for cipher in &report.ciphers {
        body += &section(cipher);
    }
    let title = match report.ciphers.as_slice() {
        [one] => format!("{}: sliced, measured and drawn", one.title),
        _ => "Ciphers, sliced: how fast, how near the limit, and why".to_string(),
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"generator\" content=\"nakiri {}\"/>\n<title>{title}</title>\n\
         <style>\nbody{{font-family:{}}}\n{}{}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n{body}</body>\n</html>\n",
        escape(&report.version),
        theme::FONT,
        theme::page(),
        include_str!("style.css"),
        title = escape(&title),
    )
}

fn head(report: &Report) -> String {
    let mut facts = Vec::new();
    if let Some(measured) = &report.measured {
        let host = &measured.host;
        let model =
            host.model.as_ref().map_or("no machine model".to_string(), |m| format!("model {m}"));
        facts.push(("Measured on", format!("{} ({model})", host.cpu)));
        facts.push(("when", measured.dates.join(", ")));
        facts.push(("by", format!("nakiri {}", measured.version)));
        facts.push((
            "clock",
            format!("{:.3} core cycles per cycle of the time-stamp counter", host.core_per_tick),
        ));
    }
    facts.push(("Drawn", format!("{} by nakiri {}", report.date, report.version)));
    let mut text = list(&facts);
    let _ = writeln!(text, "<p><code>{}</code></p>", escape(&report.command));
    if report.measured.is_none() {
        text += "<p>Nothing was measured: these figures show what the compiler knows.</p>\n";
    }
    text += "</header>\n";
    text += &notes(report);
    if report.ciphers.len() > 1 {
        let link = |cipher: &Cipher| {
            let line = figures::summary(cipher);
            let (name, title) = (escape(&cipher.name), escape(&cipher.title));
            format!("<li><a href=\"#{name}\" title=\"{}\">{title}</a></li>\n", escape(&line))
        };
        let links: String = report.ciphers.iter().map(link).collect();
        let _ = writeln!(text, "<nav aria-label=\"Ciphers\"><ul>\n{links}</ul></nav>");
    }
    text
}

fn list<K: AsRef<str>>(facts: &[(K, String)]) -> String {
    let item = |(name, value): &(K, String)| {
        format!("<dt>{}</dt><dd>{}</dd>\n", escape(name.as_ref()), escape(value))
    };
    format!("<dl class=\"facts\">\n{}</dl>\n", facts.iter().map(item).collect::<String>())
}

/// What limits the figures and what is missing: nothing of it is hidden.
fn notes(report: &Report) -> String {
    let warnings = report.warnings.iter().map(|warning| escape(warning));
    let skipped = report.skipped.iter().map(|s| {
        format!(
            "Not measured: {}, because {}",
            escape(&s.what),
            escape(s.why.trim_end_matches('.'))
        )
    });
    let items: String = warnings.chain(skipped).map(|note| format!("<li>{note}</li>\n")).collect();
    match items.is_empty() {
        true => String::new(),
        false => format!("<div class=\"notes\" role=\"note\"><strong>To be known</strong>\n<ul>\n{items}</ul></div>\n"),
    }
}

fn section(cipher: &Cipher) -> String {
    let mut text = format!(
        "<section id=\"{}\">\n<h2>{}</h2>\n<p class=\"soft\">{}</p>\n{}",
        escape(&cipher.name),
        escape(&cipher.title),
        escape(&cipher.specification),
        list(&cipher.facts)
    );
    let timed = figures::timed_figures(cipher);
    let own = figures::static_figures(cipher);
    let folded = cipher.circuits.len().saturating_sub(UNFOLDED);
    let (shown, more) = own.split_at(own.len() - folded);
    let elements = |figures: &[Figure]| figures.iter().map(element).collect::<String>();
    let _ =
        writeln!(text, "<div class=\"figures\">\n{}{}</div>", elements(&timed), elements(shown));
    if folded > 0 {
        let _ = writeln!(
            text,
            "<details><summary>{folded} more circuits</summary>\n<div class=\"figures\">\n{}</div></details>",
            elements(more)
        );
    }
    if cipher.circuits.is_empty() {
        text += "<p class=\"soft\">It has no look-up table, so no circuit is drawn.</p>\n";
    }
    text + "</section>\n"
}

fn element(figure: &Figure) -> String {
    let title = escape(&figure.title);
    let class = if figure.wide { " class=\"wide\"" } else { "" };
    format!(
        "<figure id=\"{}\"{class}>\n<h3>{title}</h3>\n<div class=\"drawing\" tabindex=\"0\" role=\"group\" aria-label=\"{title}\">\n{}</div>\n\
         <figcaption>{}</figcaption>\n{}</figure>\n",
        escape(&figure.name),
        figure.drawing.inline(),
        escape(figure.caption.trim()),
        table(&figure.table, &figure.title)
    )
}

fn table(table: &Table, title: &str) -> String {
    if table.rows.is_empty() {
        return String::new();
    }
    let class = |column: usize| match table.columns.get(column) {
        Some((_, true)) => " class=\"number\"",
        _ => "",
    };
    let heads = table.columns.iter().enumerate();
    let heads: String = heads
        .map(|(k, (name, _))| format!("<th scope=\"col\"{}>{}</th>", class(k), escape(name)))
        .collect();
    let mut rows = String::new();
    for row in &table.rows {
        let cells = row.iter().enumerate();
        let cells: String =
            cells.map(|(k, cell)| format!("<td{}>{}</td>", class(k), escape(cell))).collect();
        let _ = writeln!(rows, "<tr>{cells}</tr>");
    }
    let open =
        if table.rows.len() <= SHORT && table.columns.len() <= SHORT { " open=\"\"" } else { "" };
    format!(
        "<details{open}><summary>Numbers</summary>\n<div class=\"table\" tabindex=\"0\" role=\"group\" aria-label=\"Numbers: {0}\">\n\
         <table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div></details>\n",
        escape(title)
    )
}
