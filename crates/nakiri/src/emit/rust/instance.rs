//! The file of one instance: its type with an expanded key, or its functions if it has none, and its modes.

use super::keys::{self, Plan};
use super::message::Messages;
use super::module::{arguments, joined, parameters, Blocks, Parts};
use super::stream::{self, CounterBlocks};
use super::syntax::{attribute, condition};
use super::{camel_case, names, tests, Modules};
use crate::compile::Kernel;
use crate::emit::check::{self, is_stepped, one_to_one};
use crate::emit::library::{Function, Instance, Library, Parallel, Stretch};
use crate::emit::{facts, identifier};
use crate::isa::{self, Target};
use std::fmt::Write;

/// An instance whose parts fit together.
pub struct Api<'a> {
    /// The instance.
    pub instance: &'a Instance,
    /// How the names of its functions begin.
    pub stem: String,
    /// Its module.
    pub module: String,
    /// Its type.
    pub name: String,
    library: &'a Library,
    /// For each function the functions of each variant.
    parts: Vec<Vec<Parts>>,
    /// For each function of a stretch those of each variant that has one.
    stretches: Vec<Vec<Option<Parts>>>,
    /// For each function of a parallel part those of each variant that has one.
    parallels: Vec<Vec<Option<Parts>>>,
    /// For each parallel part the statement that makes images of what is the same for all blocks, if there is one.
    images: Vec<Option<String>>,
    /// The function that adds the key stream of each variant, if there is a counter.
    streams: Vec<String>,
    /// The functions that these call in its module.
    counter_blocks: CounterBlocks,
    key: Option<Plan>,
    /// The mode whose pieces the functions are.
    messages: Option<Messages<'a>>,
}

impl<'a> Api<'a> {
    /// Checks an instance, and prints the functions on blocks that it needs into the modules of its targets.
    ///
    /// # Errors
    /// What doesn't fit together, or can't be written in Rust.
    pub fn new(
        library: &'a Library,
        instance: &'a Instance,
        modules: &mut Modules,
    ) -> Result<Api<'a>, String> {
        check::instance(instance)?;
        if is_stepped(instance, &instance.functions[0]) {
            return Err("a step function can't be written in Rust; use --emit c".to_string());
        }
        if instance.counter.is_some() && instance.key.is_none() {
            return Err("CTR needs a key in Rust".to_string());
        }
        let stem = identifier(&instance.prefix).to_lowercase();
        let module = names::module(&stem);
        let mut parts: Vec<Vec<Parts>> = vec![];
        for function in &instance.functions {
            let name = joined(&stem, &function.name);
            let of_variant = |kernel: &Kernel| {
                modules.of(kernel.target).blocks(&name, kernel, form(instance, kernel))
            };
            parts.push(function.variants.iter().map(of_variant).collect::<Result<_, _>>()?);
        }
        let mut of_variants = |name: &str, variants: &[Option<Kernel>]| {
            let name = joined(&stem, name);
            let of_variant = |kernel: &Option<Kernel>| {
                let own = |kernel: &Kernel| {
                    modules.of(kernel.target).blocks(&name, kernel, Blocks::Slices)
                };
                kernel.as_ref().map(own).transpose()
            };
            variants.iter().map(of_variant).collect::<Result<Vec<_>, _>>()
        };
        let (mut stretches, mut parallels) = (vec![], vec![]);
        for (name, variants) in instance.all_stretches().flat_map(Stretch::functions) {
            stretches.push(of_variants(&name, variants)?);
        }
        for (name, variants) in instance.parallels.iter().flat_map(Parallel::functions) {
            parallels.push(of_variants(&name, variants)?);
        }
        let images = instance.parallels.iter().map(|own| {
            let images = own.images()?;
            Ok(images.map(|part| keys::images(&part, &own.images_name(), modules)))
        });
        let images = images.collect::<Result<_, String>>()?;
        let (mut streams, mut counter_blocks) = (vec![], CounterBlocks::of(&module));
        if let Some(counter) = &instance.counter {
            for (kernel, parts) in instance.functions[0].variants.iter().zip(&parts[0]) {
                let target = modules.of(kernel.target);
                streams.push(stream::stream(target, counter, kernel, parts, &mut counter_blocks)?);
            }
        }
        if let Some(key) = &instance.key {
            keys::check(key)?;
        }
        let key =
            instance.key.as_ref().map(|key| keys::plan(instance, key, modules)).transpose()?;
        let name = camel_case(&stem);
        let messages = Messages::of(instance)?;
        Ok(Api {
            instance,
            stem,
            module,
            name,
            library,
            parts,
            stretches,
            parallels,
            images,
            streams,
            counter_blocks,
            key,
            messages,
        })
    }

    /// The mode whose pieces its functions are.
    pub fn messages(&self) -> Option<&Messages<'a>> {
        self.messages.as_ref()
    }

    /// The names that its module makes public.
    pub fn exports(&self) -> Vec<String> {
        let functions = self.instance.functions.iter();
        if let Some(messages) = &self.messages {
            return messages.exports(self);
        }
        match (&self.key, &self.instance.counter) {
            (Some(_), Some(_)) => vec![self.name.clone(), format!("{}Ctr", self.name)],
            (Some(_), None) => vec![self.name.clone()],
            _ => functions.map(|function| joined(&self.stem, &function.name)).collect(),
        }
    }

    /// The file.
    ///
    /// # Errors
    /// If a vector doesn't fit its function.
    pub fn text(&self) -> Result<String, String> {
        let mut text = format!("//! {}.\n\n", facts::line(&self.library.title));
        let mut body = String::new();
        match &self.key {
            Some(plan) => {
                body.push_str(&self.key_type(plan));
            }
            None => {
                for (function, parts) in self.instance.functions.iter().zip(&self.parts) {
                    body.push_str(&self.plain_function(function, parts));
                }
            }
        }
        let messages = self.messages.as_ref().map_or(String::new(), |own| own.text(self));
        let stretches = self.instance.stretches.iter();
        stretches.for_each(|stretch| body.push_str(&self.taken(stretch, &messages)));
        let functions = self.instance.all_stretches().flat_map(Stretch::functions);
        for ((name, variants), parts) in functions.zip(&self.stretches) {
            body.push_str(&self.stretch(name, variants, parts));
        }
        for own in &self.instance.parallels {
            let about = "How many blocks of a text alone a variant takes side by side";
            body.push_str(&self.number(&format!("{}_blocks", own.name()), about, &own.taken()));
            body.push('\n');
        }
        let functions = self.instance.parallels.iter().flat_map(Parallel::functions);
        for ((name, variants), parts) in functions.zip(&self.parallels) {
            if let Some(kernel) = variants.iter().flatten().next() {
                let more = (kernel, "constants: &[u8], ");
                body.push_str(&self.some(&name, more, "constants", parts));
            }
        }
        for (own, statement) in self.instance.parallels.iter().zip(&self.images) {
            let names = statement.as_ref().map(|statement| (own.images_name(), statement));
            body.extend(names.map(|(name, statement)| {
                IMAGES.replace("$name", &name).replace("$statement", statement)
            }));
        }
        body.push_str(&messages);
        if let Some(counter) = &self.instance.counter {
            body.push_str(&self.ctr(counter.bytes, counter.offset));
            body.push_str(&self.counter_blocks.text(counter, self.block()));
        }
        let imports = [
            ("part(", "use crate::memory::part;\n"),
            ("part_mut(", "use crate::memory::part_mut;\n"),
            ("Variant::", "use crate::Variant;\n"),
            ("ArraySize", "use cipher::array::ArraySize;\n"),
            ("Array<", "use cipher::array::Array;\n"),
            ("PhantomData", "use core::marker::PhantomData;\n"),
            ("consts::", "use cipher::consts;\n"),
        ];
        let mut targets: Vec<&Target> = self.variants().map(|kernel| kernel.target).collect();
        let of_keys = self.key.iter().flat_map(|plan| plan.targets.iter().copied());
        for own in of_keys.chain([isa::everywhere()]) {
            if targets.iter().all(|target| target.name != own.name) {
                targets.push(own);
            }
        }
        for target in targets {
            let module = identifier(target.name);
            let condition = condition(target).map_or(String::new(), |c| c + "\n");
            if body.contains(&format!("{module}::")) {
                let _ = writeln!(text, "{condition}use crate::{module};");
            }
        }
        for (word, line) in imports {
            if body.contains(word) {
                text.push_str(line);
            }
        }
        text.push_str(&self.trait_imports(&body));
        let traits = self.messages.as_ref().map_or(String::new(), |own| own.trait_text(self));
        let tests = tests::text(self)?;
        Ok(format!("{text}\n{}\n{traits}\n{tests}", body.trim_end()))
    }

    /// The variants, each with the kernel of its first function.
    pub fn variants(&self) -> impl Iterator<Item = &'a Kernel> {
        self.instance.functions[0].variants.iter()
    }

    /// The size of a block of the first function's parameter.
    pub fn block(&self) -> usize {
        one_to_one(&self.instance.functions[0]).map_or(0, |(from, _)| from)
    }

    fn trait_imports(&self, body: &str) -> String {
        let names = [
            "BlockCipherDecBackend",
            "BlockCipherDecClosure",
            "BlockCipherDecrypt",
            "BlockCipherEncBackend",
            "BlockCipherEncClosure",
            "BlockCipherEncrypt",
            "BlockSizeUser",
            "InOut",
            "InOutBuf",
            "Iv",
            "IvSizeUser",
            "Key",
            "KeyInit",
            "KeyIvInit",
            "KeySizeUser",
            "OverflowError",
            "ParBlocks",
            "ParBlocksSizeUser",
            "SeekNum",
            "StreamCipher",
            "StreamCipherError",
            "StreamCipherSeek",
        ];
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let words: std::collections::BTreeSet<&str> = body.split(|c| !word(c)).collect();
        let used: Vec<&str> = names.into_iter().filter(|name| words.contains(name)).collect();
        if used.is_empty() {
            return String::new();
        }
        format!("use cipher::{{{}}};\n", used.join(", "))
    }

    /// The arms of a `match` on the variant, each of which calls a function of its module.
    fn arms(&self, depth: usize, call: impl Fn(usize) -> String) -> String {
        self.arms_of(depth, |k| Some(call(k)))
    }

    /// The same, but for those without a function.
    fn arms_of(&self, depth: usize, call: impl Fn(usize) -> Option<String>) -> String {
        let indent = "    ".repeat(depth);
        let mut text = String::new();
        for (k, kernel) in self.variants().enumerate() {
            let name = camel_case(kernel.target.name);
            let Some(call) = call(k) else { continue };
            let call = format!("{}::{call}", identifier(kernel.target.name));
            match condition(kernel.target) {
                Some(condition) if !attribute(kernel.target).is_empty() => {
                    let _ = write!(
                        text,
                        "{indent}{condition}\n{indent}// SAFETY: the CPU has the features of its variant.\n\
                         {indent}Variant::{name} => unsafe {{ {call} }},\n"
                    );
                }
                condition => {
                    let condition = condition.map_or(String::new(), |c| format!("{indent}{c}\n"));
                    let _ = writeln!(text, "{condition}{indent}Variant::{name} => {call},");
                }
            }
        }
        text
    }

    /// A function that tells a number of each variant.
    pub fn number(&self, name: &str, about: &str, numbers: &[usize]) -> String {
        let arms = self.values(|k| match numbers[k] {
            usize::MAX => "usize::MAX".to_string(),
            number => number.to_string(),
        });
        format!("/// {about}.\nfn {name}(variant: Variant) -> usize {{\n    match variant {{\n{arms}    }}\n}}\n")
    }

    /// For each variant the first of some others that runs, in the arms of a `match`.
    pub fn cheaper(&self, orders: &[Vec<usize>]) -> String {
        let names: Vec<String> = self.variants().map(|k| camel_case(k.target.name)).collect();
        self.values(|k| {
            let order = orders[k].iter().rev().map(|&v| format!("Variant::{}", names[v]));
            let either = |rest, own| format!("if runs({own}) {{ {own} }} else {{ {rest} }}");
            order.reduce(either).unwrap_or_default()
        })
    }

    /// For each variant a value, likewise.
    fn values(&self, value: impl Fn(usize) -> String) -> String {
        let mut text = String::new();
        for (k, kernel) in self.variants().enumerate() {
            if let Some(condition) = condition(kernel.target) {
                let _ = writeln!(text, "        {condition}");
            }
            let name = camel_case(kernel.target.name);
            let _ = writeln!(text, "        Variant::{name} => {},", value(k));
        }
        text
    }

    /// Fills in what is the same in all pieces of the file.
    pub fn fill(&self, text: &str, more: &[(&str, &str)]) -> String {
        let key = self.instance.key.as_ref().map_or(String::new(), |key| key.bytes.to_string());
        let title = facts::line(&self.library.title);
        let common = [("$title", &*title), ("$T", &*self.name), ("$key", &*key)];
        let pairs = more.iter().chain(&common);
        pairs.fold(text.to_string(), |text, (name, value)| text.replace(name, value))
    }

    fn key_type(&self, plan: &Plan) -> String {
        let mut images = String::new();
        for (kernel, statements) in self.variants().zip(&plan.variants) {
            if let Some(condition) = condition(kernel.target) {
                let _ = writeln!(images, "            {condition}");
            }
            let name = camel_case(kernel.target.name);
            let _ = writeln!(images, "            Variant::{name} => {{");
            for line in statements.lines() {
                let _ = writeln!(images, "                {line}");
            }
            images.push_str("            }\n");
        }
        let size = plan.bytes.to_string();
        let more = [("$images", &*images), ("$size", &*size)];
        let erased = erased("$T", "zeroize::Zeroize::zeroize(&mut self.keys)");
        let mut text = self.fill(&[KEY_TYPE, &hidden("$T"), &erased].concat(), &more);
        let mut methods = String::new();
        let mut traits = String::new();
        for (function, parts) in self.instance.functions.iter().zip(&self.parts) {
            let kernel = &function.variants[0];
            let form = Blocks::of(kernel);
            let name = identifier(&function.name);
            let arms = self
                .arms(3, |k| format!("{}(&self.keys, {})", parts[k].name, arguments(kernel, form)));
            let parameters = parameters(kernel, form);
            let more = [("$F", &*name), ("$parameters", &*parameters), ("$arms", &*arms)];
            match form {
                Blocks::InOut(bytes) => match self.block_traits(function, bytes) {
                    Some(text) => {
                        methods.push_str(&self.fill(IN_OUT_METHOD, &more));
                        traits.push_str(&text);
                    }
                    None => methods.push_str(&self.fill(PUBLIC_METHOD, &more)),
                },
                Blocks::Slices => methods.push_str(&self.fill(SLICES_METHOD, &more)),
            }
        }
        if self.instance.counter.is_some() {
            let arms =
                self.arms(3, |k| format!("{}(&self.keys, counter, first, text)", self.streams[k]));
            let block = self.block().to_string();
            methods.push_str(&self.fill(STREAM_METHOD, &[("$arms", &arms), ("$block", &block)]));
        }
        let _ = writeln!(text, "impl {} {{\n{}}}\n", self.name, methods.trim_start_matches('\n'));
        text + &traits
    }

    /// The traits of a block cipher's way, which is named `encrypt` or `decrypt`.
    fn block_traits(&self, function: &Function, bytes: usize) -> Option<String> {
        let way = match function.name.as_str() {
            "encrypt" => [("$Crypt", "Encrypt"), ("$Enc", "Enc"), ("$crypt", "encrypt")],
            "decrypt" => [("$Crypt", "Decrypt"), ("$Enc", "Dec"), ("$crypt", "decrypt")],
            _ => return None,
        };
        let mut arms = String::new();
        for kernel in &function.variants {
            if let Some(condition) = condition(kernel.target) {
                let _ = writeln!(arms, "            {condition}");
            }
            let name = camel_case(kernel.target.name);
            let _ = writeln!(
                arms,
                "            Variant::{name} => f.call(&{}::<consts::U{}>(self, PhantomData)),",
                if way[1].1 == "Enc" { "Encryptor" } else { "Decryptor" },
                parallel(kernel.blocks())
            );
        }
        let block = bytes.to_string();
        let first = self.instance.functions[0].name == function.name;
        let sizes = if first { BLOCK_SIZE } else { "" };
        let backend = if way[1].1 == "Enc" { "Encryptor" } else { "Decryptor" };
        let more = [&way[..], &[("$arms", &*arms), ("$block", &*block), ("$Backend", backend)]];
        Some(self.fill(&format!("{sizes}{BLOCK_TRAITS}"), &more.concat()))
    }

    fn plain_function(&self, function: &Function, parts: &[Parts]) -> String {
        let kernel = &function.variants[0];
        let form = form(self.instance, kernel);
        let given = arguments(kernel, form);
        let arms = self.arms(2, |k| format!("{}(&[], {given})", parts[k].name));
        let name = match self.messages {
            Some(_) => function.name.clone(),
            None => joined(&self.stem, &function.name),
        };
        let more = [
            ("$name", name),
            ("$parameters", parameters(kernel, form)),
            ("$arguments", given),
            ("$arms", arms),
        ];
        let more: Vec<(&str, &str)> = more.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let public = match form {
            _ if self.messages.is_some() => "",
            Blocks::Slices => SLICES_FUNCTION,
            Blocks::InOut(_) => IN_OUT_FUNCTION,
        };
        self.fill(&format!("{public}{FUNCTION_AS}"), &more)
    }

    /// How many blocks each variant takes by a stretch, for those who ask.
    fn taken(&self, stretch: &Stretch, messages: &str) -> String {
        let alone = ("alone", "a text alone", stretch.taken_alone().collect());
        let of_each: (_, _, Vec<usize>) = ("each", "each of many texts", stretch.taken().collect());
        let mut text = String::new();
        for (kind, whose, taken) in [alone, of_each] {
            let name = format!("{}_{kind}", stretch.name());
            if messages.contains(&format!("{name}(")) {
                let about = format!("How many blocks of {whose} a variant takes at once");
                text.push_str(&self.number(&name, &about, &taken));
                text.push('\n');
            }
        }
        text
    }

    /// A function of a stretch.
    fn stretch(
        &self,
        name: String,
        variants: &[Option<Kernel>],
        parts: &[Option<Parts>],
    ) -> String {
        let Some(kernel) = variants.iter().flatten().next() else { return String::new() };
        self.some(&name, (kernel, ""), "&[]", parts)
    }

    /// A function of those variants that have one, with more parameters in front of a kernel's.
    fn some(
        &self,
        name: &str,
        (kernel, more): (&Kernel, &str),
        constants: &str,
        parts: &[Option<Parts>],
    ) -> String {
        let given = arguments(kernel, Blocks::Slices);
        let call = |parts: &Parts| format!("{}({constants}, {given})", parts.name);
        let mut arms = self.arms_of(2, |k| parts[k].as_ref().map(call));
        if parts.iter().any(Option::is_none) {
            arms.push_str("        _ => unreachable!(\"it takes one block after another\"),\n");
        }
        let parameters = format!("{more}{}", parameters(kernel, Blocks::Slices));
        let more = [("$name", name), ("$parameters", &parameters), ("$arms", &arms)];
        self.fill(FUNCTION_AS, &more)
    }

    fn ctr(&self, counter: usize, offset: usize) -> String {
        let (from, to) = one_to_one(&self.instance.functions[0]).unwrap_or_default();
        // A block's number has 64 bits.
        let limit = (8 * counter).min(64);
        let order = match self.instance.counter {
            Some(counter) if counter.big_endian => "big-endian",
            _ => "little-endian",
        };
        let field = format!("bytes {offset} to {}, {order}", offset + counter - 1);
        let more = [
            ("$from", from.to_string()),
            ("$to", to.to_string()),
            ("$limit", limit.to_string()),
            ("$field", field),
        ];
        let more: Vec<(&str, &str)> = more.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let erased = erased("$TCtr", "zeroize::Zeroize::zeroize(&mut self.block.0)");
        self.fill(&[CTR, &hidden("$TCtr"), &erased].concat(), &more)
    }
}

const IMAGES: &str = "\
/// What is the same for all blocks of a text, as kernels read it.
fn $name(out: &mut [u8], constants: &[u8]) {
    $statement
}

";

/// What a type is shown as: its name.
pub fn hidden(name: &str) -> String {
    HIDDEN.replace("$name", name)
}

/// What erases a value that is dropped, by a statement.
pub fn erased(name: &str, erase: &str) -> String {
    ERASED.replace("$name", name).replace("$erase", erase)
}

/// How the functions of an instance take blocks.
fn form(instance: &Instance, kernel: &Kernel) -> Blocks {
    match instance.mode {
        Some(_) => Blocks::Slices,
        None => Blocks::of(kernel),
    }
}

/// The number of blocks that a backend offers to process at once: one for which there is a type.
fn parallel(blocks: usize) -> usize {
    match blocks {
        0..=512 => blocks,
        _ => 512,
    }
}

const HIDDEN: &str = "\
impl core::fmt::Debug for $name {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(\"$name { .. }\")
    }
}

";

const ERASED: &str = "\
#[cfg(feature = \"zeroize\")]
impl Drop for $name {
    fn drop(&mut self) {
        $erase;
    }
}

#[cfg(feature = \"zeroize\")]
impl zeroize::ZeroizeOnDrop for $name {}

";

const KEY_TYPE: &str = "\
/// $title with an expanded key of $key bytes.
#[derive(Clone)]
pub struct $T {
    /// In the form that the variant reads.
    keys: [u8; $size],
    variant: Variant,
}

impl KeySizeUser for $T {
    type KeySize = consts::U$key;
}

impl KeyInit for $T {
    fn new(key: &Key<Self>) -> Self {
        Self::expand(&key.0, Variant::chosen())
    }
}

impl $T {
    fn expand(key: &[u8; $key], variant: Variant) -> Self {
        let mut keys = [0; $size];
        match variant {
$images        }
        Self { keys, variant }
    }
}

";

const IN_OUT_METHOD: &str = "
    fn $F(&self, $parameters) {
        match self.variant {
$arms        }
    }
";

const PUBLIC_METHOD: &str = "
    /// Any number of blocks.
    pub fn $F_blocks(&self, $parameters) {
        match self.variant {
$arms        }
    }
";

const SLICES_METHOD: &str = "
    /// Any number of blocks.
    ///
    /// # Panics
    /// If there are not as many blocks everywhere.
    pub fn $F_blocks(&self, $parameters) {
        match self.variant {
$arms        }
    }
";

const STREAM_METHOD: &str = "
    /// Adds the key stream from block number `first` on.
    fn stream(&self, counter: &[u8; $block], first: u64, text: InOutBuf<'_, '_, u8>) {
        match self.variant {
$arms        }
    }
";

const BLOCK_SIZE: &str = "\
impl BlockSizeUser for $T {
    type BlockSize = consts::U$block;
}

";

const BLOCK_TRAITS: &str = "\
impl BlockCipher$Crypt for $T {
    fn $crypt_with_backend(&self, f: impl BlockCipher$EncClosure<BlockSize = Self::BlockSize>) {
        match self.variant {
$arms        }
    }

    fn $crypt_blocks_inout(&self, blocks: InOutBuf<'_, '_, Array<u8, Self::BlockSize>>) {
        self.$crypt(blocks);
    }

    fn $crypt_blocks(&self, blocks: &mut [Array<u8, Self::BlockSize>]) {
        self.$crypt(blocks.into());
    }
}

/// As many blocks at once as the variant processes.
struct $Backend<'a, N>(&'a $T, PhantomData<N>);

impl<N> BlockSizeUser for $Backend<'_, N> {
    type BlockSize = consts::U$block;
}

impl<N: ArraySize> ParBlocksSizeUser for $Backend<'_, N> {
    type ParBlocksSize = N;
}

impl<N: ArraySize> BlockCipher$EncBackend for $Backend<'_, N> {
    fn $crypt_block(&self, mut block: InOut<'_, '_, Array<u8, Self::BlockSize>>) {
        let mut copy = block.clone_in();
        self.0.$crypt(InOutBuf::from_mut(&mut copy));
        *block.get_out() = copy;
    }

    fn $crypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.0.$crypt(blocks.into_buf());
    }

    fn $crypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Array<u8, Self::BlockSize>>) {
        self.0.$crypt(blocks);
    }
}

";

const IN_OUT_FUNCTION: &str = "\
/// $title: any number of blocks.
pub fn $name($parameters) {
    $name_as(Variant::chosen(), $arguments);
}

";

const SLICES_FUNCTION: &str = "\
/// $title: any number of blocks.
///
/// # Panics
/// If there are not as many blocks everywhere.
pub fn $name($parameters) {
    $name_as(Variant::chosen(), $arguments);
}

";

const FUNCTION_AS: &str = "\
fn $name_as(variant: Variant, $parameters) {
    match variant {
$arms    }
}

";

const CTR: &str = "\
/// $title in counter mode. The initial value is the first counter block, and blocks are counted in its $field, modulo
/// the size of that field.
#[derive(Clone)]
pub struct $TCtr {
    cipher: $T,
    counter: [u8; $from],
    /// In bytes.
    position: u128,
    /// The key stream of the block that the position is in, and that block's number, if it was needed.
    block: ([u8; $to], Option<u64>),
}

impl $TCtr {
    /// No block of the counter is used twice.
    const END: u128 = $to << $limit;

    /// With an expanded key.
    pub fn with_cipher(cipher: $T, counter: [u8; $from]) -> Self {
        Self { cipher, counter, position: 0, block: ([0; $to], None) }
    }

    /// The number of the block that the position is in, and the bytes of it in front of the position.
    fn place(&self) -> (u64, usize) {
        ((self.position / $to) as u64, (self.position % $to) as usize)
    }
}

impl KeySizeUser for $TCtr {
    type KeySize = consts::U$key;
}

impl IvSizeUser for $TCtr {
    type IvSize = consts::U$from;
}

impl KeyIvInit for $TCtr {
    fn new(key: &Key<Self>, counter: &Iv<Self>) -> Self {
        Self::with_cipher($T::new(key), counter.0)
    }
}

impl StreamCipher for $TCtr {
    fn check_remaining(&self, bytes: usize) -> Result<(), StreamCipherError> {
        match self.position + bytes as u128 <= Self::END {
            true => Ok(()),
            false => Err(StreamCipherError),
        }
    }

    fn unchecked_apply_keystream_inout(&mut self, mut text: InOutBuf<'_, '_, u8>) {
        let (number, before) = self.place();
        self.position += text.len() as u128;
        if before == 0 {
            return self.cipher.stream(&self.counter, number, text);
        }
        if self.block.1 != Some(number) {
            self.block = ([0; $to], Some(number));
            self.cipher.stream(&self.counter, number, self.block.0.as_mut_slice().into());
        }
        let rest = &self.block.0[before..];
        let rest = &rest[..rest.len().min(text.len())];
        let (mut begun, others) = text.split_at(rest.len());
        begun.xor_in2out(rest);
        text = others;
        self.cipher.stream(&self.counter, number.wrapping_add(1), text);
    }

    fn unchecked_write_keystream(&mut self, text: &mut [u8]) {
        text.fill(0);
        self.unchecked_apply_keystream_inout(text.into());
    }
}

impl StreamCipherSeek for $TCtr {
    fn try_current_pos<N: SeekNum>(&self) -> Result<N, OverflowError> {
        let block = self.position.div_ceil($to);
        let missing = (block * $to - self.position) as u8;
        N::from_block_byte(block, $to - missing, $to)
    }

    fn try_seek<N: SeekNum>(&mut self, position: N) -> Result<(), StreamCipherError> {
        let (block, byte) = position.into_block_byte::<u128>($to).map_err(|_| StreamCipherError)?;
        let position = block.checked_mul($to).ok_or(StreamCipherError)? + u128::from(byte);
        if position > Self::END {
            return Err(StreamCipherError);
        }
        self.position = position;
        Ok(())
    }
}

";
