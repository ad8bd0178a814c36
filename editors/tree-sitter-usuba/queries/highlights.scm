(comment) @comment
(string) @string
(number) @number
(type) @type
(parameter) @type
(layout (identifier) @attribute)

["node" "table" "perm" "mode" "field" "by" "returns" "vars" "state" "let" "tel" "include" "next" "in" "last" "short" "back" "pair" "unless" "empty" "left"] @keyword
["forall"] @keyword.repeat
["const"] @keyword.modifier
(option) @keyword.modifier
["Shuffle" "Bitmask" "Pack" "pad" "whole" "inverse"] @function.builtin

(node name: (identifier) @function)
(table name: (identifier) @function)
(permutation name: (identifier) @function)
(mode name: (identifier) @function)
(inverse of: (identifier) @function.call)
(constant_definition name: (identifier) @constant)
(member name: (identifier) @function family: (identifier) @function)
(call callee: (identifier) @function.call)
(group name: (identifier) @variable.parameter)
(register name: (identifier) @property)
(repeated iterator: (identifier) @constant)
(static_element list: (identifier) @constant)
(forall iterator: (identifier) @constant)
(variable name: (identifier) @variable)

["&" "|" "^" "~" "+" "-" "*" "/" "%" "<<" ">>" ">>!" "<<<" ">>>" "=" ".."] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" ":"] @punctuation.delimiter
