import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readAnswer } from "./kit-answer";

const path = "../../../engine/verifier/tests/verdicts/verdicts.golden.json";
const golden: Record<string, { question: { kit?: string }; verdict: { kind?: string } }> = JSON.parse(
  readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8"),
);
const answers = Object.entries(golden).filter(([, { question }]) => question.kit !== undefined);

describe("an answer of the module", () => {
  it.each(answers)("is understood: %s", (_, { verdict }) => {
    expect(readAnswer(JSON.stringify(verdict)).kind).toBe(verdict.kind);
  });

  it("is there for every kind of answer", () => {
    const kinds = new Set(answers.map(([, { verdict }]) => verdict.kind));
    expect([...kinds].sort()).toEqual(["finished", "kit", "refused", "unsigned"]);
  });

  it.each(["", "{}", '{"kind":"kit"}', "null"])("is refused if it is %j", (text) => {
    expect(() => readAnswer(text)).toThrow();
  });
});
