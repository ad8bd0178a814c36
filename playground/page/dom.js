// Elements in few words.

/** An element with properties, attributes (whose names begin with `@`) and children. */
export function element(name, properties = {}, ...children) {
  const made = name.startsWith("svg:")
    ? document.createElementNS("http://www.w3.org/2000/svg", name.slice(4))
    : document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key.startsWith("@")) {
      made.setAttribute(key.slice(1), value);
    } else {
      made[key] = value;
    }
  }
  made.append(...children.filter((child) => child !== undefined && child !== null));
  return made;
}

/** The element with an identifier. */
export const find = (id) => document.getElementById(id);

/** A table with a caption, heads of columns, and rows whose first cell is their head. */
export function table(caption, heads, rows) {
  const head = heads.map((text) => element("th", { scope: "col" }, text));
  const row = ([first, ...rest]) =>
    element("tr", {}, element("th", { scope: "row" }, first), ...rest.map((cell) => element("td", {}, cell)));
  return element(
    "div",
    { className: "wide", tabIndex: 0, "@role": "group", "@aria-label": caption },
    element(
      "table",
      {},
      element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...rows.map(row)),
    ),
  );
}

/** A number with as many digits as say something. */
export const number = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(3));

/** So many of something. */
export const counted = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
