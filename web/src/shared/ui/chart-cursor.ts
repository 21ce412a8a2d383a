import { bisector } from "d3-array";

/** The index of the point nearest to a position on a chart. */
export function nearestPoint(points: ReadonlyArray<{ x: number }>, x: number): number {
  return Math.max(0, bisector<{ x: number }, number>((point) => point.x).center(points, x));
}

/** The point that a key moves to; null for a key that does not move. */
export function nextIndex(key: string, at: number, last: number): number | null {
  const page = Math.max(1, Math.round(last / 10));
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return Math.max(0, at - 1);
    case "ArrowRight":
    case "ArrowUp":
      return Math.min(last, at + 1);
    case "PageDown":
      return Math.max(0, at - page);
    case "PageUp":
      return Math.min(last, at + page);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return null;
  }
}
