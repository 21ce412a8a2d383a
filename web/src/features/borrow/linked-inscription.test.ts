import { describe, expect, it } from "vitest";
import { firstChoice } from "./linked-inscription";

describe("the inscription to pledge at first", () => {
  it("is the only one, or that of the link", () => {
    expect(firstChoice(["a"], null)).toBe("a");
    expect(firstChoice(["a", "b"], null)).toBeNull();
    expect(firstChoice(["a", "b"], "b")).toBe("b");
  });

  it("is never another one than that of the link", () => {
    expect(firstChoice(["a"], "b")).toBeNull();
    expect(firstChoice([], "b")).toBeNull();
  });
});
