/** Shown for a failure without a reason. */
export const UNKNOWN_ERROR = "An unknown error occurred";

/** The reason of a failure, to show under its title. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : UNKNOWN_ERROR;
}
