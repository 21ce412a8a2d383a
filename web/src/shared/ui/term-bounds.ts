/** The shortest and the longest term, in days. */
export interface TermBounds {
  termMinDays: number;
  termMaxDays: number;
}

/** The bounds with another shortest term; the longest one follows where they would cross. */
export function withTermMin({ termMaxDays }: TermBounds, days: number): TermBounds {
  return { termMinDays: days, termMaxDays: Math.max(days, termMaxDays) };
}

/** The bounds with another longest term; the shortest one follows where they would cross. */
export function withTermMax({ termMinDays }: TermBounds, days: number): TermBounds {
  return { termMinDays: Math.min(days, termMinDays), termMaxDays: days };
}
