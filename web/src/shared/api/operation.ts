import type * as v from "valibot";
import type { components, paths } from "./schema.gen";

/** The wire types, by the names of the server's OpenAPI description. */
export type Wire = components["schemas"];

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The paths that accept a method, with their parameters in braces. */
export type PathOf<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<Lowercase<M>, object> ? Path : never;
}[keyof paths];

/** One operation of the OpenAPI description. */
export type Operation<M extends Method, Path extends PathOf<M>> =
  paths[Path] extends Record<Lowercase<M>, infer Described> ? Described : never;

/** The body of a successful response; null when it has none. */
export type AnswerOf<Op> = Op extends { responses: infer Responses }
  ? JsonOf<Responses[keyof Responses & (200 | 201 | 204)], null>
  : never;

/** The options of a request besides its path; optional when all of them are. */
export type OptionsOf<Op> =
  Partial<ParametersOf<Op>> extends ParametersOf<Op>
    ? [options?: ParametersOf<Op> & { signal?: AbortSignal }]
    : [options: ParametersOf<Op> & { signal?: AbortSignal }];

/**
 * Empty when `Schema` reads every `Body` that the server may write; otherwise the paths where it does not. A
 * schema may accept more: an older or newer server is no reason to show nothing.
 */
export type Matches<Body, Schema extends v.GenericSchema> = [Mismatch<Body, v.InferInput<Schema>>] extends [
  never,
]
  ? unknown
  : { doesNotRead: Mismatch<Body, v.InferInput<Schema>> };

/** Declares that a schema reads a wire type that does not arrive as a response. */
export function reading<Body>() {
  return <const Schema extends v.GenericSchema>(schema: Schema & Matches<Body, Schema>): Schema => schema;
}

type ParametersOf<Op> = Field<"path", ParametersIn<Op, "path">> &
  Field<"query", ParametersIn<Op, "query">> &
  Field<"body", Op extends { requestBody: infer Body } ? JsonOf<Body, never> : never> &
  // Requests that accept an idempotency key must have one.
  ([ParametersIn<Op, "header">] extends [never] ? { idempotencyKey?: never } : { idempotencyKey: string });

type JsonOf<Message, Otherwise> = Message extends { content: { "application/json": infer Body } }
  ? Body
  : Otherwise;

type ParametersIn<Op, Location extends string> = Op extends { parameters: { [In in Location]?: infer Named } }
  ? Exclude<Named, undefined>
  : never;

/** A field that is required if anything in it is. */
type Field<Name extends string, Value> = [Value] extends [never]
  ? { [N in Name]?: never }
  : Partial<Value> extends Value
    ? { [N in Name]?: Value }
    : { [N in Name]: Value };

/** The paths at which `Body` may hold a value that `Input` does not accept. */
type Mismatch<Body, Input, At extends string = "answer"> = Body extends Input
  ? never
  : Body extends readonly (infer Item)[]
    ? ItemMismatch<Item, Extract<Input, readonly unknown[]>, `${At}[]`>
    : Body extends object
      ? FieldMismatch<Body, Exclude<Extract<Input, object>, readonly unknown[]>, At>
      : At;

type ItemMismatch<Item, List extends readonly unknown[], At extends string> = [List] extends [never]
  ? At
  : Mismatch<Item, List[number], At>;

type FieldMismatch<Body, Fields, At extends string> = [Fields] extends [never]
  ? At
  : {
      [Key in keyof Fields & string]: Mismatch<
        Key extends keyof Body ? Body[Key] : undefined,
        Fields[Key],
        `${At}.${Key}`
      >;
    }[keyof Fields & string];
