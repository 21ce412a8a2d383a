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

interface Asked {
  answer: (token: string) => void;
  refuse: (error: Error) => void;
}

/** Lets a submission demand a verification. `dialog` must be rendered meanwhile. */
export function useVerification(): { verify: Verify; dialog: ReactNode } {
  const [asked, setAsked] = useState<Asked | null>(null);
  const verify = useCallback(() => new Promise<string>((answer, refuse) => setAsked({ answer, refuse })), []);
  const dialog = asked && (
    <VerificationDialog
      onToken={(token) => {
        setAsked(null);
        asked.answer(token);
      }}
      onCancel={() => {
        setAsked(null);
        asked.refuse(new VerificationCancelled());
      }}
    />
  );
  return { verify, dialog };
}
