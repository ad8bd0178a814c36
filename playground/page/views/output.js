// Emitted files, whose lines are joined with the places of the program that they come from.

import { counted, element } from "../dom.js";

/** So many lines are one element: the browser lays out what is seen. */
const CHUNK = 100;

export class Output {
  #root;
  #editor;
  #files = [];
  #file;
  #line = -1;

  constructor(root, editor) {
    this.#root = root;
    this.#editor = editor;
  }

  /** Shows what was built. */
  show({ command, files, blocks, target, slicing, instructions }) {
    const old = this.#file?.path;
    this.#files = files;
    this.command = element("code", {}, command);
    this.facts = `-${slicing} on ${target}: ${counted(blocks, "block")} at once, ${counted(instructions, "instruction")} a run`;
    const kept = files.find((file) => file.path === old);
    this.#open(kept ?? files.find((file) => file.places.length > 0) ?? files[0]);
  }

  #open(file) {
    this.#file = file;
    this.#line = -1;
    const lines = file.text.split("\n");
    this.bars = element("div", { className: "bars", "@aria-hidden": "true" });
    this.text = element("pre", { className: "text" });
    for (let from = 0; from < lines.length; from += CHUNK) {
      const some = lines.slice(from, from + CHUNK);
      const chunk = element("span", { className: "chunk" }, some.join("\n"));
      chunk.style.containIntrinsicSize = `auto 40em auto calc(${some.length} * var(--line))`;
      this.text.append(chunk);
    }
    this.view = element(
      "div",
      { className: "output", tabIndex: 0, "@role": "region", "@aria-label": `Text of ${file.path}` },
      element("div", { className: "field" }, this.bars, this.text),
    );
    this.text.addEventListener("mousemove", (event) => this.#source(this.#lineAt(event), false));
    this.text.addEventListener("mouseleave", () => this.#editor.bar(null));
    this.text.addEventListener("click", (event) => {
      if (getSelection().isCollapsed) this.#source(this.#lineAt(event), true);
    });
    this.#root.replaceChildren(this.#head(lines.length), this.view);
    // What is before the kernel is much the same everywhere.
    if (file.places.length) this.view.scrollTop = (file.places[0][0] - 3) * this.#lineHeight();
    this.seen(this.#editor.caret);
  }

  #head(lines) {
    const choose = element("select", { onchange: (event) => this.#open(this.#files[event.target.selectedIndex]) });
    choose.append(...this.#files.map((file) => element("option", { selected: file === this.#file }, file.path)));
    this.here = element("button", { type: "button", disabled: true, onclick: () => this.#next() }, "Next line from the caret");
    return element(
      "div",
      { className: "head" },
      element("label", {}, "File ", choose),
      element("button", { type: "button", onclick: (event) => this.#copy(event.target) }, "Copy"),
      element("button", { type: "button", onclick: () => this.#save() }, "Download"),
      this.here,
      element("p", { className: "facts" }, `${this.facts}; ${counted(lines, "line")}.`),
      element("p", { className: "command" }, this.command),
    );
  }

  async #copy(button) {
    await navigator.clipboard.writeText(this.#file.text);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  }

  #save() {
    const address = URL.createObjectURL(new Blob([this.#file.text], { type: "text/plain" }));
    element("a", { href: address, download: this.#file.path.split("/").pop() }).click();
    URL.revokeObjectURL(address);
  }

  #lineHeight() {
    return parseFloat(getComputedStyle(this.text).lineHeight);
  }

  #lineAt(event) {
    return Math.floor((event.clientY - this.text.getBoundingClientRect().top) / this.#lineHeight());
  }

  /** Shows where a line comes from. */
  #source(line, selects) {
    const found = this.#file.places.find(([number]) => number === line);
    this.#editor.bar(found ? found.slice(1) : null);
    if (!found) return;
    if (selects) {
      this.#editor.select(found[1], found[2]);
      this.seen(found[1]);
    }
  }

  /** Marks the lines that come from the place around an offset of the program. */
  seen(offset) {
    this.bars.replaceChildren();
    this.lines = [];
    const around = this.#file.places.filter(([, start, end]) => start <= offset && offset <= end);
    const least = Math.min(...around.map(([, start, end]) => end - start));
    this.lines = around.filter(([, start, end]) => end - start === least).map(([line]) => line);
    const height = this.#lineHeight();
    let from = 0;
    for (let k = 1; k <= this.lines.length; k++) {
      if (this.lines[k] === this.lines[k - 1] + 1) continue;
      const bar = element("div");
      bar.style.top = `${this.lines[from] * height}px`;
      bar.style.height = `${(k - from) * height}px`;
      this.bars.append(bar);
      from = k;
    }
    this.here.disabled = this.lines.length === 0;
    this.here.textContent = this.lines.length
      ? `Next of ${counted(this.lines.length, "line")} from the caret`
      : "No line comes from the caret";
  }

  #next() {
    const next = this.lines.find((line) => line > this.#line) ?? this.lines[0];
    this.#line = next;
    this.view.scrollTop = next * this.#lineHeight() - this.view.clientHeight / 3;
    this.here.setAttribute("aria-description", `Line ${next + 1}: ${this.#file.text.split("\n")[next].trim()}`);
  }
}
