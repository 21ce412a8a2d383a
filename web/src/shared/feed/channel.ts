import type { DataFrame } from "@client/frame.ts";
import { stepOf } from "@client/sequence.ts";

/** Reading, copying and changing the data of one kind of channel. */
export interface ChannelKind<Data> {
  /** Null when the snapshot cannot be read. */
  readSnapshot: (data: unknown) => Data | null;
  /** A copy that `applyOp` may mutate without effect on the original. */
  copy: (data: Data) => Data;
  /** Changes `draft`; false when the operation cannot be read. */
  applyOp: (draft: Data, op: unknown) => boolean;
  /** The expected `crc` of a delta. */
  checksum?: (data: Data) => number;
}

export interface ChannelState<Data> {
  /** The last known data, even while it is no longer live. */
  data: Data | null;
  /** Whether the channel has readers. */
  hasReaders: boolean;
  /** Whether `data` follows the server without a gap. */
  live: boolean;
  epoch: string | null;
  seq: number;
  /** Whether the connection was lost while `data` was live, so that a delta after `seq` continues it. */
  resumable: boolean;
  /** The server's reason for refusing the subscription. */
  refusal: string | null;
}

export function emptyChannel<Data>(): ChannelState<Data> {
  return { data: null, hasReaders: false, live: false, epoch: null, seq: 0, resumable: false, refusal: null };
}

/** The sequence is lost: the data stays on screen, but it is not live until the next snapshot. */
export function stale<Data>(state: ChannelState<Data>): ChannelState<Data> {
  return state.live || state.resumable ? { ...state, live: false, resumable: false } : state;
}

/** The connection is lost: the data is not live until the next snapshot, or the delta that continues it. */
export function disconnected<Data>(state: ChannelState<Data>): ChannelState<Data> {
  return state.live ? { ...state, live: false, resumable: true } : state;
}

/** Applies polled data. A live channel keeps its own, which is newer. */
export function polled<Data>(state: ChannelState<Data>, data: Data): ChannelState<Data> {
  return state.live ? state : { ...state, data, resumable: false, refusal: null };
}

export interface Reduction<Data> {
  state: ChannelState<Data>;
  /** The sequence broke, so the channel must be subscribed to again. */
  resubscribe: boolean;
}

/**
 * Applies frames in the order of arrival and copies the data at most once. Operations carry the absolute new
 * state, so a duplicate frame is harmless; a missing frame, another epoch, an unreadable operation or a wrong
 * checksum ends the live state until the next snapshot.
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
          : {
              ...state,
              data,
              live: true,
              resumable: false,
              epoch: frame.epoch,
              seq: frame.seq,
              refusal: null,
            };
      continue;
    }
    // While not live a new snapshot is already requested, and late deltas of the old one are ignored.
    if ((!state.live && !state.resumable) || state.data === null) continue;
    const step = stepOf(state, frame);
    if (step === "ignore") continue;
    if (step === "gap") {
      state = stale(state);
      resubscribe = true;
      continue;
    }
    const target: Data = draft ?? kind.copy(state.data);
    draft = target;
    const applied = frame.ops.every((op) => kind.applyOp(target, op));
    const isValid = applied && (frame.crc == null || !kind.checksum || kind.checksum(target) === frame.crc);
    state = { ...state, data: target, seq: frame.seq, live: isValid, resumable: false };
    if (!isValid) resubscribe = true;
  }
  return { state, resubscribe };
}
