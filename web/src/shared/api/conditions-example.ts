import type { Conditions } from "./conditions";

/** The conditions of an offer that asks for nothing, for tests. */
export const NO_CONDITIONS: Conditions = {
  borrowerAddress: null,
  linkKey: null,
  repaidMin: 0,
  defaultFreeDays: 0,
  inscriptionCount: 0,
  numbers: [],
};
