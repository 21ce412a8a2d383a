import { describe, expect, it, vi } from "vitest";
import { givenBack, PreparedHold } from "./prepared-hold";

const counter = () => vi.fn(async () => undefined);

describe("a dialog's prepared hold", () => {
  it("is released once when the dialog is closed", () => {
    const hold = new PreparedHold();
    const giveBack = counter();
    hold.set(giveBack);
    hold.leave();
    hold.leave();
    expect(giveBack).toHaveBeenCalledTimes(1);
  });

  it("is released when it arrives after the dialog was closed", () => {
    const hold = new PreparedHold();
    const giveBack = counter();
    hold.leave();
    hold.set(giveBack);
    expect(giveBack).toHaveBeenCalledTimes(1);
  });

  it("stays once it is signed", () => {
    const hold = new PreparedHold();
    const giveBack = counter();
    hold.set(giveBack);
    hold.set(null);
    hold.leave();
    expect(giveBack).not.toHaveBeenCalled();
  });

  it("is kept by a dialog that is mounted twice, as development builds do", () => {
    const hold = new PreparedHold();
    const giveBack = counter();
    hold.enter();
    hold.leave();
    hold.enter();
    hold.set(giveBack);
    expect(giveBack).not.toHaveBeenCalled();
  });

  it("is awaited before the next preparation, even when the server refuses to release it", async () => {
    const hold = new PreparedHold();
    const refusals: Array<(reason: Error) => void> = [];
    hold.set(() => new Promise((_, refuse) => refusals.push(refuse)));
    hold.leave();
    let isFree = false;
    const free = givenBack().then(() => {
      isFree = true;
    });
    await Promise.resolve();
    expect(isFree).toBe(false);
    for (const refuse of refusals) refuse(new Error("gone"));
    await free;
    expect(isFree).toBe(true);
  });
});
