// A static server of one folder.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";

const KINDS = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".wasm": "application/wasm" };

/** Serves a folder at a port of its own. */
export function serve(folder) {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    try {
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
      resolve({ address: `http://127.0.0.1:${server.address().port}/`, close });
    });
  });
}
