import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const DIST = fileURLToPath(new URL("../../web/dist/", import.meta.url));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2" };
const COMPRESSED = new Set([".html", ".js", ".css", ".svg"]);

/** Serves the built app, compressed as the real server does, and refuses every call of the API. */
export async function serveApp() {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://app").pathname;
    if (path.startsWith("/api/")) {
      response.writeHead(404, { "content-type": "application/problem+json" }).end("{}");
      return;
    }
    const name = extname(path) === "" ? "index.html" : path;
    const body = await readFile(join(DIST, name)).catch(() => null);
    if (!body) {
      response.writeHead(404).end();
      return;
    }
    const type = extname(name);
    const packed = COMPRESSED.has(type);
    response.writeHead(200, { "content-type": TYPES[type] ?? "application/octet-stream", ...(packed && { "content-encoding": "gzip" }) });
    response.end(packed ? gzipSync(body) : body);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}
