export type WalletErrorKind =
  /** The user cancelled in the wallet. */
  | "cancelled"
  /** The wallet is not installed, or not connected any more. */
  | "absent"
  /** The wallet returned an error or an invalid result. */
  | "failed";

/** The error of a failed wallet call. `message` can be shown as it is. */
export class WalletError extends Error {
  override readonly name = "WalletError";
  readonly kind: WalletErrorKind;

  constructor(kind: WalletErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
