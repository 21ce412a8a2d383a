import * as v from "valibot";
import type { AnswerOf, Matches, Method, Operation, OptionsOf, PathOf } from "./operation";
import { problemFrom, RequestProblem } from "./problem";
import { passReceipt } from "./receipt-sink";
import { sessionToken } from "./session-token";

const TIMEOUT_MS = 20_000;

interface RequestOptions {
  /** Values of the path parameters. */
  path?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  /** Sent as JSON. Bigints are rejected: sats are converted by `satsToWire`. */
  body?: unknown;
  /** Makes a write safe to repeat. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/**
 * Calls the server with the session's token, if there is one, and reads the response with `schema`. Paths,
 * parameters and responses are typed by the OpenAPI description, so a mistake does not compile.
 */
export function request<M extends Method, Path extends PathOf<M>, const Schema extends v.GenericSchema>(
  method: M,
  path: Path,
  schema: Schema & Matches<AnswerOf<Operation<M, Path>>, Schema>,
  ...options: OptionsOf<Operation<M, Path>>
): Promise<v.InferOutput<Schema>>;
export async function request(
  method: Method,
  path: string,
  schema: v.GenericSchema,
  options: RequestOptions = {},
): Promise<unknown> {
  const body = await send(method, path, options);
  const parsed = v.safeParse(schema, body);
  if (parsed.success) return parsed.output;
  const where = parsed.issues[0] && v.getDotPath(parsed.issues[0]);
  throw new RequestProblem({
    code: "unreadable",
    status: 200,
    message: `Invalid API response${where ? ` (${where})` : ""}`,
  });
}

/** Fetches a response that is not JSON, such as a table or a calendar, as text. */
export async function requestFile(path: PathOf<"GET">, options: RequestOptions = {}): Promise<string> {
  const response = await answerTo("GET", path, options, "*/*");
  return response.text();
}

/** Sats as a JSON number. Every possible amount of bitcoin is exact in it. */
export function satsToWire(value: bigint): number {
  if (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new RangeError(`${value} is no amount of sats`);
  return Number(value);
}

/** The URL of an operation: its template with the parameters filled in, and its query. */
function addressOf(template: string, { path = {}, query = {} }: RequestOptions): string {
  const address = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ""));
  const values = Object.entries(query).filter(([, value]) => value !== undefined);
  if (values.length === 0) return address;
  return `${address}?${new URLSearchParams(values.map(([name, value]) => [name, String(value)]))}`;
}

async function send(method: Method, path: string, options: RequestOptions): Promise<unknown> {
  const response = await answerTo(method, path, options, "application/json");
  return response.status === 204 ? null : response.json().catch(() => undefined);
}

/** The response to a request; throws a `RequestProblem` for a refusal. */
async function answerTo(
  method: Method,
  path: string,
  options: RequestOptions,
  accept: string,
): Promise<Response> {
  const headers = new Headers({ Accept: accept });
  const token = sessionToken();
  if (token) headers.set("Authorization", `Bearer ${token}`);
  if (options.body !== undefined) headers.set("Content-Type", "application/json");
  if (options.idempotencyKey) headers.set("Idempotency-Key", options.idempotencyKey);

  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  let response: Response;
  try {
    response = await fetch(addressOf(path, options), {
      method,
      headers,
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
      signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
      credentials: "same-origin",
    });
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    throw new RequestProblem({ code: "network", status: 0, message: "The server could not be reached" });
  }
  if (!response.ok) throw problemFrom(response.status, await response.json().catch(() => undefined));
  passReceipt(response.headers);
  return response;
}
