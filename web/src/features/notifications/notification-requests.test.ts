import { expect, test } from "vitest";
import { isReached, isWaiting } from "./notification-requests";

const off = { isAvailable: true, address: null, isVerified: false, verifyUntil: null, refusedAt: null };
const linked = { isAvailable: true, isLinked: true, botName: "bot" };
const rest = { criticalAlerts: true, choices: [] };

test.each([
  ["nothing is begun", off, linked, false],
  ["a mail is to be opened", { ...off, address: "a@b.example", verifyUntil: 1 }, linked, true],
  ["the mail was refused", { ...off, address: "a@b.example", verifyUntil: 1, refusedAt: 1 }, linked, false],
  ["the address is verified", { ...off, address: "a@b.example", isVerified: true }, linked, false],
  ["a chat may begin at any time", off, { ...linked, isLinked: false }, true],
  ["there is no bot", off, { isAvailable: false, isLinked: false, botName: null }, false],
])("the page polls while the next step happens elsewhere: %s", (_, email, telegram, waits) => {
  expect(isWaiting({ email, telegram, ...rest })).toBe(waits);
});

test.each([
  ["nothing is set up", off, false, false],
  ["an address is verified", { ...off, isVerified: true }, false, true],
  ["its mail server refuses it", { ...off, isVerified: true, refusedAt: 1 }, false, false],
  ["there is a chat beside it", { ...off, isVerified: true, refusedAt: 1 }, true, true],
])("a channel delivers outside of the app: %s", (_, email, isLinked, incoming) => {
  expect(isReached({ email, telegram: { ...linked, isLinked } })).toBe(incoming);
});
