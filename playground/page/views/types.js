// The types of nodes, and in which slicings one can be built.

import { element, table } from "../dom.js";

/** Shows types and slicings; a legal slicing can be chosen, a reason looked up in the program. */
export function types(root, nodes, legal, { choose, go }) {
  const schemes = nodes.map((node) => {
    const [, type = ""] = node.scheme.split(/ : (.*)/s);
    const name = element("button", { type: "button", className: "link", onclick: () => go(node.at) }, node.name);
    return [name, element("code", {}, type)];
  });
  const parts = [table("Types", ["Definition", "Type"], schemes)];
  if (legal) parts.push(...slicings(legal, choose, go));
  root.replaceChildren(...parts);
}

function slicings({ entry, slicings, rows }, choose, go) {
  const reasons = new Map();
  const cell = (target, slicing, { blocks, slicing: own, why }) => {
    if (blocks) {
      const name = own === slicing ? `✓ ${blocks}` : `✓ ${blocks} ${own}`;
      const label = `Build -${slicing} for ${target}: ${blocks} blocks at once`;
      return element("button", { type: "button", className: "legal", "@aria-label": label, onclick: () => choose(target, slicing) }, name);
    }
    const text = why[0]?.message.replace(` on ${target}`, "") ?? "the target has no such slicing";
    if (!reasons.has(text)) reasons.set(text, { number: reasons.size + 1, at: why[0]?.labels[0]?.at });
    return element("span", { className: "illegal" }, `[${reasons.get(text).number}]`);
  };
  const body = rows.map(({ target, cells }) => [target, ...cells.map((own, k) => cell(target, slicings[k], own))]);
  const notes = [...reasons].map(([text, { at }]) => {
    const note = at ? element("button", { type: "button", className: "link", onclick: () => go(at) }, text) : text;
    return element("li", {}, note);
  });
  return [
    table(`Slicings of ${entry}, with the blocks that are processed at once`, ["Target", ...slicings.map((own) => `-${own}`)], body),
    element("ol", { className: "notes", "@aria-label": "What forbids the others" }, ...notes),
  ];
}
