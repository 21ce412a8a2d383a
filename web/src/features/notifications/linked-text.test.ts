import { expect, test } from "vitest";
import { linkedText } from "./linked-text";

test("URLs become links, without the punctuation that ends a sentence", () => {
  const text = "Open https://a.example/x#verify=T_0. Or not (http://b.example).";
  expect(linkedText(text).map(({ text, href }) => ({ text, href }))).toEqual([
    { text: "Open ", href: null },
    { text: "https://a.example/x#verify=T_0", href: "https://a.example/x#verify=T_0" },
    { text: ". Or not (", href: null },
    { text: "http://b.example", href: "http://b.example" },
    { text: ").", href: null },
  ]);
});

test.each(["", "no address", "javascript:alert(1)", "ftp://a.example"])("%j is no link", (text) => {
  expect(linkedText(text).every(({ href }) => href === null)).toBe(true);
  expect(
    linkedText(text)
      .map((part) => part.text)
      .join(""),
  ).toBe(text);
});
