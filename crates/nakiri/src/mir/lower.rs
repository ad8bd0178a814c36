//! From a kernel to its machine form: rows become instructions, atoms of ports and what waits in arrays places in memory.

use super::constants::Bytes;
use super::row::Row;
use super::{
    Action, Bank, Base, Carried, Code, Function, Home, Item, Loop, Memory, Part, Step, Value,
};
use crate::compile::Kernel;
use crate::core::arguments::{Atom, InPlace};
use crate::core::delay::DelayLine;
use crate::core::{self, ConstantsId, FuncId, Index, Instr, Op, Port, Stmt, Type, ValueId};
use crate::isa::Target;
use rustc_hash::FxHashMap;

/// Lowers all functions of a kernel for a target that has [assembly](Target::is_assembled).
pub fn lower(kernel: &Kernel) -> Code {
    let mut code =
        Code { target: kernel.target, functions: Vec::new(), pool: Vec::new(), tables: Vec::new() };
    let (mut pool, mut tables) = (FxHashMap::default(), FxHashMap::default());
    for id in kernel.callees_first() {
        let func = &kernel.program.funcs[id.index()];
        let mut lowering = Lowering {
            kernel,
            func,
            target: kernel.target,
            is_entry: id == kernel.program.entry,
            code: &mut code,
            pool: &mut pool,
            tables: &mut tables,
            names: vec![None; func.values.len()],
            banks: Vec::new(),
            homes: Vec::new(),
            constants: Vec::new(),
            arrays: Vec::new(),
            in_place: FxHashMap::default(),
            enters: FxHashMap::default(),
            free: Vec::new(),
            last: last_uses(func),
            busy: Vec::new(),
        };
        let body = lowering.body();
        let Lowering { banks, homes, arrays, .. } = lowering;
        // The entry has one for the images of all constants.
        let params = match id == kernel.program.entry {
            true => func.params.iter().filter(|port| !port.constant).count() + 1,
            false => func.params.len(),
        };
        let pointers = (func.results.len() + params) as u32;
        code.functions.push(Function { id, pointers, banks, homes, arrays, body });
    }
    code
}

/// The number of the last statement of a function that reads each value, or what is the same value.
fn last_uses(func: &core::Func) -> Vec<usize> {
    let mut last = vec![0; func.values.len()];
    for (at, stmt) in func.body.iter().enumerate().rev() {
        stmt.uses(&mut |value| last[value.index()] = last[value.index()].max(at));
        stmt.instrs(&mut |instr| {
            if is_copy(&instr.op) {
                let same = instr.results.iter().map(|value| last[value.index()]).max();
                let of = &mut last[instr.args[0].index()];
                *of = same.map_or(*of, |same| same.max(*of));
            }
        });
    }
    last
}

/// Whether an operation leaves its argument as it is.
fn is_copy(op: &Op) -> bool {
    matches!(op, Op::Shl(0) | Op::Shr(0) | Op::Sar(0) | Op::Rotl(0))
}

/// The lowering of one function.
pub struct Lowering<'a> {
    kernel: &'a Kernel,
    func: &'a core::Func,
    /// The target.
    pub target: &'static Target,
    is_entry: bool,
    code: &'a mut Code,
    /// Where in the pool constants are.
    pool: &'a mut FxHashMap<Vec<u8>, u32>,
    /// The numbers of tables.
    tables: &'a mut FxHashMap<(ConstantsId, Type), u32>,
    /// The values of the core by their numbers here.
    names: Vec<Option<Value>>,
    banks: Vec<Bank>,
    homes: Vec<Option<Home>>,
    /// The values that constants are.
    constants: Vec<((Bank, Home), Value)>,
    arrays: Vec<usize>,
    /// The arrays of arguments that stay in place: by the call's first result and the parameter.
    in_place: FxHashMap<(ValueId, usize), u32>,
    /// Where values are put as soon as they are made.
    enters: FxHashMap<ValueId, Vec<Memory>>,
    /// Arrays that nothing needs any more.
    free: Vec<u32>,
    last: Vec<usize>,
    /// Arrays with what calls have made, and until which statement it is needed.
    busy: Vec<(usize, u32)>,
}

impl Lowering<'_> {
    fn body(&mut self) -> Vec<Item> {
        let mut body = Vec::new();
        let func = self.func;
        for (at, stmt) in func.body.iter().enumerate() {
            let over = self.busy.extract_if(.., |(until, _)| *until < at);
            self.free.extend(over.map(|(_, array)| array));
            match stmt {
                Stmt::Loop(l) => self.counted(l, &mut body),
                stmt => {
                    let mut steps = Vec::new();
                    self.stmt(stmt, &mut steps);
                    body.extend(steps.into_iter().map(Item::Step));
                }
            }
        }
        body
    }

    /// A value that an instruction makes.
    pub fn value(&mut self, bank: Bank) -> Value {
        self.banks.push(bank);
        self.homes.push(None);
        self.banks.len() as Value - 1
    }

    /// A value that is somewhere without being made.
    fn known(&mut self, bank: Bank, home: Home) -> Value {
        let value = self.value(bank);
        self.homes[value as usize] = Some(home);
        value
    }

    /// The number of a register's bytes in the pool.
    pub fn in_pool(&mut self, bytes: Vec<u8>) -> u32 {
        let code = &mut *self.code;
        *self.pool.entry(bytes).or_insert_with_key(|bytes| {
            code.pool.push(bytes.clone());
            code.pool.len() as u32 - 1
        })
    }

    /// A constant.
    pub fn constant(&mut self, bytes: Bytes) -> Value {
        let home = match bytes {
            Bytes::Home(home) => home,
            Bytes::Register(bytes) => {
                Home::Memory(Memory::whole(Base::Pool(self.in_pool(bytes)), 0))
            }
        };
        self.constant_at(Bank::Vector, home)
    }

    /// A constant that is somewhere: one value for all uses.
    pub fn constant_at(&mut self, bank: Bank, home: Home) -> Value {
        let known = self.constants.iter().find(|(at, _)| *at == (bank, home));
        if let Some((_, value)) = known {
            return *value;
        }
        let value = self.known(bank, home);
        self.constants.push(((bank, home), value));
        value
    }

    fn name(&mut self, value: ValueId) -> Value {
        match self.names[value.index()] {
            Some(name) => name,
            None => {
                let name = self.value(Bank::Vector);
                self.names[value.index()] = Some(name);
                name
            }
        }
    }

    fn stands_at(&mut self, value: ValueId, memory: Memory) {
        self.names[value.index()] = Some(self.known(Bank::Vector, Home::Memory(memory)));
    }

    fn array(&mut self, bytes: usize) -> u32 {
        let fits = |array: &u32| self.arrays[*array as usize] == bytes;
        if let Some(at) = self.free.iter().position(fits) {
            return self.free.swap_remove(at);
        }
        self.arrays.push(bytes);
        self.arrays.len() as u32 - 1
    }

    fn bytes(&self, ty: Type) -> usize {
        self.target.register_bytes(ty)
    }

    fn stmt(&mut self, stmt: &Stmt, out: &mut Vec<Step>) {
        match stmt {
            Stmt::Let(instr) => {
                self.instr(instr, out);
                for value in &instr.results {
                    self.enter(*value, out);
                }
            }
            Stmt::Store { result, index, value, .. } => {
                let port = &self.func.results[*result as usize];
                let to = self.place(port, Base::Pointer(*result), 0, *index);
                let value = self.name(*value);
                out.push(store(to, value));
            }
            Stmt::Forall(forall) => {
                forall.iterations.iter().flatten().for_each(|stmt| self.stmt(stmt, out));
            }
            Stmt::Loop(_) => {}
        }
    }

    /// Puts a value where it is waited for.
    fn enter(&mut self, value: ValueId, out: &mut Vec<Step>) {
        for memory in self.enters.remove(&value).unwrap_or_default() {
            let value = self.name(value);
            out.push(store(memory, value));
        }
    }

    /// An atom of a port: images of constants, otherwise registers.
    fn place(&self, port: &Port, base: Base, before: usize, at: Index) -> Memory {
        let image = self.is_entry && port.constant;
        let bytes = match image {
            true => self.target.image_bytes(port.ty),
            false => self.bytes(port.ty),
        };
        Memory {
            base,
            offset: before + bytes * at.base as usize,
            step: bytes as isize * at.step as isize,
            part: self.part(bytes),
        }
    }

    fn part(&self, bytes: usize) -> Part {
        match bytes * 8 < self.target.bits as usize {
            true => Part::Repeated(bytes),
            false => Part::Whole,
        }
    }

    fn instr(&mut self, instr: &Instr, out: &mut Vec<Step>) {
        let Some(&result) = instr.results.first() else { return };
        let ty = self.func.ty(result);
        match &instr.op {
            Op::Const(value) => {
                let bytes = Bytes::repeated(&self.target.image(ty, *value), self.target);
                self.names[result.index()] = Some(self.constant(bytes));
            }
            Op::Constants(list, Index { base, step: 0 }) => {
                let value = self.kernel.program.constants[list.index()].get(*base as usize);
                let image = self.target.image(ty, value.copied().unwrap_or(0));
                let bytes = Bytes::repeated(&image, self.target);
                self.names[result.index()] = Some(self.constant(bytes));
            }
            Op::Constants(list, at) => {
                let bytes = self.target.image_bytes(ty);
                let memory = Memory {
                    base: Base::Table(self.table(*list, ty)),
                    offset: bytes * at.base as usize,
                    step: bytes as isize * at.step as isize,
                    part: self.part(bytes),
                };
                self.stands_at(result, memory);
            }
            Op::Load(param, at) => self.load(result, *param, *at),
            op if is_copy(op) => {
                self.names[result.index()] = Some(self.name(instr.args[0]));
            }
            Op::Call(callee, ..) => self.call(instr, *callee, out),
            op => {
                let args: Vec<Value> = instr.args.iter().map(|arg| self.name(*arg)).collect();
                // The verifier admits no kernel with operations that its target lacks.
                let Some(row) = self.target.select(op, ty.direction(), ty.word()) else { return };
                let mut expansion = Row { op, ty, args: &args, made: Vec::new() };
                self.names[result.index()] = expansion.value(row, self, out);
            }
        }
    }

    fn table(&mut self, list: ConstantsId, ty: Type) -> u32 {
        let (kernel, target, code) = (self.kernel, self.target, &mut *self.code);
        *self.tables.entry((list, ty)).or_insert_with(|| {
            let values = kernel.program.constants[list.index()].iter();
            code.tables.push(values.flat_map(|value| target.image(ty, *value)).collect());
            code.tables.len() as u32 - 1
        })
    }

    fn load(&mut self, result: ValueId, param: u32, at: Index) {
        let func = self.func;
        let (port, before) = (&func.params[param as usize], &func.params[..param as usize]);
        let is_image = |port: &&Port| self.is_entry && port.constant;
        let arrays = |ports: &[Port]| ports.iter().filter(|port| !is_image(port)).count();
        // Images lie one after another at the last address.
        let (number, offset) = match is_image(&port) {
            true => {
                let bytes = |port: &Port| self.target.image_bytes(port.ty) * port.count() as usize;
                (arrays(&func.params), before.iter().filter(is_image).map(bytes).sum())
            }
            false => (arrays(before), 0),
        };
        let base = Base::Pointer((func.results.len() + number) as u32);
        let memory = self.place(port, base, offset, at);
        self.stands_at(result, memory);
    }

    fn call(&mut self, instr: &Instr, callee: FuncId, out: &mut Vec<Step>) {
        let target = &self.kernel.program.funcs[callee.index()];
        let first = instr.results[0];
        let until = instr.results.iter().map(|value| self.last[value.index()]).max();
        let (mut pointers, mut over) = (Vec::new(), Vec::new());
        let mut results = instr.results.iter();
        for port in &target.results {
            let bytes = self.bytes(port.ty);
            let array = self.array(bytes * port.count() as usize);
            pointers.push(Memory::whole(Base::Array(array), 0));
            self.busy.push((until.unwrap_or(usize::MAX), array));
            for (atom, &value) in results.by_ref().take(port.count() as usize).enumerate() {
                self.stands_at(value, Memory::whole(Base::Array(array), bytes * atom));
            }
        }
        let mut args = &instr.args[..];
        for (param, port) in target.params.iter().enumerate() {
            let (atoms, others) = args.split_at(port.count() as usize);
            args = others;
            if let Some(array) = self.in_place.get(&(first, param)) {
                pointers.push(Memory::whole(Base::Array(*array), 0));
                continue;
            }
            let bytes = self.bytes(port.ty);
            let array = self.array(bytes * atoms.len());
            for (atom, value) in atoms.iter().enumerate() {
                let value = self.name(*value);
                out.push(store(Memory::whole(Base::Array(array), bytes * atom), value));
            }
            pointers.push(Memory::whole(Base::Array(array), 0));
            over.push(array);
        }
        let number = self.code.functions.iter().position(|function| function.id == callee);
        let action = Action::Call(number.unwrap_or(usize::MAX), pointers);
        out.push(Step { action, args: Default::default(), result: None });
        self.free.extend(over);
    }

    fn counted(&mut self, l: &core::Loop, body: &mut Vec<Item>) {
        let mut before = Vec::new();
        let known = self.homes.len();
        let mut elsewhere = self.delay_lines(l, &mut before);
        elsewhere.extend(self.arguments(l, &mut before));
        let mut carried = Vec::new();
        for (_, c) in l.carried.iter().enumerate().filter(|(k, _)| !elsewhere.contains(k)) {
            let (init, inside) = (self.name(c.init), self.name(c.inside));
            carried.push((init, inside, c));
        }
        let mut steps = Vec::new();
        for stmt in &l.body {
            self.stmt(stmt, &mut steps);
        }
        let mut waiting: Vec<ValueId> = self.enters.keys().copied().collect();
        waiting.sort_unstable();
        waiting.into_iter().for_each(|value| self.enter(value, &mut steps));
        let of = |this: &mut Self, (init, inside, c): (Value, Value, &core::Carried)| {
            let (next, result) = (this.name(c.next), this.name(c.result));
            Carried { init, inside, next, result }
        };
        let carried = carried.into_iter().map(|all| of(self, all)).collect();
        body.extend(before.into_iter().map(Item::Step));
        let moves = |home: &Option<Home>| match home {
            Some(Home::Memory(memory)) => memory.step != 0 || matches!(memory.base, Base::Array(_)),
            _ => false,
        };
        let moving = (known..self.homes.len()).filter(|value| moves(&self.homes[*value]));
        let moving = moving.map(|value| value as Value).collect();
        body.push(Item::Loop(Loop { count: l.count, carried, moving, body: steps }));
    }

    /// Makes an array of each delay line, with what it holds before the loop. The carried values that are taps.
    fn delay_lines(&mut self, l: &core::Loop, before: &mut Vec<Step>) -> Vec<usize> {
        let lines = DelayLine::of(l);
        for line in &lines {
            let bytes = self.bytes(self.func.ty(l.carried[line.taps[0]].inside));
            let array = self.array(bytes * line.elements(l));
            let element = |at: usize, step: usize| Memory {
                step: (bytes * step) as isize,
                ..Memory::whole(Base::Array(array), bytes * at)
            };
            for (at, tap) in line.taps.iter().enumerate() {
                let carried = &l.carried[*tap];
                let init = self.name(carried.init);
                before.push(store(element(at, 0), init));
                self.stands_at(carried.inside, element(at, 1));
                self.stands_at(carried.result, element(at + l.count as usize, 0));
            }
            let entered = element(line.taps.len(), 1);
            self.enters.entry(line.enters(l)).or_default().push(entered);
        }
        lines.into_iter().flat_map(|line| line.taps).collect()
    }

    /// Makes the arrays of arguments in place, with what they hold before the loop. The carried values that are in them.
    fn arguments(&mut self, l: &core::Loop, before: &mut Vec<Step>) -> Vec<usize> {
        let arguments = InPlace::of(&self.kernel.program, l);
        for InPlace { call, param, atoms } in &arguments {
            let ty = match atoms[0] {
                Atom::Carried(number) => self.func.ty(l.carried[number].inside),
                Atom::Made(value) => self.func.ty(value),
            };
            let bytes = self.bytes(ty);
            let array = self.array(bytes * atoms.len());
            for (at, atom) in atoms.iter().enumerate() {
                let place = Memory::whole(Base::Array(array), bytes * at);
                let carried = match atom {
                    Atom::Carried(number) => l.carried[*number],
                    Atom::Made(value) => {
                        self.enters.entry(*value).or_default().push(place);
                        continue;
                    }
                };
                let init = self.name(carried.init);
                before.push(store(place, init));
                self.stands_at(carried.inside, place);
                self.stands_at(carried.result, place);
                self.enters.entry(carried.next).or_default().push(place);
            }
            self.in_place.insert((*call, *param), array);
        }
        arguments.iter().flat_map(InPlace::carried).collect()
    }
}

fn store(to: Memory, value: Value) -> Step {
    Step { action: Action::Store(to), args: [value].into_iter().collect(), result: None }
}
