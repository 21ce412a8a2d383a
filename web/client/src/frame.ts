/** The whole state of a channel. */
export interface SnapshotFrame {
  type: "snapshot";
  channel: string;
  epoch: string;
  seq: number;
  data: unknown;
}

/** The changes of a channel since the frame that ended at `prev`. */
export interface DeltaFrame {
  type: "delta";
  channel: string;
  epoch: string;
  prev: number;
  seq: number;
  ops: unknown[];
  crc?: number | null;
}

/** A refusal; of a subscription if it has a channel. */
export interface ErrorFrame {
  type: "error";
  code: string;
  detail: string;
  channel: string | null;
}

/** A frame that changes the data of one channel. */
export type DataFrame = SnapshotFrame | DeltaFrame;
export type ServerFrame = DataFrame | ErrorFrame | { type: "pong" };

const CHANNEL_LENGTH_MAX = 100;

/** Parses a text frame of the server; null when it is no known frame. The data and the operations are read later. */
export function parseFrame(text: string): ServerFrame | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  return readFrame(json);
}

/** Reads a frame of the server; null when it is no known frame. */
export function readFrame(json: unknown): ServerFrame | null {
  if (typeof json !== "object" || json === null) return null;
  const { type, channel, epoch, prev, seq, data, ops, crc, code, detail } = json as Record<string, unknown>;
  if (type === "pong") return { type };
  if (type === "error") {
    if (typeof code !== "string" || !(channel == null || isChannel(channel))) return null;
    if (!(detail == null || typeof detail === "string")) return null;
    return { type, code, detail: detail ?? "", channel: channel ?? null };
  }
  if (!isChannel(channel) || typeof epoch !== "string" || !isSequence(seq)) return null;
  if (type === "snapshot") return { type, channel, epoch, seq, data };
  if (type !== "delta" || !isSequence(prev) || !Array.isArray(ops)) return null;
  if (!(crc == null || isSequence(crc))) return null;
  return { type, channel, epoch, prev, seq, ops, crc: crc ?? null };
}

function isChannel(value: unknown): value is string {
  return typeof value === "string" && value.length <= CHANNEL_LENGTH_MAX;
}

function isSequence(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
