import { Article, Points, Section, Steps } from "./article";
import { RequestDiagram, TermDiagram, VaultDiagram } from "./loan-diagrams";
import { ConditionsDiagram, CounterOfferDiagram, LimitsDiagram, PeggedOfferDiagram } from "./offer-diagrams";

/** The guide's part about lending and its risks. */
export function GuideLending() {
  return (
    <Article>
      <MakingOffers />
      <AnsweringBorrowers />
      <AutomaticOffers />
      <Section title="What it costs">
        <p>
          The platform takes a share of the interest, shown before you sign. The borrower pays the network
          fees of the start and of the repayment; you pay them for a claim and for vault deposits and
          withdrawals.
        </p>
      </Section>
      <Section title="What you risk">
        <Points
          points={[
            "The collateral may be worth less than your loan when you get it. The LTV is the cushion that you choose.",
            "A floor price is what sellers ask today, not what a buyer will pay you.",
            "You cannot end a loan early. Your bitcoin comes back with the repayment, or the collateral does.",
          ]}
        />
      </Section>
      <Section title="What a vault asks you to trust" diagram={<VaultDiagram />}>
        <p>
          Its signer. It pays into loans that match an offer you signed and refuses anything else, but its key
          could spend what is in the vault. Each payment that returns change to the vault restarts the 144
          blocks after which you can withdraw without the signer. Keep in it what you need for your offers,
          not your savings.
        </p>
      </Section>
    </Article>
  );
}

/** Loans from offers, and who can take these. */
function MakingOffers() {
  return (
    <>
      <Section title="From offer to interest" diagram={<TermDiagram />}>
        <Steps
          steps={[
            {
              title: "Choose a collection",
              detail:
                "Each has its own terms and interest. You choose how much you lend. Your principal as a share of what the collateral is worth is the LTV.",
            },
            {
              title: "Make an offer",
              detail:
                "A manual one is paid from your wallet when it is taken. An instant one is paid from your vault, up to the LTV at which it pauses.",
            },
            {
              title: "Choose who can take it",
              detail:
                "Anyone, one borrower, those who have your link, or borrowers with repaid loans. Only an offer for anyone has a rank in the order book.",
            },
            {
              title: "Counter-sign a manual loan",
              detail:
                "You have 12 hours, and see what you sign first. Refusing too often lowers your acceptance rate, which all borrowers see.",
            },
            {
              title: "Wait for the term",
              detail:
                "The borrower's repayment pays you principal and interest in one transaction. You do not need to be online.",
            },
            {
              title: "Claim if you are not repaid",
              detail:
                "After the claim time you alone can take the collateral. A borrower who repays before your claim is confirmed still pays you in full.",
            },
          ]}
        />
      </Section>
      <Section title="Offers with conditions" diagram={<ConditionsDiagram />}>
        <p>
          An offer for one borrower, or for those who have its link, is not in the public order book. One that
          asks for repaid loans, for no default in a number of days, or for certain inscriptions is shown
          there with its conditions. They are checked when a borrower takes the offer.
        </p>
        <p>
          Any offer can be good until a time, after which it cannot be taken. An instant offer is also checked
          by the vault signer, which knows the borrower and the time that you signed; the other conditions are
          checked by the order book alone.
        </p>
      </Section>
    </>
  );
}

/** Loans that a borrower asked for, or negotiated. */
function AnsweringBorrowers() {
  return (
    <>
      <Section title="Fill what borrowers ask for" diagram={<RequestDiagram />}>
        <p>
          Requests name a principal, the highest interest and the terms. Fill one from your wallet, and you
          counter-sign when the borrower has signed; or from your vault, by a message that names this borrower
          and a time. If the borrower does not sign in time, the offer ends by itself.
        </p>
        <p>
          A request can be for several inscriptions together. Its LTV is measured by all of them, and you are
          repaid for all of them at once, or claim all of them.
        </p>
      </Section>
      <Section title="Counter-offers" diagram={<CounterOfferDiagram />}>
        <p>
          Make a counter-offer to a request: propose another principal, interest or term. Borrowers can do the
          same with your offers, and you accept, answer or decline under Pending in your portfolio. Nothing is
          lent before you have counter-signed the loan on the agreed terms.
        </p>
        <p>
          There are at most 10 proposals, each good for as long as its sender chooses, 72 hours at most. An
          accepted one becomes a manual offer that only this borrower can take, within 12 hours. Your own
          offer stays in the book meanwhile.
        </p>
      </Section>
    </>
  );
}

/** What changes and pauses offers without their lender. */
function AutomaticOffers() {
  return (
    <>
      <Section title="Follow the floor" diagram={<PeggedOfferDiagram />}>
        <p>
          Instead of a fixed principal you can offer a share of the floor, between a least and a largest
          principal. The order book moves the principal in steps as the floor moves, and pauses the offer
          while the floor is too low for the least one. While a borrower signs the principal stays, and a loan
          keeps the one it started with.
        </p>
      </Section>
      <Section title="Lending limits" diagram={<LimitsDiagram />}>
        <p>
          Under Offers in your portfolio you can limit the principal of manual loans that are running or being
          signed, over all collections and in each, and what borrowers can accept in a day, which begins at
          00:00 UTC. A manual offer that needs more than is left pauses, and opens again by itself. Borrowers
          who sign at the same time cannot exceed a limit together.
        </p>
        <p>
          All offers, also instant ones, can pause when the app has not been open for a time that you choose.
          How much your instant offers lend is limited by your vault.
        </p>
      </Section>
    </>
  );
}
