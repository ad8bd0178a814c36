// The program: a text area, over a picture of its text with the compiler's colours.

import { element } from "./dom.js";

export class Editor {
  #root;
  #area;
  #paint;
  #gutter;
  #bars;
  #words = [];
  #marks = [];
  #painted = "";

  constructor(root) {
    this.#root = root;
    this.#area = root.querySelector("textarea");
    this.#paint = root.querySelector(".paint");
    this.#gutter = root.querySelector(".gutter");
    this.#bars = root.querySelector(".bars");
    this.#area.addEventListener("input", () => this.#edited());
    this.#area.addEventListener("keydown", (event) => this.#key(event));
  }

  get text() {
    return this.#area.value;
  }

  set text(text) {
    this.#area.value = text;
    this.#words = [];
    this.#marks = [];
    this.#draw();
    this.#root.scrollTo(0, 0);
    this.#area.setSelectionRange(0, 0);
  }

  /** Another text in place of this, which can be undone. */
  replace(text) {
    if (text === this.text) return;
    const caret = this.caret;
    this.#area.focus({ preventScroll: true });
    this.#area.select();
    document.execCommand("insertText", false, text);
    this.#area.setSelectionRange(caret, caret);
  }

  get caret() {
    return this.#area.selectionStart;
  }

  /** Calls back when the text or the place of the caret changes. */
  listen({ edited, moved }) {
    this.#area.addEventListener("input", edited);
    for (const name of ["keyup", "click", "focus"]) this.#area.addEventListener(name, moved);
  }

  /** Colours words, and underlines what is wrong. */
  show(words, marks) {
    this.#words = words;
    this.#marks = marks;
    this.#draw();
  }

  /** Selects a place and shows it. */
  select(start, end) {
    this.#area.focus({ preventScroll: true });
    this.#area.setSelectionRange(start, end);
    this.reveal(start);
  }

  /** Scrolls to a place. */
  reveal(offset) {
    const top = this.#line(offset) * this.#lineHeight();
    const { scrollTop, clientHeight } = this.#root;
    if (top < scrollTop || top > scrollTop + clientHeight - 2 * this.#lineHeight()) {
      this.#root.scrollTop = top - clientHeight / 3;
    }
  }

  /** Marks the lines of a place, or none. */
  bar(place) {
    this.#bars.replaceChildren();
    if (!place) return;
    const [first, last] = place.map((offset) => this.#line(offset));
    const height = this.#lineHeight();
    const bar = element("div");
    bar.style.top = `${first * height}px`;
    bar.style.height = `${(last - first + 1) * height}px`;
    this.#bars.append(bar);
  }

  /** The line of a place, from 0. */
  #line(offset) {
    return this.text.slice(0, offset).split("\n").length - 1;
  }

  #lineHeight() {
    return parseFloat(getComputedStyle(this.#area).lineHeight);
  }

  #key(event) {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.altKey) return;
    const line = this.text.slice(this.text.lastIndexOf("\n", this.caret - 1) + 1, this.caret);
    const indent = line.match(/^ */)[0];
    if (indent === "") return;
    event.preventDefault();
    // Not by a new value, which would forget what can be undone.
    document.execCommand("insertText", false, `\n${indent}`);
  }

  /** Until the compiler has answered, words move with the text. */
  #edited() {
    const [old, now] = [this.#painted, this.text];
    let before = 0;
    while (before < Math.min(old.length, now.length) && old[before] === now[before]) before++;
    let after = 0;
    const most = Math.min(old.length, now.length) - before;
    while (after < most && old[old.length - 1 - after] === now[now.length - 1 - after]) after++;
    const end = old.length - after;
    const moved = now.length - old.length;
    const move = ([start, stop, ...rest]) =>
      stop <= before ? [start, stop, ...rest] : start >= end ? [start + moved, stop + moved, ...rest] : null;
    this.#words = this.#words.map(move).filter(Boolean);
    this.#marks = this.#marks.map(move).filter(Boolean);
    this.bar(null);
    this.#draw();
  }

  #draw() {
    const text = this.text;
    this.#painted = text;
    const edges = new Set([0, text.length]);
    for (const [start, end] of [...this.#words, ...this.#marks]) edges.add(start).add(end);
    const at = [...edges].filter((edge) => edge <= text.length).sort((a, b) => a - b);
    const parts = [];
    let next = 0;
    for (let k = 0; k + 1 < at.length; k++) {
      const [start, end] = [at[k], at[k + 1]];
      while (next < this.#words.length && this.#words[next][1] <= start) next++;
      const word = this.#words[next];
      const classes = [];
      if (word && word[0] <= start && start < word[1]) classes.push(`w-${word[2]}`);
      for (const [from, to, severity] of this.#marks) if (from <= start && start < to) classes.push(severity);
      const shown = text.slice(start, end);
      parts.push(classes.length ? element("span", { className: classes.join(" ") }, shown) : shown);
    }
    this.#paint.replaceChildren(...parts, "\n");
    const lines = text.split("\n").length;
    this.#gutter.textContent = Array.from({ length: lines }, (_, k) => k + 1).join("\n");
  }
}
