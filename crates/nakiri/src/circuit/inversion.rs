//! Tables that are inversion in a field but for affine maps (Biryukov, De Cannière, Braeken, Preneel 2003).

use super::Table;
use crate::circuit::field::Field;

/// An affine map between bits and elements of a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Affine {
    /// The image of each bit without the constant, the least significant bit first.
    pub columns: Vec<u32>,
    /// The image of zero.
    pub constant: u32,
}

impl Affine {
    /// The image of `x`.
    pub fn apply(&self, x: u32) -> u32 {
        self.constant ^ self.linear(x)
    }

    /// The image without the constant.
    pub fn linear(&self, x: u32) -> u32 {
        let columns = self.columns.iter().enumerate();
        columns.filter(|(bit, _)| x >> bit & 1 == 1).fold(0, |sum, (_, column)| sum ^ column)
    }
}

/// Affine maps between which inversion is a table: its entry at `x` is `after(1 / before(x))`. The field is that of the
/// polynomial x^8 + x^4 + x^3 + x + 1, or x^4 + x + 1, and the inverse of zero is zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inversion {
    /// From the index to the field.
    pub before: Affine,
    /// From the field to the entry.
    pub after: Affine,
}

impl Inversion {
    /// The maps for a table of four or eight bits; none if there are no such maps.
    pub fn of_table(table: &Table) -> Option<Inversion> {
        let bits = usize::from(table.inputs);
        let field = Field::new(bits).filter(|_| table.inputs == table.outputs)?;
        if table.entries.len() != 1 << bits {
            return None;
        }
        let zeros = zeros(&table.entries).into_iter();
        zeros.map(|zero| zero as u32).find_map(|x| Inversion::with_zero(&field, &table.entries, x))
    }

    /// The maps if there are such that map `zero` to zero.
    fn with_zero(field: &Field, entries: &[u32], zero: u32) -> Option<Inversion> {
        let size = entries.len();
        let shifted = |x: usize| entries[x ^ zero as usize] ^ entries[zero as usize];
        let forward: Vec<u32> = (0..size).map(shifted).collect();
        let mut backward = vec![0; size];
        for (x, &y) in forward.iter().enumerate() {
            backward[y as usize] = x as u32;
        }
        let tables = [forward, backward];
        let mut sides = [Partial::new(size), Partial::new(size)];
        // Multiplying by a constant before and after changes nothing, so that the first image may be one.
        if !settle(field, &tables, &mut sides, (1, 1)) {
            return None;
        }
        let [before, after] = complete(field, &tables, sides)?;
        let column = |bit: usize| before.image(1 << bit);
        let columns: Vec<u32> = (0..field.bits).map(column).collect::<Option<_>>()?;
        let before = Affine { constant: before.image(zero)?, columns };
        let preimage = |bit: usize| (0..size as u32).find(|&y| after.image(y) == Some(1 << bit));
        let columns: Vec<u32> = (0..field.bits).map(preimage).collect::<Option<_>>()?;
        Some(Inversion { before, after: Affine { columns, constant: entries[zero as usize] } })
    }
}

/// The indices that may be mapped to zero: none, unless every difference of inputs makes some difference of outputs four
/// times, but none more often, nor the zero, as for inversion. There the four are those in a field of four elements (times
/// a constant), of which zero is one, so that zero is the one index which all differences have in common.
fn zeros(entries: &[u32]) -> Vec<usize> {
    let mut zeros: Vec<usize> = (0..entries.len()).collect();
    for difference in 1..entries.len() {
        let change = |x: usize| (entries[x] ^ entries[x ^ difference]) as usize;
        let mut counts = vec![0u8; entries.len()];
        for x in 0..entries.len() {
            match counts.get_mut(change(x)) {
                Some(count) if change(x) != 0 && *count < 4 => *count += 1,
                _ => return Vec::new(),
            }
        }
        zeros.retain(|&x| counts[change(x)] == 4);
    }
    zeros
}

/// A linear map of which the images of a subspace are known.
#[derive(Clone, Debug)]
struct Partial {
    images: Vec<Option<u32>>,
    /// The subspace.
    known: Vec<u32>,
    /// Which elements are images.
    taken: Vec<bool>,
}

impl Partial {
    fn new(size: usize) -> Partial {
        let (mut images, mut taken) = (vec![None; size], vec![false; size]);
        (images[0], taken[0]) = (Some(0), true);
        Partial { images, known: vec![0], taken }
    }

    fn image(&self, x: u32) -> Option<u32> {
        self.images[x as usize]
    }

    /// Adds an image; the new part of the subspace, or none if the map wouldn't be one to one.
    fn extend(&mut self, x: u32, image: u32) -> Option<Vec<u32>> {
        if let Some(known) = self.image(x) {
            return (known == image).then(Vec::new);
        }
        if self.taken[image as usize] {
            return None;
        }
        let added: Vec<u32> = self.known.iter().map(|other| other ^ x).collect();
        for (place, &new) in added.iter().enumerate() {
            let sum = self.images[self.known[place] as usize].unwrap_or(0) ^ image;
            self.images[new as usize] = Some(sum);
            self.taken[sum as usize] = true;
        }
        self.known.extend(&added);
        Some(added)
    }
}

/// Draws all conclusions from an image of the first map: the image of an entry under the second is the inverse of the
/// image of its index under the first. Whether they agree.
fn settle(
    field: &Field,
    tables: &[Vec<u32>; 2],
    sides: &mut [Partial; 2],
    (x, image): (u32, u32),
) -> bool {
    let mut open = vec![(0, x, image)];
    while let Some((side, x, image)) = open.pop() {
        let Some(added) = sides[side].extend(x, image) else { return false };
        for new in added {
            let inverse = sides[side].image(new).map_or(0, |image| field.invert(image));
            open.push((1 - side, tables[side][new as usize], inverse));
        }
    }
    true
}

/// Both maps whole, if there are such that go on from these.
fn complete(field: &Field, tables: &[Vec<u32>; 2], sides: [Partial; 2]) -> Option<[Partial; 2]> {
    let Some(x) = (0..field.size()).find(|&x| sides[0].image(x).is_none()) else {
        return Some(sides);
    };
    (1..field.size()).filter(|&image| !sides[0].taken[image as usize]).find_map(|image| {
        let mut next = sides.clone();
        settle(field, tables, &mut next, (x, image)).then_some(())?;
        complete(field, tables, next)
    })
}
