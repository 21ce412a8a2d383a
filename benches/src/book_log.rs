//! A log of commands to one book, recorded before any clock starts.

use std::fmt;

use domain::{Command, UnixMs};

/// The kinds of commands that are measured separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A lender creates an offer.
    Create,
    /// A lender replaces an offer.
    Edit,
    /// A lender cancels an offer.
    Cancel,
    /// A borrower takes the best offer: the first half of an accept.
    Reserve,
    /// The loan begins: the second half of an accept.
    Confirm,
    /// The market's price moves.
    PriceTick,
    /// A vault's balance moves.
    VaultTick,
    /// A borrower places a request.
    Request,
    /// A borrower withdraws a request.
    Withdraw,
    /// A lender fills a request by an offer for its borrower, who takes it: the part before the accept.
    Fill,
}

impl Kind {
    /// Every kind, in the order of the tables.
    pub const ALL: [Self; 10] = [
        Self::Create,
        Self::Edit,
        Self::Cancel,
        Self::Reserve,
        Self::Confirm,
        Self::PriceTick,
        Self::VaultTick,
        Self::Request,
        Self::Withdraw,
        Self::Fill,
    ];

    /// The index in [`Self::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        Self::ALL.iter().position(|kind| *kind == self).expect("every kind is listed")
    }

    /// Whether it completes an operation of the mix: an accept is one operation of two commands, and a fill of three.
    #[must_use]
    pub const fn completes_operation(self) -> bool {
        !matches!(self, Self::Reserve | Self::Fill)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Create => "create",
            Self::Edit => "edit",
            Self::Cancel => "cancel",
            Self::Reserve => "accept: reserve",
            Self::Confirm => "accept: confirm",
            Self::PriceTick => "price tick",
            Self::VaultTick => "vault tick",
            Self::Request => "request",
            Self::Withdraw => "withdraw request",
            Self::Fill => "fill request",
        })
    }
}

/// A command with its time.
#[derive(Clone, Debug)]
pub struct Step {
    /// The kind of the command.
    pub kind: Kind,
    /// The command.
    pub command: Command,
    /// The time.
    pub at: UnixMs,
}

/// A stretch of the mix, under the clock, and the commands that restore the book's size afterwards, outside it.
///
/// The mix adds more offers than it removes, so without the second part no book would keep its size.
#[derive(Clone, Debug, Default)]
pub struct Window {
    /// The mix.
    pub mixed: Vec<Step>,
    /// Cancels and ended loans.
    pub trim: Vec<Step>,
}

/// The size of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The number of offers in the book.
    pub offers: usize,
    /// The number of ranked offers.
    pub live: usize,
}

/// All commands to one book.
#[derive(Clone, Debug)]
pub struct Log {
    /// The commands that create the initial offers.
    pub fill: Vec<Step>,
    /// The windows, in order.
    pub windows: Vec<Window>,
    /// The size of the book after filling and after each trim: the minimum of a window.
    pub start: Size,
    /// The size of the book at the end of the last mix: the maximum of a window.
    pub end: Size,
}

impl Log {
    /// The number of operations under the clock.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.mixed().filter(|step| step.kind.completes_operation()).count()
    }

    /// The number of commands under the clock.
    #[must_use]
    pub fn commands(&self) -> usize {
        self.mixed().count()
    }

    /// Every command under the clock.
    pub fn mixed(&self) -> impl Iterator<Item = &Step> {
        self.windows.iter().flat_map(|window| &window.mixed)
    }
}
