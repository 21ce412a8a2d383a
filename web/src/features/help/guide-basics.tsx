import { Article, Points, Section } from "./article";
import { LoanDiagram } from "./loan-diagrams";

/** The guide's part about loans. */
export function GuideBasics() {
  return (
    <Article diagram={<LoanDiagram />}>
      <Section title="A loan in three sentences">
        <p>
          A lender offers bitcoin against a collection. A borrower pledges an inscription, runes or a BRC-20
          balance of that collection and gets the bitcoin. Either the borrower repays in time and gets the
          collateral back, or the lender may take it.
        </p>
        <p>
          Nothing else ends a loan. A falling price does not: there is no liquidation and no margin call while
          a loan runs.
        </p>
      </Section>
      <Section title="Who holds the collateral">
        <p>
          A Bitcoin output holds it. Its script can be spent in two ways: back to the borrower together with
          the full payment to the lender, or to the lender alone after the claim time. The platform has no key
          to either.
        </p>
        <p>
          The lender signs the repayment before the loan begins. That is why a borrower can repay even if the
          lender is gone, and even if this site is.
        </p>
      </Section>
      <Section title="Manual and instant">
        <Points
          points={[
            "A manual offer costs the lender nothing until a borrower accepts it. The lender then has 12 hours to counter-sign and pays from the wallet.",
            "An instant offer is backed by bitcoin in a vault. The loan starts as soon as the borrower has signed.",
          ]}
        />
      </Section>
      <Section title="What can go wrong">
        <Points
          points={[
            "A borrower who is late loses the collateral, even if it is worth more than the loan.",
            "A lender who is not repaid gets the collateral, even if it is worth less than the loan.",
            "Inscriptions, runes and BRC-20 balances are tracked by indexers, not by Bitcoin's own rules.",
            "Network fees vary. When the network is busy, a repayment may need a higher fee to be confirmed in time.",
          ]}
        />
      </Section>
    </Article>
  );
}
