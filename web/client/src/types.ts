import type { components, paths } from "../../src/shared/api/schema.gen.ts";

/** The bodies of requests and answers, by their names in the description of the API. */
export type Schemas = components["schemas"];
export type Row = Schemas["Row"];
export type BookOffer = Schemas["BookOffer"];
export type BookLoan = Schemas["BookLoan"];
export type Problem = Schemas["Problem"];

export type Method = "get" | "post" | "put" | "patch" | "delete";
/** The paths that take a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never;
}[keyof paths];
export type Operation<P extends keyof paths, M extends Method> =
  paths[P] extends Record<M, infer O> ? O : never;

type Content<R> = R extends { content: infer C } ? C[keyof C] : undefined;
/** The body of a success. */
export type Answer<O> = O extends { responses: infer R }
  ? Content<R[Extract<keyof R, 200 | 201 | 204>]>
  : never;
export type Body<O> = O extends { requestBody: { content: { "application/json": infer B } } } ? B : undefined;
type Parameters<O, K extends string> = O extends { parameters: infer P }
  ? K extends keyof P
    ? P[K]
    : undefined
  : undefined;
export type PathParameters<O> = Parameters<O, "path">;
export type Query<O> = Parameters<O, "query">;
