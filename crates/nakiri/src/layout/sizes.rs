//! How large a target's registers are for what lies in them, and the images of constants.

use super::{image, Machine};
use crate::core::{Direction, Port, Type};
use crate::isa::Target;

impl Target {
    /// How many blocks a kernel processes at once.
    pub fn lanes(&self, direction: Direction, width: u16) -> u32 {
        super::lanes(direction, width, self.register_bits(direction, width))
    }

    /// The size of the register of an atom, in bits.
    pub fn register_bits(&self, direction: Direction, width: u16) -> u32 {
        Machine::from(self).register_bits(direction, width)
    }

    /// The size of a register of a type in memory, in bytes.
    pub fn register_bytes(&self, ty: Type) -> usize {
        self.register_bits(ty.direction(), ty.bits()).div_ceil(8) as usize
    }

    /// The size of the image of a constant atom, in bytes; see [`image`].
    pub fn image_bytes(&self, ty: Type) -> usize {
        image::image_bytes(self.into(), ty.direction(), ty.bits())
    }

    /// The image of a constant atom.
    pub fn image(&self, ty: Type, value: u128) -> Vec<u8> {
        image::image(self.into(), ty.direction(), ty.bits(), value)
    }

    /// The size of all registers of a port of a sliced program, in bytes.
    pub fn port_bytes(&self, port: &Port) -> usize {
        self.register_bytes(port.ty) * port.count() as usize
    }
}
