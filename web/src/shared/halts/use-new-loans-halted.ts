import { useHalts } from "@/shared/feed/use-feed";

/** Whether no loan can begin for now, as far as it is known. */
export function useNewLoansHalted(): boolean {
  return useHalts().has("new_loans");
}
