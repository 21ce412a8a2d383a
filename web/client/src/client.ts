import { nextStep, refillMs } from "./retry.ts";
import type { Answer, Body, Method, Operation, PathOf, PathParameters, Problem, Query } from "./types.ts";

const TIME_LIMIT_MS = 20_000;
/** More requests wait for their turn. */
const IN_FLIGHT_MAX = 8;

export interface ClientOptions {
  /** The server, such as https://lienbook.example. Without TLS only this machine is accepted. */
  url: string;
  /** The secret of an API key; without it only public resources answer. */
  key?: string;
  /** Replaced by tests. */
  fetch?: typeof fetch;
  sleep?: (ms: number) => Promise<void>;
  random?: () => number;
  now?: () => number;
}

/** A request without a usable answer. */
export class CallError extends Error {
  /** The server's refusal; null if there is no answer, or one that cannot be read. */
  readonly problem: Problem | null;
  /** Whether a write may have had an effect. */
  readonly mayHaveHappened: boolean;

  constructor(text: string, problem: Problem | null, mayHaveHappened: boolean) {
    super(text);
    this.name = "CallError";
    this.problem = problem;
    this.mayHaveHappened = mayHaveHappened;
  }

  /** The code of the refusal. */
  get code(): string | null {
    return this.problem?.code ?? null;
  }
}

export interface CallOptions<O> {
  path?: PathParameters<O>;
  query?: Query<O>;
  body?: Body<O>;
  /** 1 to 64 visible ASCII characters, with which a repetition takes effect once. */
  idempotencyKey?: string;
}

/** A client of one server, as one user or as none. */
export class Client {
  /** The server, without a slash at its end. */
  readonly url: string;
  private readonly key: string | undefined;
  private readonly fetch: typeof fetch;
  private readonly sleep: (ms: number) => Promise<void>;
  private readonly random: () => number;
  private readonly now: () => number;
  private readonly openAt = new Map<string, number>();
  private readonly waiting: (() => void)[] = [];
  private inFlight = 0;
  private position: string | null = null;

  constructor(options: ClientOptions) {
    this.url = checkedUrl(options.url);
    if (options.key !== undefined && !/^[!-~]{1,4096}$/.test(options.key))
      throw new Error("the key is not valid");
    this.key = options.key;
    this.fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.sleep = options.sleep ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
    this.random = options.random ?? Math.random;
    this.now = options.now ?? Date.now;
  }

  /** Sends a request, and sends it again where that is safe and may help. */
  async call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    options: CallOptions<Operation<P, M>> = {},
  ): Promise<Answer<Operation<P, M>>> {
    const address = this.url + resource(path, options.path, options.query);
    const isRepeatable = options.idempotencyKey !== undefined || (method !== "post" && method !== "patch");
    const quota = method === "get" ? (this.key === undefined ? "reads" : "own-reads") : "writes";
    for (let attempt = 1; ; attempt += 1) {
      const waitMs = (this.openAt.get(quota) ?? 0) - this.now();
      if (waitMs > 0) await this.sleep(waitMs);
      const result = await this.attempt(method, address, options);
      if (result.kind === "answer") return result.body as Answer<Operation<P, M>>;
      const step = nextStep(result.failure, attempt, isRepeatable, this.random());
      if (step.kind === "give up") throw result.error;
      if (step.kind === "too long") {
        throw new CallError(`the server asks to wait ${Math.ceil(step.waitMs / 1_000)} s`, null, false);
      }
      await this.sleep(step.waitMs);
    }
  }

  private async attempt(method: Method, address: string, options: CallOptions<unknown>) {
    await this.turn();
    try {
      const response = await this.fetch(address, {
        method: method.toUpperCase(),
        headers: this.headers(options),
        body: options.body === undefined ? undefined : JSON.stringify(options.body),
        redirect: "error",
        signal: AbortSignal.timeout(TIME_LIMIT_MS),
      });
      this.remember(response.headers);
      return await read(response);
    } catch (cause) {
      const text = cause instanceof Error ? cause.message : "unknown";
      const error = new CallError(`no answer, and the outcome is unknown: ${text}`, null, true);
      return { kind: "failed", failure: { kind: "lost" }, error } as const;
    } finally {
      this.inFlight -= 1;
      this.waiting.shift()?.();
    }
  }

  private async turn(): Promise<void> {
    while (this.inFlight >= IN_FLIGHT_MAX) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.inFlight += 1;
  }

  private headers({ body, idempotencyKey }: CallOptions<unknown>): Record<string, string> {
    return {
      accept: "application/json, */*;q=0.5",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(this.key === undefined ? {} : { authorization: `Bearer ${this.key}` }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      ...(this.position === null ? {} : { "lienbook-position": this.position }),
    };
  }

  private remember(headers: Headers): void {
    this.position = headers.get("lienbook-position") ?? this.position;
    const quota = refillMs(headers.get("ratelimit-policy"), headers.get("ratelimit"));
    if (quota !== null) this.openAt.set(quota.name, this.now() + quota.waitMs);
  }
}

async function read(response: Response) {
  const text = await response.text();
  if (response.ok) {
    if (text === "") return { kind: "answer", body: undefined } as const;
    const isJson = response.headers.get("content-type")?.includes("json") ?? false;
    if (!isJson) return { kind: "answer", body: text } as const;
    const body = parsed(text);
    if (body !== undefined) return { kind: "answer", body } as const;
  }
  const problem = parsed(text) as Problem | undefined;
  const isProblem = typeof problem?.code === "string";
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const failure = {
    kind: "answered",
    status: response.status,
    code: isProblem ? problem.code : null,
    retryAfterMs: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null,
  } as const;
  const error = isProblem
    ? new CallError(`refused with ${response.status} ${problem.code}: ${problem.detail}`, problem, false)
    : new CallError(`the answer with status ${response.status} cannot be read`, null, true);
  return { kind: "failed", failure, error } as const;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function resource(path: string, parameters: unknown, query: unknown): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = (parameters as Record<string, unknown> | undefined)?.[name];
    if (typeof value !== "string") throw new Error(`the path needs ${name}`);
    // A segment of dots would name another folder.
    return encodeURIComponent(value).replace(/^\.{1,2}$/, (dots) => dots.replaceAll(".", "%2E"));
  });
  const pairs = Object.entries((query ?? {}) as Record<string, unknown>).filter(([, value]) => value != null);
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? filled : `${filled}?${text}`;
}

/** The address of a server that a key may be sent to. */
function checkedUrl(text: string): string {
  const url = new URL(text);
  const isLocal = ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLocal)) {
    throw new Error("expected https; http is accepted for this machine only");
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new Error("expected a URL like https://lienbook.example, without credentials");
  }
  return url.href.replace(/\/+$/, "");
}
