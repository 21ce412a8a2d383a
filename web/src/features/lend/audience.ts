import type { NumberRange } from "@/shared/api/conditions";
import type { Wire } from "@/shared/api/operation";
import { inscriptionsText } from "@/shared/api/pledge";

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
  /**
   * Inscription ids, numbers and ranges of numbers such as `1-500`, separated by space, commas or lines; empty
   * takes any.
   */
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
export const INSCRIPTIONS_MAX = 500;
export const NUMBER_RANGES_MAX = 20;

const INSCRIPTION_ID = /^[0-9a-f]{64}i(0|[1-9]\d{0,9})$/;
const NUMBERS = /^#?(\d{1,9})(?:[-–]#?(\d{1,9}))?$/;

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
      const { ids, numbers, wrong } = chosenIn(audience.inscriptions);
      if (wrong !== null) return `${wrong.slice(0, 20)} is no inscription id or number`;
      if (ids.length > INSCRIPTIONS_MAX) return `At most ${INSCRIPTIONS_MAX} inscriptions`;
      if (numbers.length > NUMBER_RANGES_MAX) return `At most ${NUMBER_RANGES_MAX} numbers and ranges`;
      const asked = conditionsOf(audience);
      const isAny = ids.length === 0 && numbers.length === 0;
      return isAny && !asked?.repaid_min && !asked?.default_free_days ? "Choose a condition" : null;
    }
  }
}

const NOTHING_ASKED: Wire["AskedConditions"] = {
  borrower_address: null,
  unlisted: false,
  repaid_min: 0,
  default_free_days: 0,
  inscriptions: [],
  numbers: [],
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
    case "conditions": {
      const { ids, numbers } = chosenIn(audience.inscriptions);
      return {
        ...NOTHING_ASKED,
        repaid_min: numberOf(audience.repaidMin, REPAID_MAX) ?? 0,
        default_free_days: numberOf(audience.defaultFreeDays, DEFAULT_FREE_DAYS_MAX) ?? 0,
        inscriptions: ids,
        numbers,
      };
    }
  }
}

/** Inscriptions as they were typed. */
interface ChosenInscriptions {
  ids: string[];
  numbers: NumberRange[];
  /** The first entry that is neither; null if there is none. */
  wrong: string | null;
}

function chosenIn(text: string): ChosenInscriptions {
  const chosen: ChosenInscriptions = { ids: [], numbers: [], wrong: null };
  for (const entry of new Set(text.split(/[\s,;]+/))) {
    const range = rangeIn(entry);
    if (range !== null) chosen.numbers.push(range);
    else if (INSCRIPTION_ID.test(entry)) chosen.ids.push(entry);
    else if (entry !== "") chosen.wrong ??= entry;
  }
  return chosen;
}

/** The range of numbers in `7`, `#7`, `1-500` or `#1–#500`; null for anything else. */
function rangeIn(entry: string): NumberRange | null {
  const found = NUMBERS.exec(entry);
  if (!found) return null;
  const [first, last] = [Number(found[1]), Number(found[2] ?? found[1])];
  return first <= last ? { first, last } : null;
}

/** The inscription ids in the text of a file, whatever is around them, each once, one per line. */
export function inscriptionIdsIn(text: string): string {
  const ids = text.match(/(?<![0-9a-zA-Z])[0-9a-f]{64}i(?:0|[1-9]\d{0,9})(?!\w)/g) ?? [];
  return [...new Set(ids)].join("\n");
}

/** The choice as a phrase, such as `12 inscriptions and 2 ranges`; null if nothing is chosen. */
export function chosenText({ inscriptions }: Audience): string | null {
  const { ids, numbers } = chosenIn(inscriptions);
  const parts = [
    ids.length > 0 && inscriptionsText(ids.length),
    numbers.length > 0 &&
      (numbers.length === 1 ? "1 range of numbers" : `${numbers.length} ranges of numbers`),
  ];
  return parts.filter((part) => part !== false).join(" and ") || null;
}

/** A whole number up to `max`, zero for an empty text; null for any other text. */
function numberOf(text: string, max: number): number | null {
  if (text.trim() === "") return 0;
  const value = Number(text);
  return Number.isInteger(value) && value >= 0 && value <= max ? value : null;
}
