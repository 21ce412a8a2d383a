import { applyToBook, type Book, bookChecksum, readBook } from "./book.ts";
import { countFailure } from "./failures.ts";
import { type DataFrame, readFrame } from "./frame.ts";
import { delayMs } from "./retry.ts";
import { stepOf } from "./sequence.ts";

const SNAPSHOT_WAIT_MS = 10_000;
const PING_INTERVAL_MS = 15_000;
/** The silence of the server, which answers pings, after which the connection counts as lost. */
const SILENCE_MAX_MS = 40_000;
const CHANNELS_MAX = 64;
const FRAME_LENGTH_MAX = 32 * 1_024 * 1_024;

/** The part of a WebSocket that the feed uses. */
export interface Socket {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
  onerror: (() => void) | null;
}

export interface FeedOptions {
  /** The server, as of the client. */
  url: string;
  /** The ids of the collections whose books are followed, such as `g_1`. */
  books: readonly string[];
  /** A book has changed and follows the server. The same object is passed again after the next change. */
  onChange: (id: string, book: Book) => void;
  /** A book does not follow the server any more; a change follows when it does again. */
  onStale?: (id: string, reason: string) => void;
  /** Replaced by tests. */
  open?: (url: string) => Socket;
  random?: () => number;
  now?: () => number;
}

interface Copy {
  book: Book | null;
  epoch: string;
  seq: number;
  state: "waiting" | "live" | "disconnected";
  failures: number;
  failedAt: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** The feed of order books over one socket, with reconnection, repair of gaps, and a local copy of each. */
export class Feed {
  private readonly options: FeedOptions;
  private readonly copies: Map<string, Copy>;
  private socket: Socket | null = null;
  private isOpen = false;
  private failures = 0;
  private heardAt = 0;
  private timers: ReturnType<typeof setTimeout>[] = [];
  private isClosed = false;

  /** Connects at once, and again after every loss until `close`. */
  constructor(options: FeedOptions) {
    if (options.books.length > CHANNELS_MAX) throw new Error(`a feed has at most ${CHANNELS_MAX} channels`);
    this.options = options;
    this.copies = new Map(
      options.books.map((id) => [
        id,
        { book: null, epoch: "", seq: 0, state: "waiting", failures: 0, failedAt: 0, timer: undefined },
      ]),
    );
    this.connect();
  }

  /** The book of a collection while the copy follows the server. */
  book(id: string): Book | null {
    const copy = this.copies.get(id);
    return copy?.state === "live" ? copy.book : null;
  }

  /** The time since the server was last heard. */
  silenceMs(): number {
    return this.now() - this.heardAt;
  }

  /** Ends the feed. */
  close(): void {
    this.isClosed = true;
    this.drop("closed");
  }

  private now(): number {
    return (this.options.now ?? Date.now)();
  }

  private random(): number {
    return (this.options.random ?? Math.random)();
  }

  private connect(): void {
    const open = this.options.open ?? ((url: string) => new WebSocket(url) as Socket);
    const socket = open(`${this.options.url.replace(/\/+$/, "").replace(/^http/, "ws")}/api/v1/feed`);
    this.socket = socket;
    this.heardAt = this.now();
    socket.onopen = () => {
      if (this.socket !== socket) return;
      this.isOpen = true;
      this.heardAt = this.now();
      this.ping(socket);
      for (const id of this.copies.keys()) this.subscribe(id);
    };
    socket.onmessage = ({ data }) => {
      if (this.socket === socket) this.receive(data);
    };
    socket.onclose = () => {
      if (this.socket === socket) this.lose("the connection was lost");
    };
    socket.onerror = () => {
      if (this.socket === socket) this.lose("the connection failed");
    };
    // A handshake without an answer is a lost connection too.
    this.timers.push(
      setTimeout(() => this.socket === socket && !this.isOpen && this.lose("no handshake"), SNAPSHOT_WAIT_MS),
    );
  }

  private ping(socket: Socket): void {
    const timer = setTimeout(() => {
      if (this.socket !== socket) return;
      if (this.silenceMs() >= SILENCE_MAX_MS) {
        this.lose("the server is silent");
        return;
      }
      socket.send(JSON.stringify({ op: "ping" }));
      this.ping(socket);
    }, PING_INTERVAL_MS);
    this.timers = [timer];
  }

  private subscribe(id: string): void {
    const copy = this.copies.get(id);
    if (!copy || !this.socket || !this.isOpen) return;
    clearTimeout(copy.timer);
    copy.timer = setTimeout(() => this.subscribe(id), SNAPSHOT_WAIT_MS);
    const after = copy.state === "disconnected" ? { epoch: copy.epoch, seq: copy.seq } : undefined;
    this.socket.send(JSON.stringify({ op: "subscribe", channel: `book:${id}`, after }));
  }

  private receive(data: unknown): void {
    this.heardAt = this.now();
    if (typeof data !== "string" || data.length > FRAME_LENGTH_MAX) {
      this.lose("a frame that is no text");
      return;
    }
    let json: unknown;
    try {
      json = JSON.parse(data);
    } catch {
      this.lose("a frame that is not JSON");
      return;
    }
    const name = (json as { channel?: unknown } | null)?.channel;
    const id = typeof name === "string" && name.startsWith("book:") ? name.slice("book:".length) : "";
    const copy = this.copies.get(id);
    if (!copy) return;
    const frame = readFrame(json);
    try {
      if (frame === null) throw new Error("a frame that cannot be read");
      if (frame.type === "pong") return;
      const reason = frame.type === "error" ? `refused: ${frame.code}` : apply(copy, frame);
      if (reason === null && copy.book) {
        clearTimeout(copy.timer);
        this.failures = 0;
        this.options.onChange(id, copy.book);
      } else if (reason !== null && reason !== "ignored") this.repair(id, copy, reason);
    } catch (error) {
      this.repair(id, copy, error instanceof Error ? error.message : "a frame that cannot be read");
    }
  }

  private repair(id: string, copy: Copy, reason: string): void {
    copy.state = "waiting";
    const failures = countFailure(copy, this.now());
    clearTimeout(copy.timer);
    copy.timer = setTimeout(() => this.subscribe(id), delayMs(failures, this.random()));
    this.options.onStale?.(id, reason);
  }

  private lose(reason: string): void {
    this.drop(reason);
    this.failures += 1;
    this.timers.push(setTimeout(() => this.connect(), delayMs(this.failures, this.random())));
  }

  private drop(reason: string): void {
    const socket = this.socket;
    this.socket = null;
    this.isOpen = false;
    for (const timer of this.timers) clearTimeout(timer);
    this.timers = [];
    socket?.close();
    for (const [id, copy] of this.copies) {
      clearTimeout(copy.timer);
      if (copy.state !== "live") continue;
      copy.state = "disconnected";
      if (!this.isClosed) this.options.onStale?.(id, reason);
    }
  }
}

/** Applies a frame to a copy; returns the reason why the copy does not follow the server, or "ignored". */
function apply(copy: Copy, frame: DataFrame): string | null {
  if (frame.type === "snapshot") {
    copy.book = readBook(frame.data);
    copy.epoch = frame.epoch;
    copy.seq = frame.seq;
    copy.state = "live";
    return null;
  }
  // Without a live copy a snapshot is on its way, and deltas of the subscription before are late.
  if (copy.state === "waiting" || copy.book === null) return "ignored";
  const step = stepOf(copy, frame);
  if (step === "ignore") return "ignored";
  if (step === "gap") return "a delta is missing";
  for (const operation of frame.ops) applyToBook(copy.book, operation);
  copy.seq = frame.seq;
  if (frame.crc != null && bookChecksum(copy.book) !== frame.crc) return "the checksum differs";
  copy.state = "live";
  return null;
}
