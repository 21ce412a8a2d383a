import { type ReactNode, useCallback, useState } from "react";
import { VerificationDialog } from "./verification-dialog";

/** The user closed the verification: nothing was sent, and nothing happened. */
export class VerificationCancelled extends Error {
  override readonly name = "VerificationCancelled";

  constructor() {
    super("The verification was cancelled");
  }
}

/** Requests a verification token. */
export type Verify = () => Promise<string>;

interface Pending {
  answer: (token: string) => void;
  refuse: (error: Error) => void;
}

/** Lets a submission demand a verification. `dialog` must be rendered meanwhile. */
export function useVerification(): { verify: Verify; dialog: ReactNode } {
  const [pending, setPending] = useState<Pending | null>(null);
  const verify = useCallback(
    () => new Promise<string>((answer, refuse) => setPending({ answer, refuse })),
    [],
  );
  const dialog = pending && (
    <VerificationDialog
      onToken={(token) => {
        setPending(null);
        pending.answer(token);
      }}
      onCancel={() => {
        setPending(null);
        pending.refuse(new VerificationCancelled());
      }}
    />
  );
  return { verify, dialog };
}
