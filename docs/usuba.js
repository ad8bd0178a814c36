// In the book: colours of Usuba, and links that open its programs in the playground, where that lies beside the book.

(() => {
  const WORDS =
    "node table perm returns vars state let tel forall include next const _inline _no_inline _unroll _no_unroll _interleave _lsb _table " +
    "_instruction nat Shuffle Bitmask Pack lazyLift _no_opt _pipelined _safe_exit";
  const keywords = new Set(WORDS.split(" "));
  const token = /(?<comment>#.*|\/\/.*)|(?<string>"[^"\n]*")|(?<number>\b[0-9][A-Za-z0-9_]*\b)|(?<type>\b[ubv][0-9]+(?:x[0-9]+)?\b|'[A-Za-z][A-Za-z0-9_']*)|(?<word>[A-Za-z_][A-Za-z0-9_]*)/g;

  /** Puts words of a program in elements with the classes of the book's themes. */
  function colour(code) {
    const text = code.textContent;
    const parts = [];
    let end = 0;
    for (const { index, 0: word, groups } of text.matchAll(token)) {
      const kind = groups.comment ? "comment" : groups.string ? "string" : groups.number ? "number" : groups.type ? "type" : keywords.has(word) ? "keyword" : "";
      if (!kind) continue;
      parts.push(text.slice(end, index), Object.assign(document.createElement("span"), { className: `hljs-${kind}`, textContent: word }));
      end = index + word.length;
    }
    code.replaceChildren(...parts, text.slice(end));
    code.classList.add("hljs");
  }

  const programs = [...document.querySelectorAll("code.language-usuba")];
  programs.forEach(colour);

  const playground = new URL(`${typeof path_to_root === "string" ? path_to_root : ""}playground/`, document.baseURI);
  // It fails where there is no playground, and then there are no links.
  if (programs.length) import(`${playground}share.js`).then(link, () => {});

  async function link({ fragment }) {
    for (const code of programs.filter((own) => !/\bcompat\b/.test(own.className))) {
      const address = playground + (await fragment({ text: code.textContent, path: "program.ua", tab: "types" }));
      const words = { href: address, textContent: "Open in the playground", className: "playground-link" };
      code.parentElement.after(Object.assign(document.createElement("a"), words));
    }
  }
})();
