// A headless Chromium, spoken to by the DevTools protocol through a pipe.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Starts the browser. */
export function browser(program) {
  const profile = mkdtempSync(join(tmpdir(), "nakiri-chromium-"));
  const words = ["--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--no-sandbox", `--user-data-dir=${profile}`];
  const process_ = spawn(program, words, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const [, , , input, output] = process_.stdio;
  const waiting = new Map();
  const listeners = new Set();
  let [number, rest] = [0, ""];
  output.setEncoding("utf8");
  output.on("data", (text) => {
    const parts = (rest + text).split("\0");
    rest = parts.pop();
    for (const part of parts) {
      const message = JSON.parse(part);
      if (!message.id) {
        for (const listener of listeners) listener(message);
        continue;
      }
      const { resolve, reject } = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error) reject(new Error(`${message.error.message} (${message.error.data ?? ""})`));
      else resolve(message.result);
    }
  });
  const send = (method, params = {}, sessionId) =>
    new Promise((resolve, reject) => {
      waiting.set(++number, { resolve, reject });
      input.write(`${JSON.stringify({ id: number, method, params, sessionId })}\0`);
    });
  const close = async () => {
    const gone = new Promise((resolve) => process_.once("exit", resolve));
    await send("Browser.close").catch(() => {});
    await gone;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  return { send, close, page: () => page(send, listeners) };
}

/** A new page, with what goes wrong in it. */
async function page(send, listeners) {
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const own = (method, params) => send(method, params, sessionId);
  const wrong = [];
  const arrived = new Map();
  listeners.add((message) => {
    if (message.sessionId !== sessionId) return;
    if (message.method === "Runtime.exceptionThrown") wrong.push(message.params.exceptionDetails.exception?.description);
    if (message.method === "Log.entryAdded" && message.params.entry.level === "error") wrong.push(message.params.entry.text);
    arrived.get(message.method)?.();
  });
  for (const domain of ["Page", "Runtime", "Log", "Network", "Accessibility", "DOM"]) await own(`${domain}.enable`);

  const run = async (expression) => {
    const { result, exceptionDetails } = await own("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  const until = async (expression, seconds = 30) => {
    const end = Date.now() + 1000 * seconds;
    for (;;) {
      const value = await run(expression).catch(() => undefined);
      if (value) return value;
      if (Date.now() > end) {
        const state = await run("document.getElementById('summary')?.textContent + ' | ' + document.getElementById('progress')?.textContent").catch(() => "no page");
        throw new Error(`in ${seconds} s it is never so: ${expression} (the page says: ${state})`);
      }
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  };
  return {
    send: own,
    run,
    until,
    wrong,
    /** Goes to an address, by a new document. */
    async open(address) {
      const loaded = new Promise((resolve) => arrived.set("Page.loadEventFired", resolve));
      await own("Page.navigate", { url: "about:blank" });
      await loaded;
      const again = new Promise((resolve) => arrived.set("Page.loadEventFired", resolve));
      await own("Page.navigate", { url: address });
      await again;
    },
    /** The size of the window, and its colours. */
    async look(width, height, scheme = "light") {
      await own("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 });
      await own("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    },
    async picture() {
      const { data } = await own("Page.captureScreenshot", { format: "png" });
      return Buffer.from(data, "base64");
    },
    /** Presses a key by its name. */
    async press(key, modifiers = 0) {
      const codes = { Tab: 9, Enter: 13, " ": 32, ArrowRight: 39, ArrowLeft: 37, ArrowDown: 40, Home: 36, End: 35 };
      const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined;
      const event = { key, code: key === " " ? "Space" : key, windowsVirtualKeyCode: codes[key] ?? key.toUpperCase().charCodeAt(0), modifiers };
      await own("Input.dispatchKeyEvent", { type: "keyDown", text, ...event });
      await own("Input.dispatchKeyEvent", { type: "keyUp", ...event });
    },
    /** Types a text where the caret is. */
    type: (text) => own("Input.insertText", { text }),
    offline: (offline) =>
      own("Network.emulateNetworkConditions", { offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 }),
    /** All controls as a screen reader has them: what they are and what they are called. */
    async controls() {
      const { nodes } = await own("Accessibility.getFullAXTree");
      const kinds = ["button", "combobox", "textbox", "link", "tab", "region", "group", "table", "image", "tabpanel", "status"];
      const shown = nodes.filter((node) => !node.ignored && kinds.includes(node.role?.value));
      return shown.map((node) => ({ role: node.role.value, name: node.name?.value ?? "" }));
    },
  };
}
