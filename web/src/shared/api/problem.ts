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

/** Why the server, or the way to it, refused a request. `message` can be shown as it is. */
export class RequestProblem extends Error {
  override readonly name = "RequestProblem";
  /** The server's code, or `network` when no answer came and `unreadable` when the answer made no sense. */
  readonly code: string;
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly requestId: string | null;
  /** What the refusal was decided by, as the server names it. */
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

  /** Whether the server decided against it, so that nothing happened. Otherwise it may have, or may at another time. */
  get isRefusal(): boolean {
    return this.status >= 400 && this.status < 500;
  }
}

/** Reads a problem document; anything else becomes a problem that names the status alone. */
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
