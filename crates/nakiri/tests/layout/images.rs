//! What images are made of bytes by: words that are put together, and the C of it.

use crate::cases::{Random, MACHINES};
use nakiri::core::{Direction, Layout};
use nakiri::layout::gather::{gather, Gather};
use nakiri::layout::{image, memory_bit, memory_bytes, Machine};

/// A port of constants.
type Port = (Machine, Direction, u16, u32, Layout);

fn ports() -> Vec<Port> {
    let mut random = Random(3);
    let [words32, words64, vectors] = [0, 2, 7].map(|k| MACHINES[k]);
    let mut ports = vec![
        (vectors, Direction::B, 13, 3, Layout::Le),
        (vectors, Direction::B, 128, 2, Layout::Be),
        (vectors, Direction::B, 1, 13, Layout::Be),
        (vectors, Direction::H, 4, 2, Layout::Be),
        (vectors, Direction::H, 2, 12, Layout::Le),
        (vectors, Direction::P, 128, 3, Layout::Be),
        (vectors, Direction::P, 32, 5, Layout::Le),
        (words32, Direction::H, 8, 3, Layout::Le),
    ];
    for (direction, widths) in [
        (Direction::B, &[1, 8, 16, 64][..]),
        (Direction::V, &[8, 16, 32, 64]),
        (Direction::H, &[8, 16]),
    ] {
        for machine in [words32, words64, vectors] {
            for &width in widths {
                let count = 64 / u32::from(width.min(8));
                let entries = random.permutation(u32::from(width) * count);
                let perm = Layout::Perm { name: "p".into(), entries };
                let planes = (width > 1).then_some(Layout::Planes);
                let layouts = [Layout::Le, Layout::Be, perm].into_iter().chain(planes);
                ports.extend(layouts.map(|layout| (machine, direction, width, count, layout)));
            }
        }
    }
    ports
}

fn gathered((machine, direction, width, count, layout): &Port) -> Gather {
    let places = image::places(layout, *width, *count).expect("it fits");
    let sources = image::sources(*machine, *direction, *width, &places);
    gather(&sources, memory_bytes(*width, *count))
}

#[test]
fn images_are_those_of_the_atoms() {
    let mut random = Random(5);
    for port in ports() {
        let (machine, direction, width, count, layout) = &port;
        let block = random.bytes(memory_bytes(*width, *count));
        let mut expected = Vec::new();
        for atom in 0..*count {
            let value = (0..*width).fold(0, |value, position| {
                let bit = memory_bit(layout, *width, *count, atom, position).expect("it fits");
                value << 1 | u128::from(block[bit / 8] >> (bit % 8) & 1)
            });
            expected.extend(image::image(*machine, *direction, *width, value));
        }
        let gather = gathered(&port);
        let turn = |turn: usize| &block[turn * gather.step..];
        let words = (0..gather.turns).flat_map(|t| {
            gather.words.iter().flat_map(move |word| word.value(turn(t)).to_le_bytes())
        });
        assert!(words.eq(expected), "{port:?}: {gather:?}");
    }
}

/// Words that lie in memory as they are needed are read as such, in a loop, and no bit is moved by itself.
#[test]
fn words_are_copied_as_words() {
    let vectors = MACHINES[7];
    for (width, layout, text) in [
        (32, Layout::Le, "Times(Load { bits: 32, offset: 0 }, 4294967297)"),
        (64, Layout::Le, "Load { bits: 64, offset: 0 }"),
        (32, Layout::Be, "Times(Reversed { bits: 32, offset: 0 }, 4294967297)"),
    ] {
        let gather = gathered(&(vectors, Direction::V, width, 132, layout));
        assert_eq!((gather.turns, gather.step), (132, usize::from(width) / 8));
        assert_eq!(format!("{:?}", gather.words), format!("[{text}]"));
    }
    // Eight bits at once.
    let planes = gathered(&(vectors, Direction::H, 16, 8, Layout::Planes));
    assert!(format!("{:?}", planes.words[0]).matches("Load").count() == 1, "{planes:?}");
    let le = gathered(&(vectors, Direction::H, 16, 88, Layout::Le));
    assert_eq!((le.turns, le.words.len()), (88, 2));
    assert!(format!("{:?}", le.words[0]).matches("Load").count() == 1, "{le:?}");
}

/// Under B the bits of a byte are eight words one after another, unless a permutation takes them apart.
#[test]
fn bytes_that_are_spread_are_found() {
    let vectors = MACHINES[7];
    let spread = |layout| {
        let gather = gathered(&(vectors, Direction::B, 16, 4, layout));
        let bytes = (0..gather.words.len()).map(|word| gather.spread_byte(word)).collect();
        let fewer = gather.operations(Some(256)) < gather.operations(None);
        (gather.turns, bytes, fewer)
    };
    let at = |places: &[(usize, usize)]| -> Vec<Option<usize>> {
        let mut bytes = vec![None; 16];
        places.iter().for_each(|(word, byte)| bytes[*word] = Some(*byte));
        bytes
    };
    assert_eq!(spread(Layout::Le), (4, at(&[(0, 1), (8, 0)]), true));
    assert_eq!(spread(Layout::Be), (8, at(&[(0, 0)])[..8].to_vec(), true));
    let entries = Random(7).permutation(64);
    let (_, bytes, fewer) = spread(Layout::Perm { name: "p".into(), entries });
    assert!(bytes.iter().all(Option::is_none) && !fewer);
}
