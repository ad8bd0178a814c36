//! The interface of an instance: contexts, blocks, modes, dispatch.

use super::batch::{self, parameters, Batches};
use super::control::Control;
use super::counter;
use super::expand;
use super::message::Messages;
use super::multikey::Lanes;
use super::step::Steps;
use super::support;
use crate::compile::Kernel;
use crate::emit::check::{self, is_stepped, one_to_one};
use crate::emit::keys;
use crate::emit::library::{Function, Instance, Library, Parallel, Stretch};
use crate::emit::ports::{pointers, ports, PortPair};
use crate::emit::stack::Storage;
use crate::emit::{identifier, type_name};
use crate::isa;
use std::collections::BTreeSet;
use std::fmt::Write;

/// An instance whose parts fit together, and the names of the static functions that it uses.
pub struct Api<'a> {
    /// The instance.
    pub instance: &'a Instance,
    /// The beginning of its names.
    pub prefix: String,
    /// The name of the macro that clears arrays.
    pub clear: String,
    library: String,
    /// For each function the batch function of each variant.
    batches: Vec<Vec<String>>,
    /// For each function of a stretch that of each variant that has one.
    stretches: Vec<Vec<Option<String>>>,
    /// For each function of a parallel part that of each variant that has one.
    parallels: Vec<Vec<Option<String>>>,
    /// For each parallel part the function that makes images of what is the same for all blocks, if there is one.
    images: Vec<Option<String>>,
    /// The function that adds the key stream of each variant, if there is a counter.
    streams: Vec<String>,
    key: Option<KeyPlan>,
    /// What there is instead of functions on blocks, if the one function has registers.
    steps: Option<Steps>,
    /// The functions for which every lane has a key of its own.
    lanes: Option<Lanes>,
    /// The mode whose pieces the functions are.
    messages: Option<Messages<'a>>,
}

/// A function that makes images.
struct Expand {
    name: String,
    /// Where in the context they begin.
    at: usize,
    /// Where in the context that begins of which they are made; none if that is the key.
    of: Option<usize>,
}

/// How a key becomes the images of the constant parameters.
struct KeyPlan {
    /// The functions of each variant.
    functions: Vec<Vec<Expand>>,
    /// The size of the longest variant's images.
    bytes: usize,
}

impl<'a> Api<'a> {
    /// Checks an instance, and prints the functions on blocks that it needs.
    ///
    /// # Errors
    /// What doesn't fit together.
    pub fn new(
        library: &Library,
        instance: &'a Instance,
        batches: &mut Batches,
    ) -> Result<Api<'a>, String> {
        check::instance(instance)?;
        let prefix = identifier(&instance.prefix);
        let mut api = Api {
            instance,
            prefix: prefix.clone(),
            clear: batch::clear(library.internal()),
            library: identifier(library.internal()),
            batches: vec![],
            stretches: vec![],
            parallels: vec![],
            images: vec![],
            streams: vec![],
            key: None,
            steps: None,
            lanes: None,
            messages: None,
        };
        if is_stepped(instance, &instance.functions[0]) {
            check::step(instance)?;
            api.steps = Some(Steps::new(&prefix, instance, batches)?);
            api.key = plan_key(&prefix, instance, batches)?;
            return Ok(api);
        }
        if !instance.tick_vectors.is_empty() {
            return Err("only a step function has vectors of ticks".to_string());
        }
        for function in &instance.functions {
            let name = format!("{prefix}_{}", identifier(&function.name));
            let variants = function.variants.iter().map(|kernel| batches.batch(&name, kernel));
            api.batches.push(variants.collect::<Result<_, _>>()?);
        }
        let mut of_variants = |name: &str, variants: &[Option<Kernel>]| {
            let name = format!("{prefix}_{}", identifier(name));
            let of_variant = |kernel: &Option<Kernel>| {
                kernel.as_ref().map(|kernel| batches.batch(&name, kernel)).transpose()
            };
            variants.iter().map(of_variant).collect::<Result<Vec<_>, _>>()
        };
        for (name, variants) in instance.all_stretches().flat_map(Stretch::functions) {
            api.stretches.push(of_variants(&name, variants)?);
        }
        for (name, variants) in instance.parallels.iter().flat_map(Parallel::functions) {
            api.parallels.push(of_variants(&name, variants)?);
        }
        for own in &instance.parallels {
            let images = own.images()?;
            let everywhere = isa::everywhere();
            let make = |part| expand::part(&prefix, &part, everywhere, batches);
            api.images.push(images.map(make));
        }
        if let Some(counter) = &instance.counter {
            for (kernel, batch) in instance.functions[0].variants.iter().zip(&api.batches[0]) {
                api.streams.push(counter::stream(batches, &prefix, counter, kernel, batch)?);
            }
        }
        api.key = plan_key(&prefix, instance, batches)?;
        let lanes = instance.multikey.as_ref();
        api.lanes = lanes.map(|own| Lanes::new(&prefix, instance, own, batches)).transpose()?;
        api.messages = Messages::of(instance)?;
        Ok(api)
    }

    /// The mode whose pieces its functions are.
    pub fn messages(&self) -> Option<&Messages<'a>> {
        self.messages.as_ref()
    }

    /// The variants, each with the kernel of its first function.
    pub fn variants(&self) -> impl Iterator<Item = &'a Kernel> {
        self.instance.functions.iter().take(1).flat_map(|function| &function.variants)
    }

    /// The most blocks that a function of each variant processes at once.
    pub fn parallel_blocks(&self) -> Vec<usize> {
        (0..self.variants().count()).map(|variant| self.instance.lanes(variant)).collect()
    }

    /// The batch function of a variant of a function.
    pub fn batch(&self, function: usize, variant: usize) -> &str {
        &self.batches[function][variant]
    }

    /// The function that adds the key stream of each variant.
    pub fn streams(&self) -> &[String] {
        &self.streams
    }

    /// The most blocks that anything here processes at once.
    pub fn most_blocks(&self) -> usize {
        self.parallel_blocks().into_iter().max().unwrap_or(1)
    }

    /// The kernel of the first variant, if it is one of a step function, and what its lanes share.
    pub fn step(&self) -> Option<(&Kernel, Option<&Control>)> {
        let steps = self.steps.as_ref()?;
        Some((&self.instance.functions[0].variants[0], steps.control()))
    }

    /// Fills in `$P` and others of a piece of C.
    pub fn fill(&self, text: &str, more: &[(&str, &str)]) -> String {
        let key = self.instance.key.as_ref().map_or(0, |key| key.bytes).to_string();
        let context = match &self.instance.key {
            Some(_) => format!("const {}_ctx *ctx, ", self.prefix),
            None => String::new(),
        };
        let own = match &self.key {
            Some(_) => ("ctx->variant", "ctx->keys"),
            None => (&*format!("{}_choose()", self.prefix), "NULL"),
        };
        let mut text = text.to_string();
        // Both a state and an expanded key can be erased.
        let wipe = if self.steps.is_some() { "wipe_key" } else { "wipe" };
        let storage = Storage::of_tests(self.instance);
        let common = [
            ("$wipe", wipe),
            ("$storage", storage.specifier()),
            ("$threads", storage.said()),
            ("$context", &*context),
            ("$variant", own.0),
            ("$images", own.1),
            ("$key", &*key),
            ("$library", &*self.library),
            ("$CLEAR", &*self.clear),
            ("$P", &*self.prefix),
        ];
        for (name, value) in more.iter().chain(&common) {
            text = text.replace(name, value);
        }
        text
    }

    /// The declarations of its functions, with their documentation.
    pub fn declarations(&self) -> String {
        let mut text = String::new();
        if let Some(key) = &self.key {
            let size = key.bytes.to_string();
            text.push_str(&self.fill(CONTEXT, &[("$size", &size)]));
        }
        if let Some(steps) = &self.steps {
            let kernel = &self.instance.functions[0].variants[0];
            text.push_str(&steps.declarations(self, kernel));
            return text + &self.fill(QUERIES, &[]);
        }
        if let Some(messages) = &self.messages {
            return messages.declarations(self) + &self.fill(QUERIES, &[]);
        }
        for function in &self.instance.functions {
            let parameters = parameters(&function.variants[0]);
            let sizes = sizes(&function.variants[0]);
            let name = identifier(&function.name);
            let more = [("$F", &*name), ("$parameters", &*parameters), ("$sizes", &*sizes)];
            text.push_str(&self.fill(BLOCKS, &more));
            if self.has_ecb(function) {
                let block = ports(&function.variants[0]).inputs[0].bytes().to_string();
                text.push_str(&self.fill(ECB, &[("$F", &name), ("$block", &block)]));
            }
        }
        if let Some(counter) = &self.instance.counter {
            text.push_str(&counter::declaration(self, counter));
        }
        text.push_str(&self.fill(QUERIES, &[]));
        if let Some(lanes) = &self.lanes {
            text.push('\n');
            text.push_str(&lanes.declarations(self));
        }
        text
    }

    /// The functions for which every lane has a key of its own, with their self test.
    pub fn multikey(&self) -> String {
        self.lanes.as_ref().map_or(String::new(), |lanes| lanes.definitions(self))
    }

    /// The definitions of its functions but for the self test.
    pub fn definitions(&self) -> String {
        let mut text = self.dispatch();
        if let Some(key) = &self.key {
            text.push_str(&self.expand(key));
        }
        if let Some(steps) = &self.steps {
            return text + &steps.definitions(self, &self.instance.functions[0].variants[0]);
        }
        for (function, batches) in self.instance.functions.iter().zip(&self.batches) {
            text.push_str(&self.function(function, batches));
        }
        let stretches = self.instance.stretches.iter();
        stretches.for_each(|stretch| text.push_str(&self.taken(stretch)));
        let functions = self.instance.all_stretches().flat_map(Stretch::functions);
        for ((name, variants), batches) in functions.zip(&self.stretches) {
            text.push_str(&self.stretch(&name, variants, batches));
        }
        for own in &self.instance.parallels {
            let about = "How many blocks of a text alone each variant takes side by side";
            let table = table(&format!("{}_blocks", own.name()), about, &own.taken());
            text.push_str(&self.fill(&table, &[]));
        }
        let functions = self.instance.parallels.iter().flat_map(Parallel::functions);
        for ((name, variants), batches) in functions.zip(&self.parallels) {
            text.push_str(&self.stretch(&name, variants, batches));
        }
        for (own, function) in self.instance.parallels.iter().zip(&self.images) {
            let names = function.as_ref().map(|name| (own.images_name(), name));
            text.extend(names.map(|(name, function)| {
                self.fill(IMAGES, &[("$F", &name), ("$function", function)])
            }));
        }
        if self.instance.counter.is_some() {
            text.push_str(&counter::definition(self));
        }
        if let Some(messages) = &self.messages {
            text.push_str(&messages.definitions(self));
        }
        text
    }

    /// The cases of a switch over variants that call one function each.
    pub fn cases(&self, functions: &[String], arguments: &str) -> String {
        let mut cases = String::new();
        for (variant, (function, kernel)) in functions.iter().zip(self.variants()).enumerate() {
            let label = format!("case {variant}:");
            let last = variant + 1 == functions.len();
            let label = if last { "default:" } else { &label };
            cases.push_str(&case(label, kernel, function, arguments));
        }
        cases
    }

    fn has_ecb(&self, function: &Function) -> bool {
        self.instance.ecb && one_to_one(function).is_some_and(|(from, to)| from == to)
    }

    fn dispatch(&self) -> String {
        let (mut cases, mut names) = (String::new(), vec![]);
        for (variant, kernel) in self.variants().enumerate() {
            if let Some(guard) = kernel.target.guard() {
                let runs = support::supported(kernel.target);
                let _ = write!(
                    cases,
                    "    case {variant}:\n#if {guard}\n{runs}#else\n        return 0;\n#endif\n"
                );
            }
            let ty = kernel.program.entry().results.first().map(|port| type_name(port.ty));
            names.push(format!("\"{} {}\"", kernel.target.name, ty.unwrap_or_default()));
        }
        let lanes: Vec<String> = self.parallel_blocks().iter().map(usize::to_string).collect();
        let choice = self.choice();
        let more = [
            ("$choice", &*choice),
            ("$cases", &*cases),
            ("$count", &*lanes.len().to_string()),
            ("$lanes", &*lanes.join(", ")),
            ("$names", &*names.join(", ")),
        ];
        self.fill(DISPATCH, &more)
    }

    /// The functions that choose. Only where several variants can run is there something to keep, and atomic access to it,
    /// which the smallest CPUs don't have.
    fn choice(&self) -> String {
        let guards: Vec<_> = self.variants().map(|kernel| kernel.target.guard()).collect();
        let only = guards.iter().position(Option::is_none);
        let alone = NO_CHOICE.replace("$only", &only.unwrap_or(0).to_string());
        let conditions: BTreeSet<&str> = guards.iter().copied().flatten().collect();
        let conditions: Vec<&str> = conditions.into_iter().collect();
        let condition = match guards.iter().filter(|guard| guard.is_none()).count() {
            _ if guards.len() == 1 => return alone + "\n",
            1 => format!("({})", conditions.join(") || (")),
            _ => "__GCC_ATOMIC_INT_LOCK_FREE == 2".to_string(),
        };
        // Functions on blocks take the variant that is chosen; messages may take a cheaper one, unless it was asked for.
        let [asked, not_asked] = match self.instance.mode {
            Some(_) => [ASKED, NOT_ASKED],
            None => ["", ""],
        };
        format!("#if {condition}\n{CHOICE}{asked}#else\n{alone}{not_asked}#endif\n\n")
    }

    fn expand(&self, plan: &KeyPlan) -> String {
        let mut cases = String::new();
        for (variant, (functions, kernel)) in plan.functions.iter().zip(self.variants()).enumerate()
        {
            let label = format!("case {variant}:");
            let last = variant + 1 == plan.functions.len();
            let _ = writeln!(cases, "    {}", if last { "default:" } else { &label });
            let place = |at| batch::plus("ctx->keys", at);
            let calls = functions.iter().map(|Expand { name, at, of }| {
                let of = of.map_or("key".to_string(), place);
                format!("        {name}({}, {of});\n", place(*at))
            });
            let calls: String = calls.collect();
            cases.push_str(&match kernel.target.guard() {
                Some(guard) => format!("#if {guard}\n{calls}#endif\n"),
                None => calls,
            });
            cases.push_str("        break;\n");
        }
        self.fill(EXPAND, &[("$cases", &cases)])
    }

    fn function(&self, function: &Function, batches: &[String]) -> String {
        let kernel = &function.variants[0];
        let ports = ports(kernel);
        let pointers = [pointers("out", &ports.outputs), pointers("in", &ports.inputs)].concat();
        let arguments = format!("{}, blocks", pointers.join(", "));
        let cases = self.cases(batches, &format!("keys, {arguments}"));
        let name = identifier(&function.name);
        let block = ports.inputs.first().map_or(0, PortPair::bytes).to_string();
        let parameters = parameters(kernel);
        let more = [
            ("$F", &*name),
            ("$parameters", &*parameters),
            ("$arguments", &*arguments),
            ("$cases", &*cases),
            ("$block", &*block),
        ];
        let mut text = self.fill(RUN, &more);
        if self.messages.is_some() {
            return text;
        }
        text.push_str(&self.fill(FUNCTION, &more));
        if self.has_ecb(function) {
            text.push_str(&self.fill(ECB_FUNCTION, &more));
        }
        text
    }

    /// How many blocks each variant takes by a stretch.
    fn taken(&self, stretch: &Stretch) -> String {
        let name = identifier(&stretch.name());
        let alone = ("alone", "a text alone", stretch.taken_alone().collect());
        let of_each: (_, _, Vec<usize>) = ("each", "each of many texts", stretch.taken().collect());
        let tables = [alone, of_each].map(|(kind, whose, taken)| {
            let about = format!("How many blocks of {whose} each variant takes at once");
            table(&format!("{name}_{kind}"), &about, &taken)
        });
        self.fill(&tables.concat(), &[])
    }

    /// A function of a stretch.
    fn stretch(
        &self,
        name: &str,
        variants: &[Option<Kernel>],
        batches: &[Option<String>],
    ) -> String {
        let Some(kernel) = variants.iter().flatten().next() else { return String::new() };
        let ports = ports(kernel);
        let pointers = [pointers("out", &ports.outputs), pointers("in", &ports.inputs)].concat();
        let arguments = format!("keys, {}, blocks", pointers.join(", "));
        let mut cases = String::new();
        for (variant, (function, kernel)) in batches.iter().zip(variants).enumerate() {
            if let (Some(function), Some(kernel)) = (function, kernel) {
                cases.push_str(&case(&format!("case {variant}:"), kernel, function, &arguments));
            }
        }
        // Other architectures have no case.
        let unused = arguments.split(", ").map(|name| format!("        (void){name};\n"));
        let unused: String = unused.collect();
        let _ = writeln!(cases, "    default:\n{unused}        break;");
        let more = [
            ("$F", &*identifier(name)),
            ("$parameters", &*parameters(kernel)),
            ("$cases", &*cases),
        ];
        self.fill(RUN, &more)
    }
}

/// A number for each variant, which not every file asks for.
pub fn table(name: &str, about: &str, numbers: &[usize]) -> String {
    let number = |number: &usize| match *number {
        usize::MAX => "(size_t)-1".to_string(),
        number => number.to_string(),
    };
    let (count, numbers): (_, Vec<String>) = (numbers.len(), numbers.iter().map(number).collect());
    let numbers = numbers.join(", ");
    format!(
        "/* {about}. */\n\
         __attribute__((unused)) static const size_t $P_{name}[{count}] = {{ {numbers} }};\n\n"
    )
}

/// A case of a switch over variants that calls a function.
fn case(label: &str, kernel: &Kernel, function: &str, arguments: &str) -> String {
    let call = format!("        {function}({arguments});\n");
    let call = match kernel.target.guard() {
        Some(guard) => format!("#if {guard}\n{call}#endif\n"),
        None => call,
    };
    format!("    {label}\n{call}        break;\n")
}

/// The sizes of the blocks of each parameter and result, for the documentation.
fn sizes(kernel: &Kernel) -> String {
    let ports = ports(kernel);
    let names = [pointers("out", &ports.outputs), pointers("in", &ports.inputs)].concat();
    let sizes = ports.outputs.iter().chain(&ports.inputs).map(PortPair::bytes);
    let each: Vec<String> =
        names.iter().zip(sizes).map(|(name, bytes)| format!("{name} {bytes}")).collect();
    each.join(", ")
}

fn plan_key(
    prefix: &str,
    instance: &Instance,
    batches: &mut Batches,
) -> Result<Option<KeyPlan>, String> {
    let Some(key) = &instance.key else { return Ok(None) };
    let expansions = keys::expansions(instance, key)?;
    let bytes = expansions.iter().map(|expansion| expansion.bytes).max().unwrap_or(0);
    let mut functions = vec![];
    for expansion in &expansions {
        let expand = |part: &keys::Part| {
            let name = expand::part(prefix, part, part.kernel.target, batches);
            Expand { name, at: part.at, of: part.of }
        };
        functions.push(expansion.parts.iter().map(expand).collect());
    }
    Ok(Some(KeyPlan { functions, bytes }))
}

const IMAGES: &str = "\
/* What is the same for all blocks of a text, as kernels read it. */
__attribute__((unused)) static void $P_$F(uint8_t *out, const uint8_t *constants)
{
    $function(out, constants);
}

";

const CONTEXT: &str = "\
/* An expanded key. */
typedef struct {
    uint8_t keys[$size]; /* in the form that the variant reads */
    unsigned variant;    /* which kernels this CPU runs */
} $P_ctx;

/* Expands a key of $key bytes. */
void $P_expand_key($P_ctx *ctx, const uint8_t key[$key]);

/* Erases an expanded key. */
void $P_$wipe($P_ctx *ctx);

";

const BLOCKS: &str = "\
/* Any number of blocks ($sizes bytes each). Input and output may be the same if their sizes are. */
void $P_$F_blocks($context$parameters);

";

const ECB: &str = "\
/* The same for a number of bytes; -1 and nothing done if it is not a multiple of $block, else 0. */
int $P_ecb_$F($contextuint8_t *out, const uint8_t *in, size_t bytes);

";

const QUERIES: &str = "\
/* Whether this CPU can run a variant. If it can't, nothing else here may be called. */
int $P_supported(void);

/* The target and slicing that run here, and how many blocks they process at once. */
const char *$P_variant(void);
size_t $P_parallel_blocks(void);

/* The names of all variants, best first, and NULL. */
const char *const *$P_variants(void);

/* Takes another variant than the best, in all threads: the first with this name, or with this target, that the CPU can run.
 * NULL takes the best again. -1 and nothing done if there is none, else 0. What was expanded or reset before keeps the
 * variant that it was made for. */
int $P_use_variant(const char *name);

/* 0 if every test vector came out right in every variant that this CPU can run; else which didn't, from 1.$threads */
int $P_self_test(void);
";

const DISPATCH: &str = "\
/* The number of blocks that each variant processes at once. */
static const size_t $P_lanes[$count] = { $lanes };

static const char *const $P_names[$count + 1] = { $names, NULL };

static int $P_runs(unsigned variant)
{
    switch (variant) {
$cases    default:
        return variant < $count;
    }
}

$choice/* Whether a variant has a name, or its target has. */
static int $P_is(unsigned variant, const char *name)
{
    const char *own = $P_names[variant];
    while (*name != 0 && *name == *own)
        name++, own++;
    return *name == 0 && (*own == 0 || *own == ' ');
}

int $P_use_variant(const char *name)
{
    unsigned variant = 0;
    if (name == NULL)
        return $P_ask(0);
    while (variant < $count && !($P_is(variant, name) && $P_runs(variant)))
        variant++;
    return variant == $count ? -1 : $P_ask(variant + 1);
}

const char *const *$P_variants(void)
{
    return $P_names;
}

int $P_supported(void)
{
    return $P_runs($P_choose()) != 0;
}

const char *$P_variant(void)
{
    return $P_names[$P_choose()];
}

size_t $P_parallel_blocks(void)
{
    return $P_lanes[$P_choose()];
}

";

/// Where several variants can run.
const CHOICE: &str = "\
/* The variants that were found to be the best, and asked for, from 1. */
static unsigned $P_found, $P_asked;

static int $P_ask(unsigned variant)
{
    __atomic_store_n(&$P_asked, variant, __ATOMIC_RELAXED);
    return 0;
}

/* The variant that was asked for, or the first that this CPU can run. Threads that race here find the same one. */
static unsigned $P_choose(void)
{
    unsigned variant = __atomic_load_n(&$P_asked, __ATOMIC_RELAXED);
    if (variant == 0)
        variant = __atomic_load_n(&$P_found, __ATOMIC_RELAXED);
    if (variant == 0) {
        while (variant + 1 < $count && !$P_runs(variant))
            variant++;
        variant++;
        __atomic_store_n(&$P_found, variant, __ATOMIC_RELAXED);
    }
    return variant - 1;
}
";

const ASKED: &str = "
/* Whether a variant was asked for. */
__attribute__((unused)) static int $P_is_asked(void)
{
    return __atomic_load_n(&$P_asked, __ATOMIC_RELAXED) != 0;
}
";

const NOT_ASKED: &str = "
__attribute__((unused)) static int $P_is_asked(void)
{
    return 0;
}
";

/// Where no other than one can.
const NO_CHOICE: &str = "\
static int $P_ask(unsigned variant)
{
    return variant == 0 || variant == $only + 1 ? 0 : -1;
}

static unsigned $P_choose(void)
{
    return $only;
}
";

const EXPAND: &str = "\
static void $P_expand($P_ctx *ctx, const uint8_t *key, unsigned variant)
{
    switch (variant) {
$cases    }
    ctx->variant = variant;
}

void $P_expand_key($P_ctx *ctx, const uint8_t key[$key])
{
    $P_expand(ctx, key, $P_choose());
}

void $P_$wipe($P_ctx *ctx)
{
    $library_erase(ctx, sizeof *ctx);
}

";

const RUN: &str = "\
static void $P_$F_run(unsigned variant, const uint8_t *keys, $parameters)
{
    switch (variant) {
$cases    }
}

";

const FUNCTION: &str = "\
void $P_$F_blocks($context$parameters)
{
    $P_$F_run($variant, $images, $arguments);
}

";

const ECB_FUNCTION: &str = "\
int $P_ecb_$F($contextuint8_t *out, const uint8_t *in, size_t bytes)
{
    if (bytes % $block != 0)
        return -1;
    $P_$F_run($variant, $images, out, in, bytes / $block);
    return 0;
}

";
