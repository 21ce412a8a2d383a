import { countFailure, type Failures } from "@client/failures.ts";
import { type DataFrame, parseFrame, type ServerFrame } from "@client/frame.ts";
import { ceilingMs } from "@client/retry.ts";
import {
  type ChannelName,
  disconnectedFeed,
  type FeedState,
  groupOf,
  isLive,
  placeOf,
  reduceFeed,
  withChannel,
  withoutChannel,
} from "./feed-store";

const SNAPSHOT_WAIT_MS = 10_000;
/** A reader that returns within this time, as a reopened dialog does, finds its channel still subscribed. */
const UNSUBSCRIBE_DELAY_MS = 2_000;
/**
 * Limit of frames between two paints: more are applied at once, so that a busy market cannot fill the memory.
 */
const PENDING_MAX = 512;

/** The client's environment: real in production, faked in tests. */
export interface FeedEnvironment {
  getState: () => FeedState;
  setState: (change: (state: FeedState) => FeedState) => void;
  /** Calls back before the next paint. */
  onNextFrame: (callback: () => void) => void;
  /** A one-time ticket for the private channel. */
  fetchTicket: () => Promise<string>;
  now: () => number;
}

interface Subscription extends Failures {
  readers: number;
  timer: ReturnType<typeof setTimeout> | null;
}

/**
 * Keeps the store in step with the server: subscribes to channels with readers, applies received frames once
 * per paint, and resubscribes to failed channels with back-off.
 */
export class FeedClient {
  private readonly env: FeedEnvironment;
  private readonly subscriptions = new Map<ChannelName, Subscription>();
  private send: ((frame: object) => void) | null = null;
  private pending: DataFrame[] = [];
  private flushScheduled = false;

  constructor(env: FeedEnvironment) {
    this.env = env;
  }

  /** Called when the socket is open. */
  opened(send: (frame: object) => void): void {
    this.send = send;
    this.env.setState((state) => ({
      ...disconnectedFeed(state),
      connection: "open",
      lastMessageAt: this.env.now(),
    }));
    for (const [channel, subscription] of this.subscriptions) {
      subscription.failures = 0;
      this.subscribe(channel);
    }
  }

  /** Called when the socket is closed. The last known data stays. */
  closed(): void {
    this.flush();
    this.send = null;
    for (const subscription of this.subscriptions.values()) this.clearTimer(subscription);
    this.env.setState((state) => ({ ...disconnectedFeed(state), connection: "down" }));
  }

  /** Called when no socket opened in time: the caller may fall back to polling. */
  unreachable(): void {
    this.env.setState((state) =>
      state.connection === "connecting" ? { ...state, connection: "down" } : state,
    );
  }

  /** Called for each text frame. */
  received(text: string): void {
    const frame = parseFrame(text);
    if (!frame) return;
    if (frame.type === "snapshot" || frame.type === "delta") {
      this.pending.push(frame);
      if (this.pending.length >= PENDING_MAX) this.flush();
      else this.scheduleFlush();
      return;
    }
    if (frame.type === "error") this.refused(frame);
    else this.env.setState((state) => ({ ...state, lastMessageAt: this.env.now() }));
  }

  /** Starts reading a channel; the returned function ends it. */
  read(channel: ChannelName): () => void {
    const existing = this.subscriptions.get(channel);
    if (existing) existing.readers += 1;
    else {
      this.subscriptions.set(channel, { readers: 1, failures: 0, failedAt: 0, timer: null });
      this.env.setState((state) => withChannel(state, channel, (known) => ({ ...known, hasReaders: true })));
      this.subscribe(channel);
    }
    let reading = true;
    return () => {
      if (!reading) return;
      reading = false;
      const subscription = this.subscriptions.get(channel);
      if (!subscription) return;
      subscription.readers -= 1;
      setTimeout(() => this.unsubscribeUnread(channel), UNSUBSCRIBE_DELAY_MS);
    };
  }

  /** Clears the private channel at once, when a user signs out. */
  dropMe(): void {
    this.leave("me");
  }

  /** Requests a fresh snapshot, for the retry button of an error message. */
  retry(channel: ChannelName): void {
    const subscription = this.subscriptions.get(channel);
    if (!subscription) return;
    subscription.failures = 0;
    this.env.setState((state) => withChannel(state, channel, (known) => ({ ...known, refusal: null })));
    this.subscribe(channel);
  }

  /** Requests a fresh snapshot of every channel with readers. The current data stays until it arrives. */
  retryAll(): void {
    for (const channel of this.subscriptions.keys()) this.retry(channel);
  }

  /** The books with readers. */
  readBooks(): string[] {
    return [...this.subscriptions.keys()].map(groupOf).filter((id) => id !== null);
  }

  private subscribe(channel: ChannelName): void {
    const subscription = this.subscriptions.get(channel);
    if (!subscription || !this.send) return;
    // The timer retries if no snapshot arrives.
    this.retryAfter(channel, SNAPSHOT_WAIT_MS);
    if (channel !== "me") {
      // Undefined unless the connection was lost, and not sent then.
      this.send({ op: "subscribe", channel, after: placeOf(this.env.getState(), channel) });
      return;
    }
    const send = this.send;
    this.env.fetchTicket().then(
      (ticket) => {
        if (this.send === send && this.subscriptions.has(channel)) send({ op: "subscribe", channel, ticket });
      },
      () => this.retryLater(channel),
    );
  }

  private refused(frame: Extract<ServerFrame, { type: "error" }>): void {
    const channel = frame.channel as ChannelName | null | undefined;
    if (!channel || !this.subscriptions.has(channel)) return;
    const refusal = frame.detail || frame.code;
    this.env.setState((state) =>
      withChannel(state, channel, (known) => ({ ...known, live: false, refusal })),
    );
    this.retryLater(channel);
  }

  private retryLater(channel: ChannelName): void {
    const subscription = this.subscriptions.get(channel);
    if (!subscription) return;
    this.retryAfter(channel, ceilingMs(countFailure(subscription, this.env.now())));
  }

  private retryAfter(channel: ChannelName, delayMs: number): void {
    const subscription = this.subscriptions.get(channel);
    if (!subscription) return;
    this.clearTimer(subscription);
    subscription.timer = setTimeout(() => this.subscribe(channel), delayMs);
  }

  private unsubscribeUnread(channel: ChannelName): void {
    const subscription = this.subscriptions.get(channel);
    if (subscription && subscription.readers <= 0) this.leave(channel);
  }

  private leave(channel: ChannelName): void {
    const subscription = this.subscriptions.get(channel);
    if (subscription) this.clearTimer(subscription);
    if (this.subscriptions.delete(channel)) this.send?.({ op: "unsubscribe", channel });
    this.pending = this.pending.filter((frame) => frame.channel !== channel);
    this.env.setState((state) => withoutChannel(state, channel));
  }

  private scheduleFlush(): void {
    if (this.flushScheduled) return;
    this.flushScheduled = true;
    this.env.onNextFrame(() => this.flush());
  }

  private flush(): void {
    this.flushScheduled = false;
    if (this.pending.length === 0) return;
    const frames = this.pending;
    this.pending = [];
    const before = this.env.getState();
    const { state, broken } = reduceFeed(before, frames);
    this.env.setState(() => ({ ...state, lastMessageAt: this.env.now() }));
    for (const frame of frames) {
      const channel = frame.channel as ChannelName;
      const isAnswer = frame.type === "snapshot" || (isLive(state, channel) && !isLive(before, channel));
      if (isAnswer && !broken.includes(channel)) {
        const settled = this.subscriptions.get(channel);
        if (settled) this.clearTimer(settled);
      }
    }
    for (const channel of broken) this.retryLater(channel);
  }

  private clearTimer(subscription: Subscription): void {
    if (subscription.timer) clearTimeout(subscription.timer);
    subscription.timer = null;
  }
}
