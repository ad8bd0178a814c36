// What people need who don't see the page, or see it badly.

import assert from "node:assert/strict";

/** The least contrast of text (WCAG 2.2, level AA). */
const CONTRAST = 4.5;

/** Looks at every panel in both colour schemes. */
export async function accessible(page, address, tabs, tab) {
  let seen = 0;
  let least = Infinity;
  for (const scheme of ["light", "dark"]) {
    await page.look(1280, 860, scheme);
    await page.open(`${address}#example=rectangle`);
    await page.until("document.querySelector('#panel-c pre.text')");
    for (const name of tabs) {
      await tab(name);
      const controls = await page.controls();
      seen += controls.length;
      const nameless = controls.filter((control) => control.name === "" && control.role !== "status");
      assert.deepEqual(nameless, [], `without a name in ${name}`);
      const has = (role, wanted) => controls.some((control) => control.role === role && control.name.startsWith(wanted));
      for (const wanted of ["Example", "Node", "Slicing", "Target", "Machine"]) assert.ok(has("combobox", wanted), wanted);
      assert.ok(has("textbox", "Program in Usuba"));
      assert.equal(controls.filter((control) => control.role === "tab").length, tabs.length);
      const [worst, where] = await page.run(`(${contrast})()`);
      assert.ok(worst >= CONTRAST, `contrast ${worst.toFixed(2)} of ${where} in ${name}, ${scheme}`);
      least = Math.min(least, worst);
    }
  }
  await page.look(1280, 860);
  return `${seen} controls, least contrast ${least.toFixed(2)}`;
}

/** In the page: the least contrast of a text with what is behind it, and the text. */
function contrast() {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colour = (text) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((part) => {
      const own = part / 255;
      return own <= 0.04045 ? own / 12.92 : ((own + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (own) => {
    for (let at = own; at; at = at.parentElement) {
      const found = colour(getComputedStyle(at).backgroundColor);
      if (found[3] === 255) return found;
    }
    return colour("white");
  };
  let worst = [Infinity, ""];
  for (const own of document.querySelectorAll("body *")) {
    const text = [...own.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!text || own.closest("textarea, option") || own.disabled || !own.checkVisibility()) continue;
    const style = getComputedStyle(own);
    const drawn = own.closest("svg");
    const cell = drawn && own.classList.contains("cell") ? own.previousElementSibling : null;
    const fill = cell && getComputedStyle(cell).fill;
    const back = fill && fill !== "none" ? colour(fill) : behind(own);
    const [a, b] = [light(colour(drawn ? style.fill : style.color)), light(back)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < worst[0]) worst = [ratio, `${own.tagName}.${own.getAttribute("class")} “${own.textContent.slice(0, 30)}”`];
  }
  return worst;
}
