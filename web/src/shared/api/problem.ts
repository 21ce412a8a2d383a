import * as v from "valibot";
import { reading, type Wire } from "./operation";

const problem = reading<Wire["Problem"]>()(
  v.object({
    code: v.pipe(v.string(), v.maxLength(80)),
    title: v.pipe(v.string(), v.maxLength(500)),
    detail: v.nullish(v.pipe(v.string(), v.maxLength(2_000)), null),
    status: v.pipe(v.number(), v.integer()),
    requestId: v.nullish(v.pipe(v.string(), v.maxLength(100)), null),
    values: v.nullish(v.record(v.string(), v.unknown()), {}),
  }),
);

/** The error of a request that the server, or the connection, refused. `message` can be shown as it is. */
export class RequestProblem extends Error {
  override readonly name = "RequestProblem";
  /** The server's code, or `network` without a response and `unreadable` for an invalid one. */
  readonly code: string;
  /** HTTP status; 0 without a response. */
  readonly status: number;
  readonly requestId: string | null;
  /** The values that the refusal was decided by, as the server names them. */
  readonly values: Readonly<Record<string, unknown>>;

  constructor(fields: {
    code: string;
    status: number;
    message: string;
    requestId?: string | null;
    values?: Record<string, unknown>;
  }) {
    super(fields.message);
    this.code = fields.code;
    this.status = fields.status;
    this.requestId = fields.requestId ?? null;
    this.values = fields.values ?? {};
  }

  /**
   * Whether the server decided against the request, so that nothing happened. Otherwise it may have been
   * carried out, or may succeed later.
   */
  get isRefusal(): boolean {
    return this.status >= 400 && this.status < 500;
  }
}

/** Reads a problem document; any other body becomes a problem with the status alone. */
export function problemFrom(status: number, body: unknown): RequestProblem {
  const parsed = v.safeParse(problem, body);
  if (!parsed.success) {
    return new RequestProblem({
      code: "unreadable",
      status,
      message: `The server answered with status ${status}`,
    });
  }
  const { code, title, detail, requestId, values } = parsed.output;
  return new RequestProblem({ code, status, message: detail || title, requestId, values });
}
