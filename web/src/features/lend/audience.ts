import type { Wire } from "@/shared/api/operation";

/** The borrowers who can take an offer. */
export type AudienceKind = "anyone" | "borrower" | "link" | "conditions";

/** The choice of borrowers as typed. */
export interface Audience {
  kind: AudienceKind;
  borrowerAddress: string;
  /** The least number of repaid loans, as text; empty asks for none. */
  repaidMin: string;
  /** The days without a default, as text; empty asks for none. */
  defaultFreeDays: string;
  /** Inscription ids, separated by space or lines; empty takes any. */
  inscriptions: string;
}

export const ANYONE: Audience = {
  kind: "anyone",
  borrowerAddress: "",
  repaidMin: "",
  defaultFreeDays: "",
  inscriptions: "",
};

export const REPAID_MAX = 1_000;
export const DEFAULT_FREE_DAYS_MAX = 3_650;
export const INSCRIPTIONS_MAX = 100;

const INSCRIPTION_ID = /^[0-9a-f]{64}i(0|[1-9]\d{0,9})$/;

/** The reason why the choice cannot be sent; null if it can. */
export function audienceError(audience: Audience): string | null {
  switch (audience.kind) {
    case "anyone":
    case "link":
      return null;
    case "borrower":
      return /^[0-9A-Za-z]{20,100}$/.test(audience.borrowerAddress.trim())
        ? null
        : "Enter the borrower's payment address";
    case "conditions": {
      if (numberOf(audience.repaidMin, REPAID_MAX) === null) return `Repaid loans: 0 to ${REPAID_MAX}`;
      if (numberOf(audience.defaultFreeDays, DEFAULT_FREE_DAYS_MAX) === null)
        return `Days without a default: 0 to ${DEFAULT_FREE_DAYS_MAX}`;
      const ids = inscriptionsOf(audience);
      const wrong = ids.find((id) => !INSCRIPTION_ID.test(id));
      if (wrong !== undefined) return `${wrong.slice(0, 20)} is no inscription id`;
      if (ids.length > INSCRIPTIONS_MAX) return `At most ${INSCRIPTIONS_MAX} inscriptions`;
      const asked = conditionsOf(audience);
      const isEmpty = !asked?.repaid_min && !asked?.default_free_days && ids.length === 0;
      return isEmpty ? "Choose a condition" : null;
    }
  }
}

const NOTHING_ASKED: Wire["AskedConditions"] = {
  borrower_address: null,
  unlisted: false,
  repaid_min: 0,
  default_free_days: 0,
  inscriptions: [],
};

/** The conditions as the server takes them; null if anyone can take the offer. */
export function conditionsOf(audience: Audience): Wire["AskedConditions"] | null {
  switch (audience.kind) {
    case "anyone":
      return null;
    case "borrower":
      return { ...NOTHING_ASKED, borrower_address: audience.borrowerAddress.trim() };
    case "link":
      return { ...NOTHING_ASKED, unlisted: true };
    case "conditions":
      return {
        ...NOTHING_ASKED,
        repaid_min: numberOf(audience.repaidMin, REPAID_MAX) ?? 0,
        default_free_days: numberOf(audience.defaultFreeDays, DEFAULT_FREE_DAYS_MAX) ?? 0,
        inscriptions: inscriptionsOf(audience),
      };
  }
}

function inscriptionsOf({ inscriptions }: Audience): string[] {
  return [...new Set(inscriptions.split(/[\s,;]+/).filter((id) => id !== ""))];
}

/** A whole number up to `max`, zero for an empty text; null for any other text. */
function numberOf(text: string, max: number): number | null {
  if (text.trim() === "") return 0;
  const value = Number(text);
  return Number.isInteger(value) && value >= 0 && value <= max ? value : null;
}
