// A static server of a folder, and of pages beside it.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";

const KINDS = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".wasm": "application/wasm" };

/** Serves a folder below `playground/` at a port of its own, and pages by their names. */
export function serve(folder, pages) {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
    const below = path.replace(/^\/playground\//, "/");
    const file = join(folder, below.endsWith("/") ? `${below}index.html` : below);
    try {
      if (pages[path] !== undefined) {
        response.writeHead(200, { "Content-Type": KINDS[extname(path)] }).end(pages[path]);
        return;
      }
      if (below === path) throw new Error("not in the folder");
      const bytes = await readFile(file);
      response.writeHead(200, { "Content-Type": KINDS[extname(file)] ?? "text/plain; charset=utf-8" }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const close = () => {
        server.closeAllConnections();
        server.close();
      };
      resolve({ address: `http://127.0.0.1:${server.address().port}/playground/`, close });
    });
  });
}
