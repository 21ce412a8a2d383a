import { formatBtc } from "@/shared/format/sats";
import { element } from "./elements";
import type { KitFacts } from "./kit-answer";
import { KIT_TEXTS } from "./kit-texts";

type Fact = readonly [label: string, value: string, isMono?: boolean];

/** What a kit says, and what was checked. */
export function factsView(kit: KitFacts): HTMLElement {
  const facts = kit.loan === null ? vaultFacts(kit) : loanFacts(kit, kit.loan);
  return element(
    "div",
    { class: "facts" },
    element("h3", {}, KIT_TEXTS[kit.role].title),
    element("p", {}, kit.purpose),
    element("p", { class: "time", "data-time": "" }, kit.time ?? ""),
    element(
      "dl",
      {},
      ...facts.map(([label, value, isMono]) =>
        element("div", {}, element("dt", {}, label), element("dd", isMono ? { class: "mono" } : {}, value)),
      ),
    ),
    element("h3", {}, "Checked on this device"),
    element("ul", { class: "proofs" }, ...kit.proofs.map((proof) => element("li", {}, proof))),
    element(
      "details",
      {},
      element("summary", {}, "Descriptor of the contract"),
      element("p", { class: "mono place" }, kit.contract.descriptor),
    ),
    kit.network === "bitcoin"
      ? null
      : element(
          "p",
          { class: "warning" },
          `This kit is of the network ${kit.network}: its coins have no value.`,
        ),
  );
}

function loanFacts(kit: KitFacts, loan: NonNullable<KitFacts["loan"]>): Fact[] {
  const isBorrower = kit.role === "borrower";
  const own = (address: string, isOwn: boolean) => (isOwn ? `${address} (yours)` : address);
  return [
    ["Loan", loan.id, true],
    ["Network", kit.network],
    ["Collateral", loan.collateral],
    [isBorrower ? "To repay" : "Paid if it is repaid", `${formatBtc(loan.payoutSats, 8)} BTC`],
    ["Due", loan.due],
    ["Claim time", loan.claimAfter],
    ["Escrow", kit.contract.address, true],
    ["Output with the collateral", loan.outpoint, true],
    ["Value of this output", `${formatBtc(loan.valueSats, 8)} BTC`],
    ["Borrower's ordinals address", own(loan.borrowerAddress, isBorrower), true],
    ["Lender's ordinals address", own(loan.lenderAddress, !isBorrower), true],
    ["The lender is paid at", loan.payoutAddress, true],
    ["Your payment address", kit.paymentAddress ?? "", true],
  ];
}

function vaultFacts(kit: KitFacts): Fact[] {
  return [
    ["Network", kit.network],
    ["Vault", kit.contract.address, true],
    ["Your ordinals address", kit.ordinalsAddress, true],
  ];
}
