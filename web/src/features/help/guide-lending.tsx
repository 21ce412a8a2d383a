import { Article, Points, Section, Steps } from "./article";
import { RequestDiagram, TermDiagram, VaultDiagram } from "./loan-diagrams";

/** The guide's part about lending and its risks. */
export function GuideLending() {
  return (
    <Article
      diagram={
        <>
          <VaultDiagram />
          <TermDiagram />
          <RequestDiagram />
        </>
      }
    >
      <Section title="From offer to interest">
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
      <Section title="Fill what borrowers ask for">
        <p>
          Requests name a principal, the highest interest and the terms. Fill one from your wallet, and you
          counter-sign when the borrower has signed; or from your vault, by a message that names this borrower
          and a time. If the borrower does not sign in time, the offer ends by itself.
        </p>
        <p>
          A request can be for several inscriptions together. Its LTV is measured by all of them, and you are
          repaid for all of them at once, or claim all of them.
        </p>
        <p>
          Or make a counter-offer: propose another principal, interest or term. Borrowers can do the same with
          your offers, and you accept, answer or decline under Pending in your portfolio. Nothing is lent
          before you have counter-signed the loan on the agreed terms.
        </p>
      </Section>
      <Section title="Follow the floor">
        <p>
          Instead of a fixed principal you can offer a share of the floor, between a least and a largest
          principal. The order book moves the principal in steps as the floor moves, and pauses the offer
          while the floor is too low for the least one. While a borrower signs the principal stays, and a loan
          keeps the one it started with.
        </p>
      </Section>
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
      <Section title="What a vault asks you to trust">
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
