//! Which names can be written at a place.

use super::{Model, Symbol, SymbolId, SymbolKind};
use crate::source::{FileId, Span};

impl Model {
    /// What can be named at an offset: all definitions, and of what the definition around it declares that in whose scope it is.
    pub fn visible(&self, file: FileId, offset: u32) -> Vec<(SymbolId, &Symbol)> {
        let owner = self.definition_at(file, offset);
        let is_near = |symbol: &Symbol| {
            let scope = symbol.scope;
            scope.file == file && scope.start <= offset && offset <= scope.end
        };
        let is_visible = |symbol: &Symbol| match symbol.owner {
            None => true,
            own => own == owner && is_near(symbol),
        };
        self.symbols().filter(|(_, symbol)| is_visible(symbol)).collect()
    }

    /// What a symbol would be taken for, or what would be taken for it, if it had another name.
    pub fn clash(&self, symbol: SymbolId, name: &str) -> Option<&Symbol> {
        let own = self.symbol(symbol);
        let overlaps = |other: &Symbol| {
            let (a, b) = (own.scope, other.scope);
            a.file == b.file && a.start < b.end && b.start < a.end
        };
        let meets = |id: SymbolId, other: &Symbol| match (own.owner, other.owner) {
            (None, None) => true,
            (None, _) => self.is_hidden(symbol, other),
            (_, None) => self.is_hidden(id, own),
            (a, b) => a == b && overlaps(other),
        };
        let other = |(id, other): &(SymbolId, &Symbol)| {
            *id != symbol && other.name == name && meets(*id, other)
        };
        self.symbols().find(other).map(|(_, other)| other)
    }

    /// Whether a definition is used where it would not be found if a declared name were the same: a constant is, for which a
    /// variable may stand. Whether a name is that of any other definition, its place says.
    fn is_hidden(&self, definition: SymbolId, declared: &Symbol) -> bool {
        let is_constant =
            matches!(self.symbol(definition).kind, SymbolKind::Constant | SymbolKind::Number);
        let scope = declared.scope;
        let is_inside = |span: Span| {
            span.file == scope.file && scope.start <= span.start && span.end <= scope.end
        };
        is_constant && self.occurrences(definition).any(|place| is_inside(place.span))
    }
}
