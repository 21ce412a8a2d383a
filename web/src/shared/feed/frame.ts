import * as v from "valibot";

const sequence = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const channel = v.pipe(v.string(), v.maxLength(100));

const serverFrame = v.variant("type", [
  v.object({
    type: v.literal("snapshot"),
    channel,
    epoch: v.string(),
    seq: sequence,
    data: v.unknown(),
  }),
  v.object({
    type: v.literal("delta"),
    channel,
    epoch: v.string(),
    prev: sequence,
    seq: sequence,
    ops: v.array(v.unknown()),
    crc: v.nullish(sequence),
  }),
  v.object({ type: v.literal("pong") }),
  v.object({
    type: v.literal("error"),
    code: v.string(),
    detail: v.nullish(v.string(), ""),
    channel: v.nullish(channel),
  }),
]);

export type ServerFrame = v.InferOutput<typeof serverFrame>;
export type SnapshotFrame = Extract<ServerFrame, { type: "snapshot" }>;
export type DeltaFrame = Extract<ServerFrame, { type: "delta" }>;
/** A frame that changes the data of one channel. */
export type DataFrame = SnapshotFrame | DeltaFrame;

/** Parses a text frame of the server; null when it is invalid. The channel reads the data inside later. */
export function parseFrame(text: string): ServerFrame | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = v.safeParse(serverFrame, json);
  return parsed.success ? parsed.output : null;
}
