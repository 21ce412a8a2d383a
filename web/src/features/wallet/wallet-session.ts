import { create } from "zustand";
import { RequestProblem } from "@/shared/api/problem";
import { type MessageSigner, SignatureCancelled, setMessageSigner } from "@/shared/bitcoin/message-signer";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import {
  setTransactionSigner,
  TransactionCancelled,
  type TransactionSigner,
} from "@/shared/bitcoin/transaction-signer";
import { useSession } from "@/shared/session/session-store";
import { notify } from "@/shared/ui/notify";
import {
  closeSessions,
  openSession,
  refreshSession,
  type SessionAnswer,
  signInMessage,
} from "./session-requests";
import { connectorFor } from "./wallet-choices";
import type { WalletConnector } from "./wallet-connector";
import { WalletError } from "./wallet-error";
import { forgetWallet, type RememberedWallet, rememberedWallet, rememberWallet } from "./wallet-memory";

/** A token is replaced this long before it expires. */
const REFRESH_AHEAD_MS = 60_000;
const RETRY_MS = 10_000;

export type SignInStep = "connect" | "nonce" | "signature" | "ordinals" | "session";

export interface SignInProgress {
  step: SignInStep;
  /** Whether the ordinals address signs too: known once the wallet has returned its addresses. */
  hasTwoAddresses: boolean;
}

interface WalletSessionState {
  wallet: RememberedWallet | null;
  /** A part of the app other than the button requested the choice of wallets. */
  isConnectRequested: boolean;
}

/**
 * The wallet behind the session. The session itself is in a shared store; this is the state of connecting.
 */
export const useWalletSession = create<WalletSessionState>(() => ({
  wallet: null,
  isConnectRequested: false,
}));

// Set before the first paint, so that the page does not look signed out before the session is checked.
useSession.setState({ isRestoring: rememberedWallet() !== null });

/** Opens the choice of wallets. */
export function requestConnect(): void {
  useWalletSession.setState({ isConnectRequested: true });
}

let isRefreshing = false;
let stopWatching: () => void = () => undefined;
let refreshTimer: ReturnType<typeof setTimeout> | undefined;

/** The connected wallet as a message signer for the rest of the app. */
function signerOf(connector: WalletConnector): MessageSigner {
  return async (address, message) => {
    try {
      return await connector.signMessage(address, message, "BIP322");
    } catch (error) {
      throw error instanceof WalletError && error.kind === "cancelled" ? new SignatureCancelled() : error;
    }
  };
}

function transactionSignerOf(connector: WalletConnector): TransactionSigner {
  return async (toSign) => {
    try {
      return await connector.signPsbt(toSign);
    } catch (error) {
      throw error instanceof WalletError && error.kind === "cancelled" ? new TransactionCancelled() : error;
    }
  };
}

function openedSession(answer: SessionAnswer, wallet: RememberedWallet, connector: WalletConnector): void {
  const { jwt, userId, hardwareWallet, addresses, notificationPreferences } = answer;
  setMessageSigner(signerOf(connector));
  setTransactionSigner(transactionSignerOf(connector));
  stopWatching();
  stopWatching = connector.watch(() => endSessionBecause("The wallet has changed its account or network."));
  useWalletSession.setState({ wallet });
  useSession.setState({ isRestoring: false });
  useSession
    .getState()
    .setSession({ jwt, userId, hardwareWallet, addresses, notificationPreferences, wallet: wallet.id });
  refreshIn(answer.expiresAt - Date.now() - REFRESH_AHEAD_MS, answer.expiresAt, wallet, connector);
}

function clearSession(): void {
  clearTimeout(refreshTimer);
  setMessageSigner(null);
  setTransactionSigner(null);
  stopWatching();
  stopWatching = () => undefined;
  forgetWallet();
  useWalletSession.setState({ wallet: null });
  useSession.setState({ isRestoring: false });
  useSession.getState().clear();
}

/** Ends the session without a sign-out: the user is notified, and can sign in again. */
function endSessionBecause(reason: string): void {
  if (!useSession.getState().session) return;
  clearSession();
  notify.warning("Please reconnect your wallet", reason);
}

/**
 * Restores a renewed session. One from before the ordinals address had to sign ends here, with a reason, and
 * not in the middle of borrowing.
 */
function resume(answer: SessionAnswer, wallet: RememberedWallet, connector: WalletConnector): void {
  if (answer.isOrdinalsProven) {
    openedSession(answer, wallet, connector);
    return;
  }
  clearSession();
  notify.warning("Please reconnect your wallet", "Your ordinals address has to sign too, once.");
}

/** Runs refreshes one after the other across tabs: two at once would invalidate each other's cookie. */
async function withSessionLock<Result>(task: () => Promise<Result>): Promise<Result> {
  if (!("locks" in navigator)) return task();
  return await navigator.locks.request("lienbook.session", task);
}

function refreshIn(
  delayMs: number,
  expiresAt: number,
  wallet: RememberedWallet,
  connector: WalletConnector,
): void {
  clearTimeout(refreshTimer);
  refreshTimer = setTimeout(
    () => {
      withSessionLock(refreshSession).then(
        (answer) => resume(answer, wallet, connector),
        (error: unknown) => {
          const isLost = error instanceof RequestProblem && error.status === 401;
          if (isLost || Date.now() > expiresAt) endSessionBecause("Your session has expired.");
          else refreshIn(RETRY_MS, expiresAt, wallet, connector);
        },
      );
    },
    Math.max(1_000, delayMs),
  );
}

/**
 * Connects the wallet, signs the sign-in message and opens a session. Rejects with an error that can be
 * shown.
 */
export async function signIn(
  id: string,
  network: BitcoinNetwork,
  onProgress: (progress: SignInProgress) => void,
): Promise<void> {
  const connector = await connectorFor(id);
  onProgress({ step: "connect", hasTwoAddresses: true });
  const connected = await connector.connect(network);
  const { payment, ordinals } = connected.addresses;
  const hasTwoAddresses = payment.address !== ordinals.address;
  const onStep = (step: SignInStep) => onProgress({ step, hasTwoAddresses });
  onStep("nonce");
  const message = await signInMessage(connected);
  onStep("signature");
  const signature = await connector.signMessage(payment.address, message, "BIP322");
  let ordinalsSignature: string | null = null;
  if (hasTwoAddresses) {
    onStep("ordinals");
    ordinalsSignature = await connector.signMessage(ordinals.address, message, "BIP322");
  }
  onStep("session");
  const answer = await openSession(connected, message, { payment: signature, ordinals: ordinalsSignature });
  const wallet = { id, accountName: connected.accountName };
  rememberWallet(wallet);
  openedSession(answer, wallet, connector);
}

/** Restores the session of an earlier visit, if this browser had one. */
export async function restoreSession(): Promise<void> {
  const wallet = rememberedWallet();
  if (!wallet) {
    // Another tab has signed out since this page was opened.
    useSession.setState({ isRestoring: false });
    return;
  }
  if (useSession.getState().session || isRefreshing) return;
  isRefreshing = true;
  useSession.setState({ isRestoring: true });
  try {
    resume(await withSessionLock(refreshSession), wallet, await connectorFor(wallet.id));
  } catch (error) {
    // The remembered wallet survives an unreachable server; a session that the server does not know is over.
    if (error instanceof RequestProblem && error.status === 401) clearSession();
    else useSession.setState({ isRestoring: false });
  } finally {
    isRefreshing = false;
  }
}

/** Ends the session everywhere. The user is signed out here even when the server cannot be reached. */
export async function signOut(): Promise<void> {
  const { wallet } = useWalletSession.getState();
  const closing = closeSessions();
  try {
    await closing;
  } finally {
    clearSession();
    if (wallet) await (await connectorFor(wallet.id)).disconnect();
  }
}
