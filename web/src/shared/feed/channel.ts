import type { DataFrame } from "./frame";

/** How the data of one kind of channel is read, copied and changed. */
export interface ChannelKind<Data> {
  /** Null when the snapshot cannot be read. */
  readSnapshot: (data: unknown) => Data | null;
  /** A copy that `applyOp` may change without anybody noticing. */
  copy: (data: Data) => Data;
  /** Changes `draft`; false when the operation cannot be read. */
  applyOp: (draft: Data, op: unknown) => boolean;
  /** What a delta's `crc` must equal. */
  checksum?: (data: Data) => number;
}

export interface ChannelState<Data> {
  /** The last that is known, even while it is no longer live. */
  data: Data | null;
  /** Somebody reads it. */
  wanted: boolean;
  /** Whether `data` follows the server without a gap. */
  live: boolean;
  epoch: string | null;
  seq: number;
  /** What the server said when it refused the subscription. */
  refusal: string | null;
}

export function emptyChannel<Data>(): ChannelState<Data> {
  return { data: null, wanted: false, live: false, epoch: null, seq: 0, refusal: null };
}

/** The connection or the sequence is lost: the data stays on screen, but it is not live until the next snapshot. */
export function stale<Data>(state: ChannelState<Data>): ChannelState<Data> {
  return state.live ? { ...state, live: false } : state;
}

/** Data that came by another way than the socket. A live channel knows better and keeps its own. */
export function polled<Data>(state: ChannelState<Data>, data: Data): ChannelState<Data> {
  return state.live ? state : { ...state, data, refusal: null };
}

export interface Reduction<Data> {
  state: ChannelState<Data>;
  /** The sequence broke, so the channel must be subscribed to again. */
  resubscribe: boolean;
}

/**
 * Applies frames in the order they came, however many, and copies the data at most once. Operations carry the
 * absolute new state, so a frame seen twice does no harm; a missing frame, another epoch, an unreadable operation
 * or a wrong checksum ends the live state until a snapshot starts it again.
 */
export function reduceFrames<Data>(
  kind: ChannelKind<Data>,
  before: ChannelState<Data>,
  frames: readonly DataFrame[],
): Reduction<Data> {
  let state = before;
  let draft: Data | null = null;
  let resubscribe = false;

  for (const frame of frames) {
    if (frame.type === "snapshot") {
      const data = kind.readSnapshot(frame.data);
      draft = data;
      resubscribe = data === null;
      state =
        data === null
          ? stale(state)
          : { ...state, data, live: true, epoch: frame.epoch, seq: frame.seq, refusal: null };
      continue;
    }
    // Without a live state the next snapshot is already asked for, and late deltas of the old one mean nothing.
    if (!state.live || state.data === null) continue;
    if (frame.epoch === state.epoch && frame.seq <= state.seq) continue;
    if (frame.epoch !== state.epoch || frame.prev !== state.seq) {
      state = stale(state);
      resubscribe = true;
      continue;
    }
    const target: Data = draft ?? kind.copy(state.data);
    draft = target;
    const applied = frame.ops.every((op) => kind.applyOp(target, op));
    const sound = applied && (frame.crc == null || !kind.checksum || kind.checksum(target) === frame.crc);
    state = { ...state, data: target, seq: frame.seq, live: sound };
    if (!sound) resubscribe = true;
  }
  return { state, resubscribe };
}
