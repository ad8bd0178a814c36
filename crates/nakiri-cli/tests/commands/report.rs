//! `nakiri report`: the page as a browser sets it, the figures as files, and what is refused.

use super::*;
use nakiri_bench::results::Results;
use std::collections::BTreeSet;

const SCRIPT: &str = include_str!("report.js");

/// A page in headless Chromium; without it nothing is known of how a page looks.
struct Browser<'a> {
    folder: &'a Folder,
    page: String,
}

impl Browser<'_> {
    /// Runs Chromium with these flags; none if it isn't installed.
    fn run(&self, flags: &[&str]) -> Option<Vec<u8>> {
        let profile = format!("--user-data-dir={}", self.folder.path("profile"));
        let common = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", &profile];
        let done = Command::new("chromium").args(common).args(flags).arg(&self.page).output();
        match done {
            Ok(done) => {
                assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
                Some(done.stdout)
            }
            Err(error) => {
                let name = "not run: chromium, which shows pages: apt-get install chromium";
                assert!(std::env::var("CI").is_err(), "{name}: {error}");
                println!("{name}");
                None
            }
        }
    }

    /// What the script finds wrong with the page in a window of this width, light or dark.
    fn problems(&self, width: u32, dark: bool) -> Vec<String> {
        let size = format!("--window-size={width},900");
        let scheme = format!("--blink-settings=preferredColorScheme={}", u8::from(!dark));
        let Some(dom) = self.run(&[&size, &scheme, "--dump-dom"]) else { return Vec::new() };
        let dom = String::from_utf8(dom).expect("UTF-8");
        let (_, found) = dom.rsplit_once("<pre id=\"found\">").expect("the script has run");
        let (found, _) = found.split_once("</pre>").expect("an end");
        found.lines().filter(|line| !line.is_empty()).map(str::to_string).collect()
    }
}

/// A page with the script that looks at it.
fn watched<'a>(folder: &'a Folder, name: &str, html: &str) -> Browser<'a> {
    let page = html.replace("</body>", &format!("<script>{SCRIPT}</script></body>"));
    Browser { folder, page: folder.write(name, page) }
}

fn assert_legible(folder: &Folder, html: &str) {
    let browser = watched(folder, "watched.html", html);
    for (width, dark) in [(1280, false), (1280, true), (500, false)] {
        let problems = browser.problems(width, dark);
        assert!(problems.is_empty(), "{width} pixels, dark {dark}:\n{}", problems.join("\n"));
    }
    let pdf = folder.path("page.pdf");
    if browser.run(&[&format!("--print-to-pdf={pdf}")]).is_some() {
        assert!(std::fs::read(pdf).expect("it is written").starts_with(b"%PDF"));
        let large = html.replace("text{font:13px", "text{font:40px");
        let problems = watched(folder, "large.html", &large).problems(1280, false).join("\n");
        assert!(problems.contains("is cut") && problems.contains("lies on"), "{problems}");
    }
}

#[test]
fn pages_are_legible_in_a_browser() {
    let folder = Folder::new("report-page");
    let (cache, measured) = (folder.path("cache"), folder.path("results.json"));
    let what = ["bench", "rectangle", "--target", "gp64,ssse3", "--cflags=-O1", "--samples", "3"];
    let done = nakiri(&[&what[..], &["--cache", &cache, "--json", "-o", &measured]].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    let page = folder.path("page.html");
    let what = ["report", "rectangle", "speck128", "--target", "gp64,ssse3"];
    let done = nakiri(&[&what[..], &["--results", &measured, "-o", &page]].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    let html = std::fs::read_to_string(page).expect("it is written");
    assert!(html.contains("speck128 was not measured"), "a gap is said");
    let results: Results =
        serde_json::from_str(&std::fs::read_to_string(&measured).expect("read")).expect("JSON");
    assert!(html.contains(&results.date), "the date of the figures is said");
    for elsewhere in ["http://", "https://", "@import", "<script", "<link", "url("] {
        let text = html.replace("http://www.w3.org/2000/svg", "");
        assert!(!text.contains(elsewhere), "the page asks for {elsewhere}");
    }
    assert_legible(&folder, &html);
}

#[test]
fn figures_are_files_of_their_own() {
    let folder = Folder::new("report-figures");
    let figures = folder.path("figures/of/rectangle");
    let what = ["report", "rectangle", "--target", "gp64,ssse3", "--no-measure"];
    let done = nakiri(&[&what[..], &["--figures", &figures]].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    let entries = std::fs::read_dir(&figures).expect("the folder is made");
    let mut names = BTreeSet::new();
    for entry in entries {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("it is text");
        let document = roxmltree::Document::parse(&text).expect("it is XML");
        assert!(document.root_element().has_tag_name("svg"));
        assert!(!text.contains("var(--"), "it needs no page");
        names.insert(path.file_name().expect("a name").to_string_lossy().into_owned());
    }
    let known = [
        "rectangle-circuit-subcolumn.svg",
        "rectangle-layout-b.svg",
        "rectangle-layout-h.svg",
        "rectangle-layout-v.svg",
        "rectangle-mix.svg",
        "rectangle-pressure-b.svg",
    ];
    assert!(known.iter().all(|name| names.contains(*name)), "{names:?}");
    let again = nakiri(&[&what[..], &["--figures", &figures]].concat());
    assert_eq!(again.code, 0);
    let count = std::fs::read_dir(&figures).expect("the folder").count();
    assert_eq!(count, names.len(), "the same files again");
}

#[test]
fn what_is_no_report_is_refused() {
    let folder = Folder::new("report-refused");
    let page = folder.path("page.html");
    let odd = folder.write("odd.json", "{\"rows\": 3}");
    let missing = folder.path("none.json");
    let refused = |args: &[&str], code: i32, says: &str| {
        let done = nakiri(&[&["report"], args].concat());
        assert_eq!((done.code, done.err.contains(says)), (code, true), "{args:?}: {}", done.err);
    };
    refused(&["rectangle", "--results", &odd, "-o", &page], 1, "nakiri bench --json");
    refused(&["rectangle", "--results", &missing, "-o", &page], 2, "none.json");
    refused(&["nothing", "--no-measure", "-o", &page], 2, "no cipher `nothing`");
    refused(&["rectangle", "--no-measure", "-o", &format!("{odd}/page.html")], 2, "can't make");
    refused(&["rectangle", "--no-measure", "--figures", &odd], 2, "can't make");
    refused(&["--no-measure", "--results", &odd], 2, "cannot be used with");
    assert!(!Path::new(&page).exists(), "nothing is half written");
}
