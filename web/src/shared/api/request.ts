import * as v from "valibot";
import { sessionToken } from "@/shared/session/session-store";
import { problemFrom, RequestProblem } from "./problem";

const TIMEOUT_MS = 20_000;

interface RequestOptions {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  /** Sent as JSON. Bigints are refused: sats cross the edge through `satsToWire`. */
  body?: unknown;
  signal?: AbortSignal;
  /** Makes a write safe to send twice. */
  idempotencyKey?: string;
}

/** Calls the server with the session's token, if there is one, and reads the answer with `schema`. */
export async function request<const Schema extends v.GenericSchema>(
  path: string,
  schema: Schema,
  options: RequestOptions = {},
): Promise<v.InferOutput<Schema>> {
  const body = await send(path, options);
  const parsed = v.safeParse(schema, body);
  if (parsed.success) return parsed.output;
  const where = parsed.issues[0] && v.getDotPath(parsed.issues[0]);
  throw new RequestProblem({
    code: "unreadable",
    status: 200,
    message: `Invalid API response${where ? ` (${where})` : ""}`,
  });
}

/** Sats as the wire writes them. Every amount of bitcoin there can be is an exact JSON number. */
export function satsToWire(value: bigint): number {
  if (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new RangeError(`${value} is no amount of sats`);
  return Number(value);
}

async function send(path: string, options: RequestOptions): Promise<unknown> {
  const headers = new Headers({ Accept: "application/json" });
  const token = sessionToken();
  if (token) headers.set("Authorization", `Bearer ${token}`);
  if (options.body !== undefined) headers.set("Content-Type", "application/json");
  if (options.idempotencyKey) headers.set("Idempotency-Key", options.idempotencyKey);

  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  let response: Response;
  try {
    response = await fetch(path, {
      method: options.method ?? "GET",
      headers,
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
      signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
      credentials: "same-origin",
    });
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    throw new RequestProblem({ code: "network", status: 0, message: "The server could not be reached" });
  }
  const body: unknown = response.status === 204 ? null : await response.json().catch(() => undefined);
  if (!response.ok) throw problemFrom(response.status, body);
  return body;
}
