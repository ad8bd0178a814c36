// Each example, built in the browser for some slicings and targets; some of them by the command line, too.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const TARGETS = ["gp64", "avx2", "neon"];
/** Which of the cells the command line builds, too: each so manieth. */
const COMPARED = 4;
/** Bitsliced they are tens of thousands of lines, which take a minute. */
const LONG = ["keccak1600", "keccak", "sha3"];

const run = promisify(execFile);
const root = new URL("../../", import.meta.url).pathname;

/** Builds all examples; what can't be built must say why. */
export async function compiled(page, nakiri) {
  await page.run(`(async () => {
    const { Thread } = await import("./compiler.js");
    const thread = new Thread({ patience: true });
    window.ask = (question) => thread.ask(question);
  })()`);
  const ask = (question) => page.run(`window.ask(${JSON.stringify(question)})`);
  const refused = (question) =>
    page.run(`window.ask(${JSON.stringify(question)}).then(() => "", (error) => error.constructor.name + error.message)`);
  const { examples } = await ask({ ask: "library" });
  const work = await mkdtemp(join(tmpdir(), "nakiri-playground-"));
  let [cells, compared, vectors, crates] = [0, 0, 0, 0];
  for (const { name, shelf, path } of examples) {
    const document = { path, text: await ask({ ask: "file", path }) };
    assert.equal(document.text, await readFile(join(root, path), "utf8"), path);
    const { diagnostics, entry } = await ask({ ask: "check", document });
    assert.deepEqual(diagnostics.filter(({ severity }) => severity === "error"), [], name);
    const { problems, ...counts } = await ask({ ask: "vectors", document });
    assert.deepEqual(problems, [], name);
    vectors += counts.blocks + counts.messages + counts.ticks;
    // Of modes the page shows pieces.
    if (shelf === "modes" || entry === null) continue;
    const { rows, slicings } = await ask({ ask: "slicings", document, entry: null });
    for (const { target, cells: row } of rows.filter((own) => TARGETS.includes(own.target))) {
      for (const [k, cell] of row.entries()) {
        const wish = { entry: null, target, slicing: slicings[k], machine: null, language: "c" };
        if (!cell.blocks) {
          assert.match(await refused({ ask: "build", document, wish }), /^Refused.*error/s, `${name} ${target} ${wish.slicing}`);
          continue;
        }
        if (LONG.includes(name) && wish.slicing === "B") continue;
        const built = await ask({ ask: "build", document, wish });
        const [c, h] = built.files;
        // What is included may have all that is computed.
        const own = c.places.length > 0 || document.text.includes("include");
        assert.ok(own, `${name}: no line has a place`);
        if (cells++ % COMPARED !== 0) continue;
        compared++;
        const words = ["build", join(root, path), `-${wish.slicing}`, "--target", target, "-o", "-"];
        const options = { maxBuffer: 1 << 28, env: { ...process.env, NAKIRI_CIRCUITS: "off" } };
        const { stdout } = await run(nakiri, words, options);
        assert.ok(stdout === `${h.text}\n${c.text}`, `${built.command} is not what the command line writes`);
      }
    }
    if (cells % 3 === 0 && rows.some((own) => own.target === "avx2")) crates += await crate(ask, nakiri, work, document, name);
  }
  await rm(work, { recursive: true });
  return `${examples.length} examples, ${vectors} vectors, ${cells} cells and ${crates} crates built, ${compared} cells compared byte for byte`;
}

/** A crate, by the command that the page shows for it. */
async function crate(ask, nakiri, work, document, name) {
  const wish = { entry: null, target: "avx2", slicing: null, machine: null, language: "rust" };
  const built = await ask({ ask: "build", document, wish }).catch(() => null);
  if (!built) return 0;
  const out = join(work, name);
  const words = built.command.split(" ").slice(1);
  words[1] = join(root, document.path);
  await run(nakiri, [...words, "-o", out], { env: { ...process.env, NAKIRI_CIRCUITS: "off" } });
  for (const { path, text } of built.files) {
    assert.ok(text === (await readFile(join(out, path), "utf8")), `${name}/${path} is not what the command line writes`);
  }
  return 1;
}
