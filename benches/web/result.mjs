import { readFileSync, writeFileSync } from "node:fs";

const PAGE = new URL("../RESULTS.md", import.meta.url);

/** Writes lines between the markers of a measurement. */
export function writeResult(name, lines) {
  const text = readFileSync(PAGE, "utf8");
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`RESULTS.md has no place for ${name}`);
  writeFileSync(PAGE, `${text.slice(0, from + begin.length)}\n${lines.join("\n")}\n${text.slice(to)}`);
}
