//! What `bench`, `tune` and `bound` work on: instances of ciphers, each compiled alone in one configuration.

use crate::choice::{self, TargetChoice};
use crate::circuits;
use crate::library::{self, Settings};
use crate::manifest::{Instance, Manifest};
use crate::program::Input;
use crate::session::{Failure, Session};
use crate::shelves;
use crate::vectors;
use nakiri::check::{self, Checked};
use nakiri::compile::{Kernel, Options};
use nakiri::core::Direction;
use nakiri::cost::{self, Decision};
use nakiri::diagnostic::Diagnostic;
use nakiri::emit::c;
use nakiri::isa::Target;
use std::path::{Path, PathBuf};

/// A cipher's folder, read, checked, and found to compute its vectors.
pub struct Cipher {
    /// Its name, which is its folder's.
    pub name: String,
    /// The run that read it.
    pub session: Session,
    /// The program of its source.
    pub checked: Checked,
    /// The folder and its manifest.
    pub input: Input,
    /// How many vectors it computes.
    pub agreed: vectors::Agreed,
}

/// An instance compiled in one configuration.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The kernel of its first function.
    pub kernel: Kernel,
    /// The C of its library with entry points for measuring.
    pub source: String,
    /// Some key, which is none of DES's weak ones: libraries that it is compared with refuse them.
    pub key: Vec<u8>,
    /// A first counter block; empty if it has no counter mode.
    pub counter: Vec<u8>,
    /// Where the counter lies in it, if it has a counter mode.
    pub counter_place: Option<c::Counter>,
}

/// The folders that names on the command line mean: paths, names below `ciphers`, or `all`, which is those whose functions are
/// on blocks.
///
/// # Errors
/// [`Failure::Usage`] for a name that means none.
pub fn folders(names: &[String]) -> Result<Vec<PathBuf>, Failure> {
    find(names, &[shelves::CIPHERS], on_blocks)
}

/// The same of all that is shipped: names below `ciphers` and `modes`, each folder once.
///
/// # Errors
/// [`Failure::Usage`] for a name that means none.
pub fn primitives(names: &[String]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = find(names, &shelves::ALL, shelves::has_manifest)?;
    let mut seen = Vec::new();
    found.retain(|folder| {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        let new = !seen.contains(&real);
        seen.push(real);
        new
    });
    Ok(found)
}

/// Of names on the command line the folders of those that mean modes, and all others.
///
/// # Errors
/// Those of [`shelves::find`].
pub fn modes_and_others(names: &[String]) -> Result<(Vec<PathBuf>, Vec<String>), Failure> {
    let (mut modes, mut others) = (Vec::new(), Vec::new());
    for name in names {
        match named(Path::new(name), &shelves::ALL)?.filter(|folder| has_modes(folder)) {
            Some(folder) => modes.push(folder),
            None => others.push(name.clone()),
        }
    }
    Ok((modes, others))
}

/// The folder of a path, or of a name on shelves of these kinds, if there is one.
fn named(path: &Path, kinds: &[&str]) -> Result<Option<PathBuf>, Failure> {
    match shelves::has_manifest(path) {
        true => Ok(Some(path.to_path_buf())),
        false => shelves::find(path, kinds),
    }
}

fn find(
    names: &[String],
    kinds: &[&str],
    in_all: fn(&Path) -> bool,
) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for name in names {
        let path = Path::new(name);
        match named(path, kinds)? {
            Some(folder) => found.push(folder),
            None if name == "all" => {
                let all = shelves::all(kinds)?.into_iter().filter(|folder| in_all(folder));
                let before = found.len();
                found.extend(all);
                if found.len() == before {
                    let message = format!(
                        "there is no folder `{}` with ciphers here: call it where there is one, or name a cipher's \
                         folder",
                        kinds.join("` and `")
                    );
                    return Err(Failure::Usage(message));
                }
            }
            None => return Err(shelves::unknown(path, kinds)),
        }
    }
    Ok(found)
}

/// Whether a folder is a cipher's, and that of one whose functions are on blocks, as far as its manifest can be read.
fn on_blocks(folder: &Path) -> bool {
    let Some(manifest) = manifest(folder) else { return false };
    manifest.map_or(true, |manifest| manifest.instances.iter().all(is_on_blocks))
}

/// A folder's manifest, if there is one, as far as it can be read.
fn manifest(folder: &Path) -> Option<Result<Manifest, toml::de::Error>> {
    let text = std::fs::read_to_string(folder.join("cipher.toml")).ok()?;
    Some(toml::from_str(&text))
}

/// Whether a folder has modes, as far as its manifest can be read.
fn has_modes(folder: &Path) -> bool {
    let is_mode = |instance: &Instance| instance.mode.is_some();
    manifest(folder).is_some_and(|m| m.is_ok_and(|m| m.instances.iter().any(is_mode)))
}

fn is_on_blocks(instance: &Instance) -> bool {
    !instance.is_stepped() && instance.mode.is_none()
}

impl Cipher {
    /// Reads and checks a cipher's folder and runs its vectors through the interpreter.
    ///
    /// # Errors
    /// What is wrong with it, reported.
    pub fn open(folder: &Path, include: &[PathBuf]) -> Result<Cipher, Failure> {
        let mut session = Session::new(include);
        let input = Input::find(&mut session, folder)?;
        let checked = session.check(&input.source, &check::Options::default())?;
        let Some(read) = &input.folder else {
            return Err(Failure::Usage(format!("`{}` is no cipher's folder", folder.display())));
        };
        if let Some(instance) = read.manifest.instances.iter().find(|i| !is_on_blocks(i)) {
            let message = format!(
                "`{}` is {}; only functions on blocks can be measured, tuned and compared",
                instance.prefix.get_ref(),
                if instance.mode.is_some() { "a mode" } else { "stepped" }
            );
            return Err(Failure::Usage(message));
        }
        for instance in &read.manifest.instances {
            library::nodes(&session, read, &checked, instance)?;
        }
        let agreed = vectors::check(&session, read, &checked)?;
        let name = read.manifest.name.get_ref().clone();
        Ok(Cipher { name, session, checked, input, agreed })
    }

    /// The same, told of the circuits that `nakiri circuit` has found.
    #[must_use]
    pub fn told_of_circuits(mut self) -> Cipher {
        circuits::tell(&mut self.checked);
        self
    }

    /// Its title, for people.
    pub fn title(&self) -> &str {
        self.input.folder.as_ref().map_or("", |folder| &folder.manifest.title)
    }

    /// The document that defines it.
    pub fn specification(&self) -> &str {
        self.input.folder.as_ref().map_or("", |folder| &folder.manifest.specification)
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        self.input.folder.as_ref().map_or(Path::new(""), |folder| &folder.path)
    }

    /// The slicings that are legal for an instance on a target, that first which `build` takes on this CPU by default.
    ///
    /// # Errors
    /// [`Failure`] if the manifest does not fit the nodes.
    pub fn slicings(
        &self,
        instance: &Instance,
        target: &'static Target,
    ) -> Result<Vec<Direction>, Failure> {
        let Some(folder) = &self.input.folder else { return Ok(Vec::new()) };
        let nodes = vectors::nodes(&self.session, folder, &self.checked, instance)?;
        let settings = Settings {
            targets: vec![TargetChoice { here: true, ..TargetChoice::plain(target) }],
            direction: None,
            choices: Vec::new(),
        };
        let preferred = Some(folder.manifest.direction());
        let Ok(mut legal) = settings.legal(&[&nodes.forward], preferred) else {
            return Ok(Vec::new());
        };
        let mut legal = legal.remove(0);
        // What is measured is the target, not what may take its place.
        legal.retain(|options| options.target.name == target.name);
        let machine = choice::machine(None, target, true)?;
        let decided = cost::choose_slicing(&nodes.forward, &legal, &machine)
            .map_err(|diagnostics| self.session.refuse(&diagnostics))?;
        let mut slicings: Vec<Direction> = legal.iter().map(|options| options.direction).collect();
        slicings.sort_by_key(|direction| *direction != decided.options.direction);
        Ok(slicings)
    }

    /// Whether a target is of use for an instance in a slicing, beside the one without its optional features, if it has any.
    pub fn is_served(&self, instance: &Instance, target: &Target, direction: Direction) -> bool {
        let Some(folder) = &self.input.folder else {
            return target.serves_in(direction, &self.checked.program);
        };
        let nodes = vectors::nodes(&self.session, folder, &self.checked, instance);
        nodes.is_ok_and(|nodes| target.serves_in(direction, &nodes.forward))
    }

    /// Its instances.
    pub fn instances(&self) -> &[Instance] {
        self.input.folder.as_ref().map_or(&[], |folder| &folder.manifest.instances)
    }

    /// Its instances without those whose first function is the same as an earlier one's, which differ in the key
    /// schedule alone.
    pub fn distinct_instances(&self) -> Vec<&Instance> {
        let mut distinct: Vec<&Instance> = Vec::new();
        for instance in self.instances() {
            if !distinct.iter().any(|known| forward(known) == forward(instance)) {
                distinct.push(instance);
            }
        }
        distinct
    }

    /// The lines of its source that are neither blank nor comments.
    pub fn source_lines(&self) -> u32 {
        let files = self.session.sources.files().iter();
        let own = files.filter(|file| file.path.ends_with(".ua"));
        let code = |line: &&str| {
            let line = line.trim();
            !line.is_empty() && !line.starts_with("//")
        };
        own.map(|file| file.text.lines().filter(code).count() as u32).sum()
    }

    /// What the options leave open for an instance's first function, chosen for this CPU, or for that which the target names if
    /// it is not to be `here`.
    ///
    /// # Errors
    /// Those of [`Cipher::compile`].
    pub fn decide(
        &self,
        instance: &Instance,
        options: &Options,
        here: bool,
    ) -> Result<Result<Decision, Vec<Diagnostic>>, Failure> {
        let Some(folder) = &self.input.folder else { return Ok(Err(Vec::new())) };
        let machine = choice::machine(None, options.target, here)?;
        let nodes = vectors::nodes(&self.session, folder, &self.checked, instance)?;
        Ok(cost::choose(&nodes.forward, options, &machine))
    }

    /// The options with what takes short messages chosen, too, for this CPU.
    ///
    /// # Errors
    /// Those of [`Cipher::compile`].
    pub fn with_short(&self, instance: &Instance, options: Options) -> Result<Options, Failure> {
        let (Some(folder), None) = (&self.input.folder, options.short) else { return Ok(options) };
        let machine = choice::machine(None, options.target, true)?;
        let nodes = vectors::nodes(&self.session, folder, &self.checked, instance)?;
        let lengths = cost::short(&[&nodes.forward], &options, &machine);
        Ok(Options { short: lengths.map(|lengths| lengths.short), ..options })
    }

    /// Compiles an instance's first function, with everything around it.
    ///
    /// # Errors
    /// [`Failure`] if the manifest does not fit the nodes; the inner error is why this configuration is not legal.
    pub fn compile(
        &self,
        instance: &Instance,
        options: &Options,
    ) -> Result<Result<Compiled, Vec<Diagnostic>>, Failure> {
        self.compile_part(instance, options, |parts| parts)
    }

    /// The same without its modes, where all that matters is the kernel: what stands around it changes nothing then.
    ///
    /// # Errors
    /// Those of [`Cipher::compile`].
    pub fn compile_without_modes(
        &self,
        instance: &Instance,
        options: &Options,
    ) -> Result<Result<Compiled, Vec<Diagnostic>>, Failure> {
        let alone =
            |parts| c::Instance { ecb: false, counter: None, counter_vectors: Vec::new(), ..parts };
        self.compile_part(instance, options, alone)
    }

    fn compile_part(
        &self,
        instance: &Instance,
        options: &Options,
        part: impl FnOnce(c::Instance) -> c::Instance,
    ) -> Result<Result<Compiled, Vec<Diagnostic>>, Failure> {
        let Some(folder) = &self.input.folder else { return Ok(Err(Vec::new())) };
        let target = TargetChoice {
            direction: Some(options.direction),
            choices: options.choices(),
            here: true,
            ..TargetChoice::plain(options.target)
        };
        let settings = Settings { targets: vec![target], direction: None, choices: Vec::new() };
        let alone = Instance { decrypt: None, ..instance.clone() };
        let parts = library::try_instance(&self.session, folder, &self.checked, &alone, &settings)?;
        match parts {
            Ok(parts) => self.probed(instance, part(parts)).map(Ok),
            Err(diagnostics) => Ok(Err(diagnostics)),
        }
    }

    fn probed(&self, instance: &Instance, parts: c::Instance) -> Result<Compiled, Failure> {
        let kernel = parts.functions[0].variants[0].clone();
        let vector = parts.vectors.first();
        let key_bytes = parts.key.as_ref().map_or(0, |key| key.bytes);
        let key = (0..key_bytes).map(|k| (37 * k + 27) as u8).collect();
        let block = vector.map_or(0, |vector| vector.input.len());
        let counter_place = parts.counter;
        let counter = vec![0; if parts.counter.is_some() { block } else { 0 }];
        let library = c::Library {
            name: self.name.clone(),
            title: self.title().to_string(),
            specification: String::new(),
            command_line: format!("{} of {}", instance.prefix.get_ref(), self.name),
            version: env!("CARGO_PKG_VERSION").to_string(),
            source_hash: String::new(),
            evidence: Vec::new(),
            instances: vec![parts],
        };
        let source = c::probed(&library).map_err(|error| Failure::Wrong(error.to_string()))?;
        Ok(Compiled { kernel, source, key, counter, counter_place })
    }
}

/// The node of an instance's first function.
fn forward(instance: &Instance) -> Option<&str> {
    instance.forward().map(|node| node.get_ref().as_str())
}
