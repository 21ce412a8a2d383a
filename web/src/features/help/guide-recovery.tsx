import { Article, CommandLine, Points, Section, Steps } from "./article";
import { TermDiagram } from "./loan-diagrams";

const NODE = "--node http://127.0.0.1:8332 --cookie ~/.bitcoin/.cookie";

function PageLink() {
  return (
    <a href="/lienbook-kit.html" download className="rounded-control underline underline-offset-4">
      offline page for kits
    </a>
  );
}

/** The guide's part about recovery without this site, and its preparation. */
export function GuideRecovery() {
  return (
    <Article diagram={<TermDiagram />}>
      <Section title="Prepare in advance">
        <Points
          points={[
            "Download the kit of every loan when it starts, and the kit of your vault when you open it. Keep them where you keep backups.",
            "A kit holds the terms, the scripts and the signatures made beforehand. It holds no private key: a finder can learn about your loan, but cannot spend anything.",
            "Put the due dates of your loans into your own calendar.",
          ]}
        />
      </Section>
      <Section title="When this site does not answer">
        <p>
          Loans continue: they are on Bitcoin. You need the kit, the wallet that signed, a Bitcoin node, yours
          or a friend's, and the lienbook program. Nothing is sent before the last step.
        </p>
        <Steps
          steps={[
            {
              title: "Make the transaction",
              detail:
                "A borrower repays, a lender claims after the claim time, and a vault is left after 144 blocks.",
            },
          ]}
        />
        <CommandLine>{`lienbook kit repay KIT.json ${NODE} --out unsigned.psbt`}</CommandLine>
        <CommandLine>{`lienbook kit claim KIT.json ${NODE} --out unsigned.psbt`}</CommandLine>
        <CommandLine>{`lienbook kit exit KIT.json ${NODE} --out unsigned.psbt`}</CommandLine>
        <p>
          <span className="font-strong text-text">Sign it.</span> Use the wallet that signed the loan, or
          another that holds its keys and signs PSBT files with taproot scripts.
        </p>
        <p>
          <span className="font-strong text-text">Send it.</span> The program checks it against the kit and
          the node once more, to the last byte.
        </p>
        <CommandLine>{`lienbook kit send KIT.json signed.psbt ${NODE}`}</CommandLine>
      </Section>
      <Section title="Without the program">
        <p>
          The <PageLink /> does the same in a browser, from a file on your disk and without a network.
          Download it now and keep it beside the kits; it can also be written with the program.
        </p>
        <CommandLine>{"lienbook kit page"}</CommandLine>
        <Points
          points={[
            "It reads a kit, checks everything in it, and shows the loan or the vault.",
            "You enter the coins that pay, as a block explorer or your wallet shows them. It makes the PSBT for your wallet, compares what comes back to the last byte, and gives you the transaction.",
            "It sends nothing, and cannot: broadcast the transaction with a node or any service for it. Nor can it see whether a coin is unspent, or what is on it.",
          ]}
        />
      </Section>
      <Section title="Mind">
        <Points
          points={[
            "A repayment must be confirmed before the claim time. Start early, and pay a fee that the next blocks take.",
            "Bitcoin's median time runs about an hour behind, so a claim is accepted about an hour after the claim time.",
            "A node cannot see inscriptions or runes on the coins that pay. Pay from coins that carry none; the program does not spend small ones.",
          ]}
        />
      </Section>
    </Article>
  );
}
