/// The grammar of Usuba for tree-sitter, as `docs/src/language.md` and `docs/src/modes.md` have it.
"use strict";

const commas = (rule) => seq(rule, repeat(seq(",", rule)));

// From the loosest to the tightest.
const SHIFT = 1;
const SUM = 2;
const PRODUCT = 3;
const BITWISE = 4;
const NOT = 5;

module.exports = grammar({
  name: "usuba",

  word: ($) => $.identifier,

  extras: ($) => [/\s/, $.comment],

  rules: {
    source_file: ($) => repeat($._item),

    _item: ($) => choice(
        $.include,
        $.node,
        $.table,
        $.permutation,
        $.mode,
        $.member,
        $.field_definition,
        $.constant_definition,
      ),

    comment: (_) => token(choice(/#.*/, /\/\/.*/)),

    include: ($) => seq("include", field("path", $.string)),
    string: (_) => /"[^"\n]*"/,

    // ---- definitions ----

    node: ($) =>
      seq(
        repeat($.option),
        "node",
        choice(
          seq($._header, field("body", $.body)),
          seq($.array, $._header, "[", field("body", $.body), repeat(seq(";", field("body", $.body))), "]"),
        ),
      ),
    table: ($) => seq(repeat($.option), "table", $._entries),
    permutation: ($) => seq(repeat($.option), "perm", $._entries),
    _entries: ($) =>
      choice(
        seq($._header, choice($.integers, seq("=", $.inverse))),
        seq($.array, $._header, "[", $._listing, repeat(seq(";", $._listing)), "]"),
      ),
    _listing: ($) => choice($.integers, $.inverse),
    inverse: ($) =>
      seq("inverse", "(", field("of", $.identifier), optional(seq("<", field("element", $._static), ">")), ")"),
    array: (_) => seq("[", "]"),
    _header: ($) =>
      seq(
        field("name", $.identifier),
        field("parameters", $.parameters),
        "returns",
        field("results", $.parameters),
      ),
    option: ($) =>
      choice(
        "_inline",
        "_no_inline",
        "_lsb",
        "_table",
        "_instruction",
        "_unroll",
        "_no_unroll",
        "lazyLift",
        "_no_opt",
        "_pipelined",
        "_safe_exit",
        seq("_interleave", "(", $.number, ")"),
      ),

    parameters: ($) => seq("(", optional(commas($.group)), ")"),
    group: ($) =>
      seq(commas(field("name", $.identifier)), ":", repeat("const"), field("type", $.type), optional($.layout)),
    layout: ($) => seq("@", $.identifier),
    integers: ($) => seq("{", commas($._entry), "}"),
    _entry: ($) => choice($._static, $.repeated),
    repeated: ($) =>
      seq(
        "forall",
        field("iterator", $.identifier),
        "in",
        "[",
        field("first", $._static),
        ",",
        field("last", $._static),
        "]",
        $.integers,
      ),

    constant_definition: ($) =>
      seq(
        "const",
        field("name", $.identifier),
        ":",
        field("type", $.type),
        "=",
        field("value", choice($._expression, $.integers)),
      ),

    body: ($) => seq(optional($.variables), optional($.registers), "let", optional($._equations), "tel"),
    variables: ($) => seq("vars", optional(commas($.group))),
    registers: ($) => seq("state", commas($.register)),
    register: ($) =>
      seq(field("name", $.identifier), ":", field("type", $.type), optional(seq("=", field("reset", $._expression)))),

    // ---- types ----

    type: ($) => seq(choice("nat", "node", "bytes", $.atoms, $.identifier), repeat(seq("[", $._static, "]"))),
    atoms: ($) =>
      choice(
        $._plain_atoms,
        seq(
          $.letter,
          optional(seq("<", $.direction, ">")),
          $._size,
          optional($.count),
        ),
      ),
    _plain_atoms: (_) => token(prec(1, /[ubv][0-9]+(x[0-9]+)?/)),
    letter: (_) => choice("u", "b", "v"),
    direction: ($) => choice("H", "V", "B", "P", $.parameter),
    _size: ($) => choice(alias($.size, $.number), $.parameter),
    size: (_) => /[0-9]+(x[0-9]+)?/,
    parameter: (_) => /'[A-Za-z][A-Za-z0-9_']*/,
    count: (_) => /x\s*[0-9]+/,

    // ---- equations ----

    _equations: ($) =>
      choice(
        seq(repeat1($._ended), optional($._equation)),
        $._equation,
      ),
    _ended: ($) => choice(seq($._equation, ";"), seq($.forall, optional(";"))),
    _equation: ($) => choice($.definition, $.next),
    definition: ($) =>
      seq(
        field("left", choice($.variable, $.pattern)),
        optional(field("operator", choice("&", "|", "^", "+", "-", "*"))),
        choice("=", seq(":", "=")),
        field("right", $._expression),
      ),
    pattern: ($) => seq("(", commas($.variable), ")"),
    next: ($) => seq("next", field("left", $.variable), "=", field("right", $._expression)),
    forall: ($) =>
      seq(
        repeat($.option),
        "forall",
        field("iterator", $.identifier),
        "in",
        "[",
        field("first", $._static),
        ",",
        field("last", $._static),
        "]",
        $.block,
      ),
    block: ($) => seq("{", optional($._equations), "}"),

    // ---- expressions ----

    _expression: ($) =>
      choice(
        $.constant,
        $.variable,
        $.call,
        $.shuffle,
        $.bitmask,
        $.pack,
        $.tuple,
        $.not,
        $.binary,
        $.shift,
      ),
    constant: ($) => seq($.number, optional(seq(":", $.type))),
    number: (_) => /[0-9][A-Za-z0-9_]*/,
    identifier: (_) => /[A-Za-z_][A-Za-z0-9_']*/,

    variable: ($) => prec.right(seq(field("name", $.identifier), repeat($.selection))),
    selection: ($) =>
      seq("[", choice($._static, seq($._static, "..", $._static), seq($._static, repeat1(seq(",", $._static)))), "]"),

    call: ($) =>
      seq(field("callee", $.identifier), optional(seq("<", field("element", $._static), ">")), $._arguments),
    _arguments: ($) => seq("(", optional(commas($._expression)), ")"),
    shuffle: ($) => seq("Shuffle", "(", $._expression, ",", "[", commas($._entry), "]", ")"),
    bitmask: ($) => seq("Bitmask", "(", $._expression, ",", $._static, ")"),
    pack: ($) => seq("Pack", "(", $._expression, ",", $._expression, ")", ":", $.type),
    tuple: ($) => seq("(", commas($._expression), ")"),

    not: ($) => prec(NOT, seq("~", $._expression)),
    binary: ($) =>
      choice(
        prec.left(SUM, seq($._expression, choice("+", "-"), $._expression)),
        prec.left(PRODUCT, seq($._expression, choice("*", "/", "%"), $._expression)),
        prec.left(BITWISE, seq($._expression, choice("&", "|", "^"), $._expression)),
      ),
    shift: ($) => prec.left(SHIFT, seq($._expression, choice("<<", ">>", ">>!", "<<<", ">>>"), field("amount", $._static))),

    _static: ($) => choice($.number, $.identifier, $.static_element, $.static_binary, $.static_tuple),
    static_element: ($) => prec.right(seq(field("list", $.identifier), repeat1(seq("[", $._static, "]")))),
    static_tuple: ($) => seq("(", $._static, ")"),
    static_binary: ($) =>
      choice(
        prec.left(SUM, seq($._static, choice("+", "-"), $._static)),
        prec.left(PRODUCT, seq($._static, choice("*", "/", "%"), $._static)),
      ),

    // ---- fields ----

    field_definition: ($) =>
      seq(
        "field",
        field("name", $.identifier),
        "=",
        field("order", $._formula),
        optional(seq("by", field("polynomial", $.polynomial))),
      ),
    polynomial: ($) => seq($._term, repeat(seq("+", $._term))),
    _term: ($) => choice($.integer, $.identifier, $.power),
    power: ($) => seq(field("variable", $.identifier), "^", field("exponent", $.integer)),
    _formula: ($) => choice($.integer, $.formula, seq("(", $._formula, ")")),
    formula: ($) =>
      choice(
        prec.left(1, seq($._formula, choice("+", "-"), $._formula)),
        prec.left(2, seq($._formula, "*", $._formula)),
        prec(3, seq($._formula, "^", $._formula)),
      ),

    // ---- modes ----

    mode: ($) =>
      seq(
        "mode",
        $._header,
        optional($.variables),
        "let",
        repeat(choice($._ended, seq($.each, optional(";")))),
        optional($._equation),
        "tel",
      ),
    member: ($) =>
      seq(
        choice("mode", seq(repeat($.option), "node")),
        field("name", $.identifier),
        "=",
        field("family", $.identifier),
        "(",
        commas($._static),
        ")",
      ),
    each: ($) =>
      seq(
        "forall",
        $._stream_block,
        optional(seq(",", $._stream_block)),
        optional($.unless),
        choice($.block, $.leaf),
        optional(seq("last", optional(seq(",", "short")), $.block)),
        optional(seq("short", $.block)),
        optional(seq("back", $.block)),
        optional($.pair),
      ),
    // What is done with a chunk of a tree.
    leaf: ($) =>
      seq("{", repeat($._ended), $.each, optional(";"), repeat($._ended), optional($._equation), "}"),
    pair: ($) =>
      seq(
        "pair",
        field("left", $.identifier),
        ",",
        field("right", $.identifier),
        "in",
        field("node", $.identifier),
        $.block,
      ),
    unless: (_) => seq("unless", "empty"),
    _stream_block: ($) =>
      seq(field("block", $.identifier), ":", $.type, optional($.layout), "in", field("stream", $._stream)),
    _stream: ($) => choice($.identifier, $.padded, $.whole),
    whole: ($) => seq("whole", "(", $.identifier, ")"),
    padded: ($) =>
      seq(
        "pad",
        "(",
        repeat(seq($._front, ",")),
        optional(seq(choice(seq("bytes", ":", $.type, optional($.layout)), seq("length", ":", "left")), ",")),
        $.identifier,
        repeat(seq(",", $._static)),
        optional(seq(",", $.length)),
        ")",
      ),
    // In front of a stream, whose name a static expression might be: it begins with a number.
    _front: ($) => seq($.number, optional(seq(choice("+", "-", "*", "/", "%"), $._static))),
    length: ($) => seq("length", ":", $.type, optional($.layout)),
  },
});
