import { describe, expect, it, vi } from "vitest";
import { RequestProblem } from "@/shared/api/problem";
import { sendVerified } from "./verified";

const refusal = (code: string, status = 403) => new RequestProblem({ code, status, message: code });
const verify = () => Promise.resolve("token");

describe("a submission", () => {
  it("that needs no verification is sent once, without a token", async () => {
    const send = vi.fn(() => Promise.resolve("done"));
    expect(await sendVerified(send, verify)).toBe("done");
    expect(send.mock.calls).toEqual([[null]]);
  });

  it.each([
    "turnstile_required",
    "turnstile_rate_limited",
    "turnstile_bot_detection",
    "turnstile_validation_failed",
  ])("that meets %s is sent again with a verification token", async (code) => {
    const send = vi.fn((token: string | null) =>
      token ? Promise.resolve("done") : Promise.reject(refusal(code)),
    );
    expect(await sendVerified(send, verify)).toBe("done");
    expect(send.mock.calls).toEqual([[null], ["token"]]);
  });

  it("that meets a second demand fails with it, and the user is asked only once", async () => {
    const verifySpy = vi.fn(verify);
    const send = (token: string | null) =>
      Promise.reject(refusal(token ? "turnstile_bot_detection" : "turnstile_required"));
    await expect(sendVerified(send, verifySpy)).rejects.toThrow("turnstile_bot_detection");
    expect(verifySpy).toHaveBeenCalledOnce();
  });

  it("that is refused for another reason requests no verification", async () => {
    const verifySpy = vi.fn(verify);
    await expect(
      sendVerified(() => Promise.reject(refusal("below_min_offer", 422)), verifySpy),
    ).rejects.toThrow("below_min_offer");
    expect(verifySpy).not.toHaveBeenCalled();
  });
});
