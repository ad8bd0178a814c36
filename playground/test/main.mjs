// What a browser must do with the playground.
//
//   node main.mjs FOLDER NAKIRI CHROMIUM PICTURES [WORDS]
//
// FOLDER is what tools/playground.sh made, NAKIRI the command of the same sources, PICTURES gets pictures of the page. With WORDS only the
// parts are run in whose names they are.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { browser } from "./browser.mjs";
import { accessible } from "./accessible.mjs";
import { compiled } from "./compiled.mjs";
import { serve } from "./server.mjs";

const [folder, nakiri, chromium, pictures, only = ""] = process.argv.slice(2);
const MEGABYTE = 1e6;
const TABS = ["c", "rust", "types", "layout", "circuit", "price", "vectors"];

let failed = 0;
/** Runs a part of the test, and goes on after a failure. */
async function part(name, action) {
  if (!name.includes(only)) return;
  const begun = performance.now();
  try {
    const said = await action();
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    console.log(`ok      ${name} (${seconds} s)${said ? `: ${said}` : ""}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}: ${error.stack}`);
  }
}

mkdirSync(pictures, { recursive: true });
const program = "node Not (x:u16) returns (y:u16) let y = ~x tel # <ü>\n";
const book = readFileSync(new URL("../../docs/usuba.js", import.meta.url));
const chapter = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><pre><code class="language-usuba">${program.replace("<", "&lt;")}</code></pre><script src="usuba.js"></script>`;
const server = await serve(folder, { "/chapter.html": chapter, "/usuba.js": book });
const chrome = browser(chromium);
const page = await chrome.page();
await page.look(1280, 860);
const ready = "document.documentElement.dataset.ready !== undefined";
const quiet = "document.getElementById('progress').textContent === ''";
const text = (id) => page.run(`document.getElementById("${id}").textContent`);
const click = (id) => page.run(`document.getElementById("${id}").click()`);
const set = (id, value) =>
  page.run(`{ const own = document.getElementById("${id}"); own.value = "${value}"; own.dispatchEvent(new Event("change")); }`);
const shot = async (name) => writeFileSync(join(pictures, `${name}.png`), await page.picture());
const choose = async (example) => {
  if (!(await page.run(ready))) {
    await page.open(server.address);
    await page.until(ready);
  }
  await set("example", example);
  await page.until(`document.getElementById("path").textContent.includes("/${example}/")`);
};
const tab = async (name, seconds = 60) => {
  await click(`tab-${name}`);
  await page.until(`${quiet} && document.getElementById("panel-${name}").children.length > 0`, seconds);
};
const command = "(document.querySelector('#panel-c .command')?.textContent ?? '')";

await part("the module is small", () => {
  const module = readFileSync(join(folder, "nakiri.wasm"));
  const [gzip, brotli] = [gzipSync(module, { level: 9 }).length, brotliCompressSync(module, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }).length];
  assert.ok(gzip <= 5 * MEGABYTE);
  return `${module.length} bytes, ${gzip} by gzip, ${brotli} by brotli`;
});

await part("the page is painted and ready soon", async () => {
  await page.open(server.address);
  await page.until(ready);
  const [paint, at] = await page.run(`[performance.getEntriesByName("first-contentful-paint")[0].startTime, performance.now()]`);
  assert.ok(paint <= 1000, `first paint after ${paint} ms`);
  await page.until("document.querySelector('#panel-c pre.text')");
  assert.equal(await text("summary"), "Nothing is wrong.");
  await shot("c");
  return `first paint after ${paint.toFixed(0)} ms, ready after less than ${at.toFixed(0)} ms`;
});

await part("what is typed is checked", async () => {
  await choose("rectangle");
  await tab("c");
  await page.run(`{ const own = document.getElementById("program"); own.focus(); own.setSelectionRange(own.value.indexOf("y[1] = x[1]") + 7, own.value.indexOf("y[1] = x[1]") + 8); }`);
  const times = [];
  const first = "document.querySelector('#diagnostics li')?.textContent ?? ''";
  for (let time = 0; time < 5; time++) {
    await page.run(`window.since = performance.now(); window.seen = new Promise((resolve) => {
      const watch = new MutationObserver(() => { watch.disconnect(); resolve(performance.now() - since); });
      watch.observe(document.getElementById("diagnostics"), { childList: true });
    }); undefined`);
    await page.type("q");
    times.push(await page.run("window.seen"));
  }
  const said = await page.run(first);
  assert.match(said, /line 18: .*qqqqq/);
  assert.match(said, /error E0/);
  assert.match(await text("summary"), /^1 error/);
  assert.ok(await page.run("document.querySelector('.paint .error') !== null"), "it is underlined");
  assert.ok(await page.run("document.querySelector('#panel-c pre.text') !== null"), "what was built stays");
  await shot("error");
  await page.run("document.querySelector('#diagnostics button').click()");
  const selected = await page.run("{ const own = document.getElementById('program'); own.value.slice(own.selectionStart, own.selectionEnd) }");
  assert.match(selected, /qqqqq/);
  times.sort((a, b) => a - b);
  return `from a key to the diagnostic ${times[2].toFixed(0)} ms in the median, of which 15 are waited`;
});

await part("lines of the text lead to the program and back", async () => {
  await choose("chacha20");
  await tab("c");
  await page.until(`${quiet} && ${command}.includes("chacha20.ua")`);
  const spot = await page.run(`{
    const own = document.getElementById("program");
    const at = own.value.indexOf("<<<");
    own.focus(); own.setSelectionRange(at, at); own.click();
    document.querySelectorAll("#panel-c .bars div").length
  }`);
  assert.ok(spot > 0, "no line comes from a rotation");
  const there = await page.run(`{
    [...document.querySelectorAll("#panel-c button")].find((own) => own.textContent.startsWith("Next of")).click();
    const view = document.querySelector("#panel-c .output");
    const bars = [...document.querySelectorAll("#panel-c .bars div")].map((bar) => bar.getBoundingClientRect());
    const box = view.getBoundingClientRect();
    const bar = bars.find((own) => own.top > box.top && own.top < box.bottom);
    bar && [bar.left + 60, bar.top + 5]
  }`);
  assert.ok(there, "the next line is not shown");
  await shot("lines");
  await page.run("document.getElementById('program').setSelectionRange(0, 0)");
  const place = { x: there[0], y: there[1], button: "left", clickCount: 1 };
  await page.send("Input.dispatchMouseEvent", { type: "mousePressed", ...place });
  await page.send("Input.dispatchMouseEvent", { type: "mouseReleased", ...place });
  const selected = await page.run("{ const own = document.getElementById('program'); own.value.slice(own.selectionStart, own.selectionEnd) }");
  assert.match(selected, /<<</);
});

await part("every panel shows something true of RECTANGLE", async () => {
  await choose("rectangle");
  const expected = {
    rust: /Cargo\.toml/,
    types: /Shift 16 ⇒ u<'D>16 x4 → u<'D>16 x4/,
    layout: /Parameter plain: u16\[4\], 8 bytes, big-endian/,
    circuit: /11 gates/,
    price: /AMD Zen 3/,
    vectors: /computes all vectors of this folder: \d+ blocks/,
  };
  for (const [name, wanted] of Object.entries(expected)) {
    await tab(name);
    assert.match(await text(`panel-${name}`), wanted);
    await shot(name);
  }
});

await part("a program is formatted, which can be undone", async () => {
  await choose("rectangle");
  const old = await page.run("document.getElementById('program').value");
  await page.run("{ const own = document.getElementById('program'); own.focus(); own.setSelectionRange(own.value.length, own.value.length); }");
  await page.type("node   Same(x:u16)   returns(y:u16) let y=x tel");
  await click("format");
  await page.until("document.getElementById('program').value.includes('node Same (x:u16) returns (y:u16)')");
  await page.run("document.execCommand('undo'); document.execCommand('undo')");
  assert.equal(await page.run("document.getElementById('program').value"), old);
});

await part("vectors come out wrong if the program is", async () => {
  await choose("rectangle");
  await tab("vectors");
  await page.run(`{ const own = document.getElementById("program"); const at = own.value.indexOf("<<< 12"); own.focus(); own.setSelectionRange(at, at + 6); }`);
  await page.type("<<< 11");
  await page.until("document.querySelector('#panel-vectors .wrong')");
  assert.match(await text("panel-vectors"), /the nodes do not compute this/);
  await shot("wrong");
});

await part("a panic is said, and the compiler started again", async () => {
  await choose("rectangle");
  const said = await page.run(`(async () => {
    const { Thread } = await import("./compiler.js");
    const thread = new Thread({ patience: true });
    const said = await thread.ask({ ask: "panic" }).catch((error) => error.constructor.name + ": " + error.message);
    return [said, await thread.ask({ ask: "explain", code: "E0203" })];
  })()`);
  assert.match(said[0], /^Died: .*as it was asked to/s);
  assert.ok(said[1].length > 20);
});

await part("an address has all of it", async () => {
  await choose("rectangle");
  await page.run(`{ const own = document.getElementById("program"); const at = own.value.indexOf("<<< 12"); own.focus(); own.setSelectionRange(at, at + 6); }`);
  await page.type("<<< 11");
  await page.run("document.getElementById('program').setSelectionRange(0, 0)");
  await page.type("# größer als 𝔽\n");
  await set("slicing", "H");
  await set("target", "avx512");
  await tab("c");
  await page.until(`${command}.includes("avx512:H")`);
  await click("share");
  const address = await page.until("location.hash.includes('program=') && location.href");
  const [program, built] = await page.run(`[document.getElementById("program").value, document.querySelector("#panel-c pre.text").textContent]`);
  await page.open(address);
  await page.until(`${ready} && ${command}.includes("avx512:H")`);
  assert.equal(await page.run(`document.getElementById("program").value`), program);
  assert.equal(await page.run(`document.querySelector("#panel-c pre.text").textContent`), built);
  await page.open(`${server.address}#program=%%%`);
  await page.until(ready);
  assert.match(await page.run("document.getElementById('program').value"), /RECTANGLE/);
  return `${address.length} letters`;
});

await part("nothing is wider than 400 pixels", async () => {
  for (const scheme of ["light", "dark"]) {
    await page.look(400, 800, scheme);
    await page.open(server.address);
    await page.until(`${ready} && document.querySelector("#panel-c pre.text")`);
    for (const name of TABS) {
      await tab(name);
      const width = await page.run("Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)");
      assert.ok(width <= 400, `${name} is ${width} wide`);
      // What is long scrolls in boxes made for it, and in no other.
      const wide = await page.run(`[...document.querySelectorAll("header, section, [role=tabpanel], .head, .choices, .tabs, #diagnostics")]
        .filter((own) => own.scrollWidth > own.clientWidth + 1).map((own) => own.outerHTML.slice(0, 60))`);
      assert.deepEqual(wide, [], `too wide in ${name}`);
      await page.run("document.querySelector('.result').scrollIntoView()");
      await shot(`narrow-${scheme}-${name}`);
    }
  }
  await page.look(1280, 860);
});

await part("all can be done by the keyboard", async () => {
  await page.open(`${server.address}#example=rectangle`);
  await page.until(`${ready} && document.querySelector("#panel-c pre.text")`);
  const focused = "(document.activeElement.id || document.activeElement.getAttribute('aria-label') || document.activeElement.textContent)";
  const reach = async (wanted) => {
    for (let steps = 1; steps < 60; steps++) {
      await page.press("Tab");
      if ((await page.run(focused)).startsWith(wanted)) return steps;
    }
    throw new Error(`${wanted} is not reached; the focus is at ${await page.run(focused)}`);
  };
  await reach("To the program");
  await page.press("Enter");
  assert.equal(await page.run(focused), "program");
  await reach("tab-c");
  await page.press("ArrowRight");
  await page.press("ArrowRight");
  assert.equal(await page.run(focused), "tab-types");
  await page.until(`document.querySelector("#panel-types .legal")`);
  await reach("Build -H for avx2");
  await page.press("Enter");
  assert.equal(await page.run(focused), "tab-c");
  await page.until(`${command}.includes("avx2:H")`);
});

await part("controls have names, and letters contrast", () => accessible(page, server.address, TABS, tab));

await part("each example is as the command line builds it", async () => {
  await choose("rectangle");
  return compiled(page, nakiri);
});

await part("programs of the book open here", async () => {
  await page.open(server.address.replace("playground/", "chapter.html"));
  const link = await page.until("document.querySelector('.playground-link')?.href");
  assert.equal(await page.run("document.querySelector('code').textContent"), program);
  assert.equal(await page.run("document.querySelector('.hljs-keyword').textContent"), "node");
  await page.open(link);
  await page.until(ready);
  assert.equal(await page.run("document.getElementById('program').value"), program);
  await page.until("document.querySelector('#panel-types table')");
});

await part("it works without a network", async () => {
  await page.open(server.address);
  await page.until(`${ready} && navigator.serviceWorker.controller !== null`);
  server.close();
  await page.open(`${server.address}#example=aes128&slicing=H&target=avx512`);
  await page.until(`${ready} && ${command}.includes("avx512:H")`);
});

await part("nothing went wrong unseen", () => assert.deepEqual(page.wrong, []));

await chrome.close();
server.close();
console.log(failed ? `${failed} parts failed` : "all is right");
process.exit(failed ? 1 : 0);
