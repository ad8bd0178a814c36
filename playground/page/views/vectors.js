// Published vectors, by the interpreter.

import { counted, element } from "../dom.js";

/** Shows whether the vectors came out right. */
export function vectors(root, { blocks, messages, ticks, problems, origins }) {
  const counts = [[blocks, "block"], [messages, "message"], [ticks, "tick"]].filter(([count]) => count > 0);
  const all = counts.map(([count, what]) => counted(count, what)).join(" and ");
  const from = element("ul", {}, ...origins.map((origin) => element("li", {}, origin)));
  if (problems.length === 0) {
    root.replaceChildren(
      element("p", { className: "right" }, `✓ The interpreter computes all vectors of this folder: ${all}.`),
      element("h3", {}, "Where they are from"),
      from,
    );
    return;
  }
  root.replaceChildren(
    element("p", { className: "wrong" }, `✗ ${counted(problems.length, "vector")} came out otherwise.`),
    ...problems.slice(0, 20).map((problem) => element("pre", { className: "problem", tabIndex: 0 }, problem.text)),
  );
}
