// What a kernel costs by the machine models, and what was weighed.

import { counted, element, number, table } from "../dom.js";

/** Shows prices and bounds, and how the choices were made. */
export function price(root, { prices, entry, slicing, target, blocks, blockBytes, operations, instructions, explained }) {
  const most = Math.max(...prices.map((row) => row.perByte));
  const rows = prices.map((row) => [
    row.title,
    element("span", { className: "bar", "@style": `--part: ${row.perByte / most}` }, number(row.perByte)),
    row.binds,
    number(row.boundPerByte),
    row.boundBy,
    `${row.spills} / ${row.reloads}`,
    row.code.toLocaleString("en"),
  ]);
  const kinds = Object.entries(operations).map(([kind, count]) => `${count} ${kind}`);
  root.replaceChildren(
    element("p", {}, `The kernel of ${entry}, -${slicing} on ${target}: ${counted(blocks, "block")} of ${counted(blockBytes, "byte")} in a run of ${counted(instructions, "instruction")} (${kinds.join(", ")}).`),
    prices.length === 0
      ? element("p", {}, "No machine model has what this target needs.")
      : table("Core cycles per byte of the kernel, by machine model", ["Machine", "Estimate", "Limit", "At least", "Bound by", "Spills / reloads", "Code"], rows),
    element("p", { className: "hint" }, "The estimate orders the statements as they are written and spills as a compiler of C would. No order takes less than the bound. Transpositions come besides. Nothing here was measured."),
    element("details", { "@aria-label": "What was weighed" }, element("summary", {}, "What was weighed"), element("pre", { tabIndex: 0 }, explained)),
  );
}
