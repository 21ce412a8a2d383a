import { useMemo } from "react";
import { encode } from "uqr";

/** White margin around the code in cells, which some cameras need. */
const QUIET_ZONE = 4;

/** An address as a QR code: black on white in both themes, because few readers accept inverted colours. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => pathOf(text), [text]);
  const edge = size + 2 * QUIET_ZONE;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`${-QUIET_ZONE} ${-QUIET_ZONE} ${edge} ${edge}`}
      shapeRendering="crispEdges"
      className="size-40 shrink-0 rounded-control bg-[#fff]"
    >
      <path d={path} fill="#000" />
    </svg>
  );
}

/** The dark cells as one path, with one rectangle per run in a row. */
function pathOf(text: string): { path: string; size: number } {
  const { data, size } = encode(text, { ecc: "M", border: 0 });
  const runs: string[] = [];
  for (const [y, row] of data.entries()) {
    let start: number | null = null;
    for (let x = 0; x <= size; x += 1) {
      if (row[x] && start === null) start = x;
      if (!row[x] && start !== null) {
        runs.push(`M${start} ${y}h${x - start}v1h${start - x}z`);
        start = null;
      }
    }
  }
  return { path: runs.join(""), size };
}
