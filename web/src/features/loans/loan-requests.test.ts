import { afterEach, expect, it, vi } from "vitest";
import { ENDINGS, historyFilter, ROLES } from "./history-filter";
import { saveTable } from "./loan-requests";

const saveFile = vi.hoisted(() => vi.fn());
vi.mock("@/shared/ui/save-file", () => ({ saveFile }));

afterEach(() => vi.unstubAllGlobals());

it("saves the loans that the history shows, byte for byte as the server wrote them", async () => {
  const table = 'loan,collection\r\nln_1,"Frogs, \'=1+1"\r\n';
  const fetch = vi.fn(async (_address: string) => new Response(table));
  vi.stubGlobal("fetch", fetch);
  for (const { id: role } of ROLES) {
    for (const { id: ending } of ENDINGS) await saveTable(historyFilter({ role, ending }));
  }
  const urls = fetch.mock.calls.map(([address]) => new URL(address, "https://lienbook.example"));
  expect(new Set(urls.map(({ pathname }) => pathname))).toEqual(new Set(["/api/v1/me/loans.csv"]));
  const never = "cancelled,lapsed,failed";
  expect(urls.map(({ searchParams }) => [searchParams.get("role"), searchParams.get("stage")])).toEqual(
    [null, "borrower", "lender"].flatMap((role) => [
      [role, `repaid,claimed,${never}`],
      [role, "repaid"],
      [role, "claimed"],
      [role, never],
    ]),
  );
  expect(saveFile).toHaveBeenCalledWith("lienbook-loans.csv", "text/csv", table);
});
