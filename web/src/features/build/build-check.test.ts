import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { checkFiles } from "./build-check";
import { loadedFiles } from "./loaded-files";

const FILES = new Map([
  ["/assets/a.js", "alert(1)"],
  ["/assets/a.css", "body {}"],
]);

const list = [...FILES].map(([path, content]) => ({
  path: path.slice(1),
  sha256: createHash("sha256").update(content).digest("hex"),
  bytes: content.length,
}));

async function read(path: string): Promise<ArrayBuffer> {
  const bytes = new TextEncoder().encode(FILES.get(path) ?? "");
  return bytes.buffer as ArrayBuffer;
}

test("files with the listed hashes are equal", async () => {
  const check = await checkFiles([...FILES.keys()], list, read);
  expect(check).toEqual({ compared: 2, different: [] });
});

test("a file with one other byte is different", async () => {
  const other = (path: string) => (path === "/assets/a.js" ? read("/assets/a.css") : read(path));
  const check = await checkFiles([...FILES.keys()], list, other);
  expect(check).toEqual({ compared: 2, different: ["/assets/a.js"] });
});

test("a file that is not listed is different, and is not read", async () => {
  const check = await checkFiles(["/assets/a.css", "/assets/b.js"], list, (path) => {
    expect(path).toBe("/assets/a.css");
    return read(path);
  });
  expect(check).toEqual({ compared: 2, different: ["/assets/b.js"] });
});

test("without a list, without files, or if one cannot be read, nothing is known", async () => {
  await expect(checkFiles(["/assets/a.js"], [], read)).rejects.toThrow("lists no files");
  await expect(checkFiles([], list, read)).rejects.toThrow("does not say");
  await expect(checkFiles(["/assets/a.js"], list, () => Promise.reject(new Error("gone")))).rejects.toThrow(
    "gone",
  );
});

test("the loaded files are the scripts, styles and modules of this server, once each", () => {
  const named = ["https://x.example/assets/b.js", "", "https://x.example/theme.js?v=1"];
  const fetched = [
    "https://x.example/assets/b.js",
    "https://x.example/assets/verifier.wasm",
    "https://x.example/assets/a.css#top",
    "https://x.example/assets/inter.woff2",
    "https://x.example/api/v1/config",
    "https://challenges.example/api.js",
  ];
  expect(loadedFiles(named, fetched, "https://x.example")).toEqual([
    "/assets/a.css",
    "/assets/b.js",
    "/assets/verifier.wasm",
    "/theme.js",
  ]);
});
