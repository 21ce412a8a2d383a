import { create } from "zustand";
import type { Wire } from "@/shared/api/operation";

export type SessionAddress = Wire["AddressView"];

/** How a person wants to be told of what cannot wait. */
export type NotificationPreferences = Wire["NotificationPreferences"];

export interface Session {
  jwt: string;
  userId: string;
  /** Name of the wallet that signed in. */
  wallet: string;
  hardwareWallet: boolean;
  addresses: { payment: SessionAddress; ordinals: SessionAddress };
  notificationPreferences: NotificationPreferences;
}

interface SessionState {
  session: Session | null;
  setSession: (session: Session) => void;
  clear: () => void;
}

/**
 * Who is signed in. The wallet feature fills it; the feed and the API calls read it. It lives in memory only:
 * a reload asks the server for a new token through the refresh cookie.
 */
export const useSession = create<SessionState>((set) => ({
  session: null,
  setSession: (session) => set({ session }),
  clear: () => set({ session: null }),
}));

/** The token of the person signed in, outside of React. */
export function sessionToken(): string | null {
  return useSession.getState().session?.jwt ?? null;
}
