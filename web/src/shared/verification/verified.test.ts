import { describe, expect, it, vi } from "vitest";
import { RequestProblem } from "@/shared/api/problem";
import { sendSigned, sendVerified } from "./verified";

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

describe("a signed submission", () => {
  /** Messages named by the order in which they were signed. */
  const signer = () => {
    let count = 0;
    return vi.fn(() => Promise.resolve(`message ${++count}`));
  };
  /** Refuses with the codes, in turn, and then accepts. */
  const server = (...codes: string[]) =>
    vi.fn((_message: string, _token: string | null) => {
      const code = codes.shift();
      return code === undefined ? Promise.resolve("done") : Promise.reject(refusal(code));
    });

  it("is not signed again for its verification", async () => {
    const send = server("turnstile_required");
    expect(await sendSigned(signer(), send, verify)).toBe("done");
    expect(send.mock.calls).toEqual([
      ["message 1", null],
      ["message 1", "token"],
    ]);
  });

  it.each(["message_expired", "nonce_unknown", "nonce_used"])(
    "is signed again once when its verification ends with %s",
    async (code) => {
      const send = server("turnstile_required", code);
      expect(await sendSigned(signer(), send, verify)).toBe("done");
      expect(send.mock.calls).toEqual([
        ["message 1", null],
        ["message 1", "token"],
        ["message 2", "token"],
      ]);
      await expect(sendSigned(signer(), server("turnstile_required", code, code), verify)).rejects.toThrow(
        code,
      );
    },
  );

  it.each([
    ["is too old before any verification", ["message_expired"]],
    ["is refused for another reason after it", ["turnstile_required", "below_min_offer"]],
  ])("is not signed again when it %s", async (_when, codes) => {
    const sign = signer();
    await expect(sendSigned(sign, server(...codes), verify)).rejects.toThrow(codes.at(-1));
    expect(sign).toHaveBeenCalledOnce();
  });
});
