// Where bits lie: those of a block in memory, and those of several blocks in a register.

import { counted, element } from "../dom.js";

const CELL = 26;
const HEIGHT = 22;

/** Draws parameters and results. */
export function layout(root, { ports, slicing, target, entry }) {
  const inputs = ports.inputs.map((port) => drawn(port, "Parameter", slicing, target));
  const outputs = ports.outputs.map((port) => drawn(port, "Result", slicing, target));
  root.replaceChildren(
    element("p", {}, `Bits of ${entry}, -${slicing} on ${target}. In memory, i.j is bit j of atom i, 0 the most significant; each byte has its least significant bit at the right.`),
    ...inputs,
    ...outputs,
  );
}

function drawn(port, kind, slicing, target) {
  const shape = port.shape.map((size) => `[${size}]`).join("");
  const title = `${kind} ${port.name}: ${port.const ? "const " : ""}u${port.width}${shape}, ${counted(port.bytes, "byte")}, ${order(port.layout)}`;
  const memory = bytes(port);
  const parts = [element("h3", {}, title), memory];
  if (port.registers) {
    const { bits, count } = port.registers;
    const text = `The first of ${counted(count, "register")} of ${counted(bits.length, "bit")}, the least significant at the right; a colour for each block:`;
    parts.push(element("p", {}, text), register(port, slicing, target));
  } else {
    parts.push(element("p", {}, "The same for all blocks: it is broadcast from memory."));
  }
  return element("section", { className: "port" }, ...parts);
}

const order = (layout) =>
  ({ le: "little-endian (@le)", be: "big-endian (@be)", planes: "bit planes (@planes)" })[layout] ?? `in the order of ${layout}`;

/** Bytes side by side, as many as half a line has; the most significant bit of each at the left. */
function bytes(port) {
  const rows = [];
  const most = 64;
  for (let byte = 0; byte < Math.min(port.memory.length / 8, most); byte++) {
    const bits = port.memory.slice(8 * byte, 8 * byte + 8).reverse();
    rows.push({ head: `${byte}`, cells: bits.map((bit) => bit && { text: `${bit[0]}.${bit[1]}`, colour: bit[0] }) });
  }
  const left = port.bytes > most ? `, of which the first ${most} are drawn` : "";
  return picture(rows, `Memory of ${port.name}: ${counted(port.bytes, "byte")}${left}; ${spoken(port)}`);
}

/** What a picture of memory says, in words. */
function spoken(port) {
  const first = port.memory[7];
  return first ? `the most significant bit of byte 0 is bit ${first[1]} of atom ${first[0]}` : "";
}

function register(port, slicing, target) {
  const bits = port.registers.bits;
  const width = 16;
  const rows = [];
  for (let from = bits.length - width; from >= 0; from -= width) {
    const cells = bits.slice(from, from + width).reverse();
    rows.push({ head: `${from}`, cells: cells.map((bit) => bit && { text: label(bit, slicing), colour: bit[0] }) });
  }
  const lanes = new Set(bits.filter(Boolean).map((bit) => bit[0])).size;
  const label_ = `First register of ${port.name} on ${target}: bits of ${counted(lanes, "block")}`;
  return picture(rows, label_);
}

const label = ([lane, atom, position], slicing) =>
  slicing === "B" ? `#${lane}` : slicing === "P" ? `${atom}.${position}` : `${position}`;

function picture(rows, label) {
  const columns = Math.max(...rows.map((row) => row.cells.length), 1);
  const margin = 34;
  const [width, height] = [margin + columns * CELL, rows.length * HEIGHT];
  const svg = element("svg:svg", { "@viewBox": `0 0 ${width} ${height}`, "@width": width, "@height": height, "@role": "img", "@aria-label": label });
  rows.forEach(({ head, cells }, y) => {
    svg.append(element("svg:text", { "@x": margin - 6, "@y": y * HEIGHT + 15, "@class": "row" }, head));
    cells.forEach((cell, x) => {
      const place = { "@x": margin + x * CELL, "@y": y * HEIGHT, "@width": CELL - 1, "@height": HEIGHT - 1 };
      const box = element("svg:rect", { ...place, "@class": cell ? "bit" : "none" });
      // Neighbours differ by the golden angle.
      if (cell) box.style.setProperty("--hue", `${(cell.colour * 137.5) % 360}`);
      svg.append(box);
      if (cell) svg.append(element("svg:text", { "@x": margin + (x + 0.5) * CELL, "@y": y * HEIGHT + 15, "@class": "cell" }, cell.text));
    });
  });
  return element("div", { className: "picture", tabIndex: 0, "@role": "group", "@aria-label": `${label}, drawn` }, svg);
}
