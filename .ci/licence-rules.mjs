// The licences that deny.toml allows, and whether an SPDX expression is satisfied by them.
import { readFileSync } from "node:fs";

const deny = readFileSync("deny.toml", "utf8");

/** The strings of the list that a pattern finds in deny.toml. */
export function denyStrings(pattern) {
  const found = pattern.exec(deny);
  if (!found) throw new Error(`deny.toml lacks ${pattern}`);
  return [...found[1].matchAll(/"([^"]*)"/g)].map(([, text]) => text);
}

/** The crates that deny.toml bans. */
export const banned = new Set([...deny.matchAll(/\{ crate = "([^"]+)"/g)].map(([, name]) => name));

const allowed = new Set(denyStrings(/^allow = \[([^\]]*)\]/m));

/** The expression as SPDX writes it; `/` is an older form of OR. */
export function spdx(expression) {
  return expression.replaceAll(/\s*\/\s*/g, " OR ").trim();
}

/** Whether the allowed licences satisfy an SPDX expression. */
export function isAllowed(expression) {
  const words = spdx(expression).replaceAll(/([()])/g, " $1 ").trim().split(/\s+/);
  let at = 0;
  function any() {
    let met = all();
    while (words[at] === "OR") {
      at += 1;
      met = all() || met;
    }
    return met;
  }
  function all() {
    let met = one();
    while (words[at] === "AND") {
      at += 1;
      met = one() && met;
    }
    return met;
  }
  function one() {
    if (words[at] === "(") {
      at += 1;
      const met = any();
      at += 1;
      return met;
    }
    let name = words[at];
    at += 1;
    if (words[at] === "WITH") {
      name += ` WITH ${words[at + 1]}`;
      at += 2;
    }
    return allowed.has(name);
  }
  return any();
}
