import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";

const load = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const document = load(new URL("../../../api/asyncapi.json", import.meta.url).pathname);

describe("the description of the feed", () => {
  const specification = load(
    createRequire(import.meta.url).resolve("@asyncapi/specs/schemas/3.0.0-without-$id.json"),
  );
  const isValid = new Ajv({ strict: false, validateFormats: false }).compile(specification);

  it("is a valid document of AsyncAPI 3.0", () => {
    expect(isValid(document) ? [] : isValid.errors?.slice(0, 5)).toEqual([]);
  });

  it.each([
    ["another version", { ...document, asyncapi: "2.6.0" }],
    ["no title", { ...document, info: { version: "1" } }],
    ["an unknown action", { ...document, operations: { x: { action: "shout", channel: { $ref: "#" } } } }],
    ["an unknown part", { ...document, chanels: {} }],
  ])("would not be valid with %s", (_, changed) => expect(isValid(changed)).toBe(false));

  it("has examples that its schemas accept, as any validator reads them", () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    ajv.addSchema(document, "feed");
    for (const [name, message] of Object.entries<{ examples: { payload: unknown }[] }>(
      document.components.messages,
    )) {
      const fits = ajv.compile({ $ref: `feed#/components/messages/${name}/payload` });
      for (const { payload } of message.examples) {
        expect(fits(payload) ? [] : [name, payload, fits.errors]).toEqual([]);
      }
    }
  });
});
