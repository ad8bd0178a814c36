//! The ports of a kernel as its callers see them: blocks in memory.

use super::identifier;
use crate::compile::Kernel;
use crate::core::{Direction, Port, Type};
use crate::isa::Target;
use crate::layout;
use crate::pass::pack;

/// A port as it was declared, which is how it lies in memory, and as it is after slicing to bits.
#[derive(Clone, Copy)]
pub struct PortPair<'a> {
    /// As declared.
    pub declared: &'a Port,
    /// As in the kernel's program.
    pub sliced: &'a Port,
}

impl PortPair<'_> {
    /// The port as declared, in the direction that it was sliced for; under P its rows.
    pub fn placed(&self) -> Port {
        if self.sliced.ty.direction() == Direction::P {
            return pack::packed(self.declared);
        }
        let ty = Type { dir: self.sliced.ty.dir, ..self.declared.ty };
        Port { ty, ..self.declared.clone() }
    }

    /// The size of a block in bits.
    pub fn bits(&self) -> u32 {
        u32::from(self.declared.ty.bits()) * self.declared.count()
    }

    /// The size of a block in memory.
    pub fn bytes(&self) -> usize {
        layout::memory_bytes(self.declared.ty.bits(), self.declared.count())
    }
}

/// The ports of a kernel by the way their values take.
pub struct Ports<'a> {
    /// Parameters that differ from block to block.
    pub inputs: Vec<PortPair<'a>>,
    /// Constant parameters.
    pub constants: Vec<PortPair<'a>>,
    /// Results.
    pub outputs: Vec<PortPair<'a>>,
}

/// The ports of a kernel.
pub fn ports(kernel: &Kernel) -> Ports<'_> {
    fn pairs<'a>(declared: &'a [Port], sliced: &'a [Port]) -> Vec<PortPair<'a>> {
        let pair = |(declared, sliced)| PortPair { declared, sliced };
        declared.iter().zip(sliced).map(pair).collect()
    }
    let entry = kernel.program.entry();
    let params = pairs(&kernel.params, entry.inputs());
    let (constants, inputs) = params.into_iter().partition(|port| port.sliced.constant);
    Ports { inputs, constants, outputs: pairs(&kernel.results, entry.outputs()) }
}

/// The names of pointers to blocks: `in`, or `in_NAME` if there are several.
pub fn pointers(verb: &str, ports: &[PortPair]) -> Vec<String> {
    let names = ports.iter().map(|port| match ports.len() {
        1 => verb.to_string(),
        _ => format!("{verb}_{}", identifier(&port.declared.name)),
    });
    names.collect()
}

/// The kernels of a chain whose constants have images of their own, which stand one after another: one of each direction.
pub fn imaged(kernel: &Kernel) -> Vec<&Kernel> {
    let mut kernels: Vec<&Kernel> = kernel.chain().collect();
    kernels.dedup_by_key(|kernel| kernel.direction);
    kernels
}

/// The size of the images of a port, in bytes.
pub fn image_bytes(target: &Target, port: &Port) -> usize {
    target.image_bytes(port.ty) * port.count() as usize
}

/// The bytes of the images of a kernel's constants in front of those of the kernel that takes its rest: none if they are the
/// same.
pub fn images_before_rest(kernel: &Kernel) -> usize {
    let bytes = |port: &PortPair| image_bytes(kernel.target, port.sliced);
    match &kernel.rest {
        Some(rest) if rest.kernel.direction != kernel.direction => {
            ports(kernel).constants.iter().map(bytes).sum()
        }
        _ => 0,
    }
}
