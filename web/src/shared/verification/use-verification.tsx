import { type ReactNode, useCallback, useState } from "react";
import { VerificationDialog } from "./verification-dialog";

/** The person left the verification: nothing was sent, and nothing happened. */
export class VerificationCancelled extends Error {
  override readonly name = "VerificationCancelled";

  constructor() {
    super("The verification was cancelled");
  }
}

/** Asks for a token of the verification. */
export type Verify = () => Promise<string>;

interface Asked {
  answer: (token: string) => void;
  refuse: (error: Error) => void;
}

/** Lets a submission ask the person to verify themselves. `dialog` has to be rendered while it may. */
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
