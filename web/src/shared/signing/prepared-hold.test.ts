import { describe, expect, it, vi } from "vitest";
import { PreparedHold, pendingReleasesDone } from "./prepared-hold";

const counter = () => vi.fn(async () => undefined);

describe("a dialog's prepared hold", () => {
  it("is released once when the dialog is closed", () => {
    const hold = new PreparedHold();
    const release = counter();
    hold.set(release);
    hold.leave();
    hold.leave();
    expect(release).toHaveBeenCalledTimes(1);
  });

  it("is released when it arrives after the dialog was closed", () => {
    const hold = new PreparedHold();
    const release = counter();
    hold.leave();
    hold.set(release);
    expect(release).toHaveBeenCalledTimes(1);
  });

  it("stays once it is signed", () => {
    const hold = new PreparedHold();
    const release = counter();
    hold.set(release);
    hold.set(null);
    hold.leave();
    expect(release).not.toHaveBeenCalled();
  });

  it("is kept by a dialog that is mounted twice, as development builds do", () => {
    const hold = new PreparedHold();
    const release = counter();
    hold.enter();
    hold.leave();
    hold.enter();
    hold.set(release);
    expect(release).not.toHaveBeenCalled();
  });

  it("is awaited before the next preparation, even when the server refuses to release it", async () => {
    const hold = new PreparedHold();
    const refusals: Array<(reason: Error) => void> = [];
    hold.set(() => new Promise((_, refuse) => refusals.push(refuse)));
    hold.leave();
    let isFree = false;
    const free = pendingReleasesDone().then(() => {
      isFree = true;
    });
    await Promise.resolve();
    expect(isFree).toBe(false);
    for (const refuse of refusals) refuse(new Error("gone"));
    await free;
    expect(isFree).toBe(true);
  });
});
