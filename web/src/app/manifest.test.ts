import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const PUBLIC = new URL("../../public/", import.meta.url);
const read = (path: string) => readFileSync(new URL(`.${path}`, PUBLIC));

interface Icon {
  src: string;
  sizes: string;
  type: string;
  purpose: string;
}

const manifest: { start_url: string; scope: string; display: string; icons: Icon[] } = JSON.parse(
  read("/app.webmanifest").toString(),
);

test("every icon of the manifest is a file of its type and size", () => {
  for (const { src, sizes, type } of manifest.icons) {
    const file = read(src);
    if (type === "image/svg+xml") {
      expect([sizes, file.subarray(0, 4).toString()]).toEqual(["any", "<svg"]);
      continue;
    }
    // The header of a PNG has its width and its height.
    expect(file.subarray(1, 4).toString()).toBe("PNG");
    expect(`${file.readUInt32BE(16)}x${file.readUInt32BE(20)}`).toBe(sizes);
  }
});

test("the app can be installed: it has icons of both sizes, one that is cut to any shape, and a window", () => {
  const sizes = (purpose: string) =>
    manifest.icons.filter((icon) => icon.purpose === purpose).map((icon) => icon.sizes);
  expect(sizes("any")).toEqual(expect.arrayContaining(["192x192", "512x512"]));
  expect(sizes("maskable")).toContain("512x512");
  expect([manifest.start_url, manifest.scope, manifest.display]).toEqual(["/", "/", "standalone"]);
});
