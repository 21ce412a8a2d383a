export type WalletErrorKind =
  /** The person said no in the wallet. */
  | "cancelled"
  /** The wallet is not there, or no longer. */
  | "absent"
  /** The wallet answered with an error, or with something that is no answer. */
  | "failed";

/** Why a wallet did not do what it was asked. `message` can be shown as it is. */
export class WalletError extends Error {
  override readonly name = "WalletError";
  readonly kind: WalletErrorKind;

  constructor(kind: WalletErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
