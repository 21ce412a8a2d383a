/** The different values of a list that was typed, separated by spaces, commas or lines. */
export function typedList(typed: string): string[] {
  return [...new Set(typed.split(/[\s,]+/).filter((value) => value !== ""))];
}
