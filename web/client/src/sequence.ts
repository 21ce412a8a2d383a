/** The end of what a copy of a channel has seen. */
export interface Position {
  epoch: string | null;
  seq: number;
}

/** The use of a delta: it continues the copy, was seen before, or shows that one is missing. */
export type Step = "apply" | "ignore" | "gap";

/** The step that a delta is for a copy that follows the server up to a position, or did until the connection was lost. */
export function stepOf(at: Position, delta: { epoch: string; prev: number; seq: number }): Step {
  if (delta.epoch !== at.epoch) return "gap";
  if (delta.prev === at.seq) return delta.seq >= at.seq ? "apply" : "gap";
  return delta.seq <= at.seq && delta.prev < at.seq ? "ignore" : "gap";
}
