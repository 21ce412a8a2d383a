import { expect, test } from "vitest";
import { cookieText, readCookie } from "./cookie";

test("a cookie is read back as written, among others", () => {
  const [written = ""] = cookieText("lienbook.category", "brc-20; a=b").split("; Path");
  expect(readCookie(`other=1; ${written}; last=2`, "lienbook.category")).toBe("brc-20; a=b");
});

test("a cookie stays within this site and this origin's pages", () => {
  expect(cookieText("a", "b")).toContain("SameSite=Lax");
  expect(cookieText("a", "b")).toContain("Path=/");
});

test.each([
  ["", "a"],
  ["ab=1", "a"],
  ["a=%E0%A4%A", "a"],
])("%j holds no readable %s", (cookies, name) => {
  expect(readCookie(cookies, name)).toBeNull();
});
