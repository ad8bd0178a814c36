// Circuits of tables: chosen, counted, drawn by depth, and as equations.

import { counted, element } from "../dom.js";

const SIGNS = { and: "&", or: "|", xor: "^", andnot: "¬&", ornot: "¬|", not: "~", ternary: "3" };
const STEP = { x: 66, y: 30 };

/** Shows the choice of a table, and its circuit once `ask` has it. */
export function circuits(root, tables, ask) {
  const made = tables.filter(({ inputs }) => inputs <= 8);
  if (made.length === 0) {
    root.replaceChildren(element("p", {}, "There is no table of up to eight bits in this program."));
    return;
  }
  const choose = element("select", { id: "table" });
  choose.append(...made.map(({ name, inputs, outputs }) => element("option", { value: name }, `${name}: ${inputs} → ${outputs} bits`)));
  const view = element("div");
  const show = async () => {
    const circuit = await ask(choose.value);
    if (circuit) view.replaceChildren(...drawn(circuit));
  };
  choose.addEventListener("change", show);
  root.replaceChildren(element("div", { className: "head" }, element("label", {}, "Table ", choose)), view);
  return show();
}

function drawn(circuit) {
  const counts = {};
  for (const [kind] of circuit.gates) counts[kind] = (counts[kind] ?? 0) + 1;
  const kinds = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`).join(", ");
  const text = `${counted(circuit.gates.length, "gate")} (${kinds}), depth ${circuit.depth}, by ${circuit.origin}.`;
  const label = `Circuit of ${circuit.name}: ${text}`;
  return [
    element("p", { className: "facts" }, text),
    element("div", { className: "picture", tabIndex: 0, "@role": "group", "@aria-label": "Drawing" }, picture(circuit, label)),
    element("details", { "@aria-label": "As equations" }, element("summary", {}, "As equations"), element("pre", {}, equations(circuit))),
  ];
}

const named = (signal, inputs) => (signal < inputs ? `x${signal}` : `t${signal - inputs}`);

function equations({ inputs, gates, outputs }) {
  const text = ([kind, operands]) => {
    const [a, b, c] = operands.map((signal) => named(signal, inputs));
    const forms = { andnot: `~${a} & ${b}`, ornot: `~${a} | ${b}`, not: `~${a}`, ternary: `table(${a}, ${b}, ${c})` };
    return forms[kind] ?? `${a} ${SIGNS[kind]} ${b}`;
  };
  const lines = gates.map((gate, k) => `t${k} = ${text(gate)}`);
  const results = outputs.map((output, k) => `y${k} = ${typeof output === "number" ? named(output, inputs) : Number(output)}`);
  return [...lines, ...results].join("\n");
}

/** Gates stand behind what they take, from left to right. */
function picture({ inputs, gates, outputs }, label) {
  const depth = Array(inputs).fill(0);
  for (const [, operands] of gates) depth.push(1 + Math.max(...operands.map((signal) => depth[signal])));
  const last = Math.max(...depth) + 1;
  const columns = Array.from({ length: last + 1 }, () => []);
  depth.forEach((own, signal) => columns[own].push(signal));
  const rows = Math.max(...columns.map((column) => column.length), outputs.length);
  const place = [];
  for (const column of columns) {
    // Near the middle of what they take, so that wires are short.
    const wish = (signal) => {
      const operands = gates[signal - inputs]?.[1] ?? [];
      return operands.length ? operands.reduce((sum, own) => sum + place[own].y, 0) / operands.length : signal;
    };
    const sorted = column.map((signal) => [signal, wish(signal)]).sort((a, b) => a[1] - b[1]);
    const top = (rows - sorted.length) / 2;
    sorted.forEach(([signal], k) => (place[signal] = { x: depth[signal] * STEP.x + 24, y: (top + k) * STEP.y + 18 }));
  }
  const [width, height] = [last * STEP.x + 48, rows * STEP.y + 8];
  const svg = element("svg:svg", { "@viewBox": `0 0 ${width} ${height}`, "@width": width, "@height": height, "@role": "img", "@aria-label": label });
  const wire = (from, to) => {
    const middle = (from.x + to.x) / 2;
    svg.append(element("svg:path", { "@class": "wire", "@d": `M${from.x} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${to.x} ${to.y}` }));
  };
  gates.forEach(([, operands], k) => operands.forEach((own) => wire(place[own], place[inputs + k])));
  const ends = outputs.map((output, k) => {
    const end = { x: width - 20, y: ((rows - outputs.length) / 2 + k) * STEP.y + 18 };
    if (typeof output === "number") wire(place[output], end);
    return end;
  });
  const node = ({ x, y }, text, kind) => {
    svg.append(
      element("svg:circle", { "@cx": x, "@cy": y, "@r": 11, "@class": `gate ${kind}` }),
      element("svg:text", { "@x": x, "@y": y + 4, "@class": "cell" }, text),
    );
  };
  for (let k = 0; k < inputs; k++) node(place[k], `x${k}`, "input");
  gates.forEach(([kind], k) => node(place[inputs + k], SIGNS[kind], kind));
  ends.forEach((end, k) => node(end, `y${k}`, "output"));
  return svg;
}
