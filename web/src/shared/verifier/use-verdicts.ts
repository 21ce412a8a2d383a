import { useQuery } from "@tanstack/react-query";
import { checkTransactions } from "./check-transactions";
import { type Question, questionText } from "./question";
import { refusalOf, type Verdict } from "./verdict";

/** The verdicts of reviewed transactions, in their order; null while they are being checked. */
export function useVerdicts(questions: readonly Question[]): readonly Verdict[] | null {
  const { data } = useQuery({
    queryKey: ["verdicts", ...questions.map((question) => questionText(question, 0))],
    queryFn: () => Promise.all(questions.map(checkTransactions)),
    enabled: questions.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return data ?? null;
}

/** Whether a verdict refuses, so that nothing can be signed. */
export function isRefused(verdicts: readonly Verdict[] | null): boolean {
  return verdicts?.some((verdict) => refusalOf(verdict) !== null) ?? false;
}
