//! How products of polynomials are made: by the fewest instructions.

/// What a target takes for steps on units, which are bits or words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Costs {
    /// The instructions of a product of two units.
    pub product: usize,
    /// How many units such a product has: one of bits, two of words.
    pub units: usize,
    /// Whether an instruction adds three units, or of bits a product to a unit.
    pub ternary: bool,
}

/// How a product of polynomials of as many units is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Of all products of two units.
    Schoolbook,
    /// Of the product without the highest units, and theirs with all others.
    Extended,
    /// Of three products, after A. Karatsuba, of what is below and above so many units.
    Cut(usize),
}

/// For polynomials of each number of units how their product is made, and what it costs.
#[derive(Clone, Debug)]
pub struct Plan {
    steps: Vec<Step>,
    instructions: Vec<usize>,
}

impl Plan {
    /// The best for up to so many units.
    pub fn new(most: usize, costs: Costs) -> Plan {
        let mut plan = Plan { steps: vec![Step::Schoolbook], instructions: vec![0] };
        for units in 1..=most {
            // With less above the cut than half of what is below, terms would lie beyond the product.
            let cuts = units.div_ceil(2)..units.min(2 * units / 3 + 1);
            let extended = (units > 1).then_some(Step::Extended);
            let all = [Step::Schoolbook].into_iter().chain(extended).chain(cuts.map(Step::Cut));
            let priced = all.map(|step| (plan.price(units, step, costs), step));
            if let Some((instructions, step)) = priced.min_by_key(|(price, _)| *price) {
                plan.steps.push(step);
                plan.instructions.push(instructions);
            }
        }
        plan
    }

    /// How a product of polynomials of so many units is made.
    pub fn step(&self, units: usize) -> Step {
        self.steps[units]
    }

    /// The instructions of a product of polynomials of so many units.
    pub fn instructions(&self, units: usize) -> usize {
        self.instructions[units]
    }

    fn price(&self, units: usize, step: Step, costs: Costs) -> usize {
        match step {
            Step::Schoolbook => of_units(units * units, length(units, costs), costs),
            Step::Extended => {
                let (below, own) = (units - 1, 2 * units - 1);
                let before = length(below, costs);
                let sums = of_units(own, length(units, costs) - before, costs);
                self.instructions[below] + sums
            }
            Step::Cut(below) => {
                let above = units - below;
                let [low, high] = [below, above].map(|part| self.instructions[part]);
                2 * low + high + of_karatsuba(below, above, costs)
            }
        }
    }
}

/// The units of a product.
fn length(units: usize, costs: Costs) -> usize {
    2 * units - 2 + costs.units
}

/// What products of units cost that are added up, of which so many are the first at their place.
fn of_units(products: usize, first: usize, costs: Costs) -> usize {
    let sums = costs.units * products - first;
    let sums = match (costs.ternary, costs.units) {
        (true, 1) => 0,
        (true, _) => sums.div_ceil(2),
        (false, _) => sums,
    };
    costs.product * products + sums
}

/// What Karatsuba's product costs beside its three products, as D. J. Bernstein refines it ("Batch binary Edwards", CRYPTO 2009):
/// a·b = (1 + x^k)(low + x^k high) + x^k middle.
fn of_karatsuba(below: usize, above: usize, costs: Costs) -> usize {
    let (low, high) = (length(below, costs), length(above, costs));
    let overlap = low.saturating_sub(below).min(high);
    let both = low.max(below + high);
    let sums = both + low - below;
    // Where three terms meet.
    let three = both.min(below + low) - below;
    let sums = if costs.ternary { sums - three } else { sums };
    2 * above + overlap + sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_cost_what_is_known() {
        let costs = Costs { product: 1, units: 1, ternary: false };
        let plan = Plan::new(256, costs);
        // Of powers of two what D. J. Bernstein has ("Faster multiplication of polynomials over GF(2)", 2000).
        let known = [(64, 3725), (128, 11_620), (163, 18_204), (233, 32_468), (251, 35_374)];
        for (bits, instructions) in known {
            assert_eq!(plan.instructions(bits), instructions, "{bits}");
        }
        let plan = Plan::new(256, Costs { ternary: true, ..costs });
        for (bits, instructions) in [(64, 2462), (128, 7704), (233, 20_985)] {
            assert_eq!(plan.instructions(bits), instructions, "{bits}");
        }
    }
}
