//! The table of all error codes of the HTTP API and the feed.

#[macro_use]
mod table;
#[macro_use]
mod message_and_feed_codes;

with_message_and_feed_codes! {
    /// The body is not JSON, or is nested too deeply.
    MalformedJson = 400 "malformed_json" "The request body is not JSON";
    /// The query or a part of the path is not of the expected form.
    InvalidQuery = 400 "invalid_query" "The query is not valid";
    /// A cursor that was not issued by this server for this list.
    InvalidCursor = 400 "invalid_cursor" "The cursor is not valid";
    /// `Idempotency-Key` is not 1 to 64 visible ASCII characters.
    InvalidIdempotencyKey = 400 "invalid_idempotency_key" "The idempotency key is not valid";
    /// The body is JSON of another shape.
    InvalidBody = 422 "invalid_body" "The request body does not have the expected fields";
    /// A field's value is out of its range.
    InvalidField = 422 "invalid_field" "A field has a value that is not accepted";
    /// The body did not arrive in time.
    RequestTimeout = 408 "request_timeout" "The request took too long to arrive";
    /// The body is too large.
    PayloadTooLarge = 413 "payload_too_large" "The request body is too large";
    /// The body is not declared as JSON.
    UnsupportedMediaType = 415 "unsupported_media_type" "The request body must be application/json";
    /// The resource does not exist.
    NotFound = 404 "not_found" "There is nothing at this address";
    /// The resource does not support this method.
    MethodNotAllowed = 405 "method_not_allowed" "This address does not take this method";
    /// None of the encodings that the request accepts is available.
    NotAcceptable = 406 "not_acceptable" "There is no answer in an encoding that the request accepts";
    /// A page of another site sent the request.
    OriginNotAllowed = 403 "origin_not_allowed" "Requests from this origin are not accepted";
    /// Too many requests by one client.
    RateLimited = 429 "rate_limited" "Too many requests, please slow down";
    /// The server cannot accept more work at the moment.
    Overloaded = 503 "overloaded" "The server is busy, please try again";
    /// The server is stopping, or has not started yet.
    NotReady = 503 "not_ready" "The server is not ready";
    /// No node of the market decides at the moment: the one that did is away, and another one is about to take over.
    NoWriter = 503 "no_writer" "The market is changing servers, please try again";
    /// There is no Bitcoin node, or it does not answer.
    NodeUnavailable = 503 "node_unavailable" "The Bitcoin node is not responding";
    /// A bug of the server.
    Internal = 500 "internal" "An unknown error occurred";

    /// No session token was sent.
    Unauthenticated = 401 "unauthenticated" "Please sign in";
    /// The session token has expired.
    SessionExpired = 401 "session_expired" "The session expired, please sign in";
    /// The session token was not issued by this server.
    SessionInvalid = 401 "session_invalid" "The session is not valid, please sign in";
    /// The user signed out, which ended every session.
    SessionEnded = 401 "session_ended" "The session was ended, please sign in";
    /// The user has no such session (any more).
    UnknownSession = 404 "unknown_session" "There is no such session";
    /// A refresh token that was used before: all sessions of its user were ended.
    RefreshReused = 401 "refresh_reused" "The session was renewed elsewhere, please sign in";

    /// The API key was not issued by this server, or its secret is another one.
    ApiKeyInvalid = 401 "api_key_invalid" "The API key is not valid";
    /// The API key has expired.
    ApiKeyExpired = 401 "api_key_expired" "The API key has expired";
    /// The API key was revoked.
    ApiKeyRevoked = 401 "api_key_revoked" "The API key was revoked";
    /// The API key is restricted to other networks.
    ApiKeyAddress = 403 "api_key_address" "The API key is not valid from this address";
    /// The API key lacks the scope of the request.
    ApiKeyScope = 403 "api_key_scope" "The API key does not permit this";
    /// A request that takes a session and no API key.
    ApiKeyNotAccepted = 403 "api_key_not_accepted" "This cannot be done with an API key";
    /// The API key may not quote in the collection.
    ApiKeyCollection = 403 "api_key_collection" "The API key does not quote in this collection";
    /// The principal of an offer is above the API key's limit.
    ApiKeyPrincipal = 403 "api_key_principal" "The principal is above the API key's limit";
    /// Open offers and running loans would be above the API key's limit.
    ApiKeyOutstanding = 409 "api_key_outstanding" "Open offers and running loans would be above the API key's limit";
    /// The principal quoted today would be above the API key's limit.
    ApiKeyDaily = 409 "api_key_daily" "The principal quoted today would be above the API key's limit";
    /// The user has the maximum number of API keys.
    TooManyApiKeys = 409 "too_many_api_keys" "Too many API keys";
    /// The user has no such API key.
    UnknownApiKey = 404 "unknown_api_key" "There is no such API key";
    /// The lender has no such delegation.
    UnknownDelegation = 404 "unknown_delegation" "There is no such delegation";
    /// The delegation was revoked, or its time is over.
    DelegationEnded = 403 "delegation_ended" "The delegation has ended";
    /// The lender has the maximum number of delegations.
    TooManyDelegations = 409 "too_many_delegations" "Too many delegations";
    /// A limit of the delegation, which the values name.
    DelegationLimit = 403 "delegation_limit" "The delegation does not permit this";
    /// The number of the text is not above those that the program has used.
    DelegationNumber = 409 "delegation_number" "The number of the text was used already";

    /// A text is not a Bitcoin address.
    AddressMalformed = 422 "address_malformed" "Not a Bitcoin address";
    /// An address of another network.
    AddressWrongNetwork = 422 "address_wrong_network" "The address belongs to another network";
    /// An address of a kind that cannot sign messages.
    AddressUnsupported = 422 "address_unsupported" "This kind of address cannot sign in";
    /// A public key that is not one.
    PublicKeyMalformed = 422 "public_key_malformed" "Not a public key";
    /// A public key of another address.
    PublicKeyMismatch = 422 "public_key_mismatch" "The public key does not belong to the address";
    /// The signed text is not one of this server's messages.
    MessageMalformed = 422 "message_malformed" "The signed message is not of the expected form";
    /// The signed text is for another action.
    MessageWrongAction = 422 "message_wrong_action" "The signed message is for another action";
    /// The signed text is for another site.
    MessageWrongDomain = 422 "message_wrong_domain" "The signed message is for another site";
    /// The signed text is for another network.
    MessageWrongNetwork = 422 "message_wrong_network" "The signed message is for another network";
    /// The signed text names another signer.
    MessageWrongAddress = 422 "message_wrong_address" "The signed message is for another address";
    /// The signed text and the request differ.
    MessageFieldMismatch = 422 "message_field_mismatch" "The signed message says something else than the request";
    /// The signed text is too old.
    MessageExpired = 422 "message_expired" "The signed message expired";
    /// The times of the signed text are contradictory.
    MessageTimes = 422 "message_times" "The times of the signed message are not accepted";
    /// The nonce was not issued by this server for this address, purpose and time.
    NonceUnknown = 422 "nonce_unknown" "The nonce was not given out for this message";
    /// The nonce has been used before.
    NonceUsed = 409 "nonce_used" "The signed message was used already";
    /// The signature is not of a form that is accepted.
    SignatureMalformed = 422 "signature_malformed" "The signature is not of an accepted form";
    /// The signature is by another key.
    SignatureWrongKey = 422 "signature_wrong_key" "The signature is by another key";
    /// The signature does not verify.
    SignatureInvalid = 422 "signature_invalid" "The signature does not verify";
    /// A sign-in with two addresses and only one signature.
    OrdinalsSignatureMissing = 422 "ordinals_signature_missing" "The ordinals address has to sign the message too";
    /// A session opened by a version that required only the signature of the payment address.
    OrdinalsUnproven = 403 "ordinals_unproven" "Please sign in again: your ordinals address has to sign once";

    /// The collection, term or bundle does not exist.
    UnknownCollection = 404 "unknown_collection" "There is no such collection";
    /// The offer does not exist (any more).
    UnknownOffer = 404 "unknown_offer" "Selected offer is no longer available";
    /// The reservation does not exist (any more).
    UnknownReservation = 404 "unknown_reservation" "There is no such reservation";
    /// The loan does not exist (any more).
    UnknownLoan = 404 "unknown_loan" "There is no such loan";
    /// The term change does not exist.
    UnknownTermChange = 404 "unknown_term_change" "There is no such term change";
    /// The user has no vault.
    VaultNotFound = 404 "vault_not_found" "Vault not found";
    /// The server has no signer, so there are neither vaults nor instant offers.
    SignerUnset = 404 "vault_signer_unset" "Vault canister hash not configured";
    /// The vault signer is not available.
    SignerUnavailable = 503 "signer_unavailable" "The vault signer is not responding";
    /// The vault signer refuses.
    SignerRefused = 422 "signer_refused" "The vault signer refuses this";
    /// The vault signer does not lend from the offer.
    OfferNotAdmitted = 409 "offer_not_admitted" "The vault signer has not admitted this offer";
    /// A change made by a signed message can be reversed only by another one.
    SignatureNeeded = 422 "signature_needed" "This needs a signed message";
    /// The offer belongs to another lender.
    NotOwner = 403 "not_owner" "This offer belongs to another lender";
    /// The offer is the user's own, which they cannot borrow from.
    OwnOffer = 403 "own_offer" "This is your own offer";
    /// The vault named is not the user's.
    NotYourVault = 403 "not_your_vault" "This vault is not yours";

    /// The collection takes no new offers.
    LendingNotAllowed = 422 "lending_not_allowed" "This collection takes no new offers";
    /// The term or bundle takes no offers of this process type.
    ProcessNotTaken = 422 "process_not_taken" "This term or bundle takes no offers of this type";
    /// No price is known, so the LTV is not either.
    NoPrice = 409 "no_price" "The price of this collection is not known yet";
    /// The principal is too small.
    BelowMinOffer = 422 "below_min_offer" "Below min offer";
    /// The principal is too large.
    AboveMaxOffer = 422 "above_max_offer" "Above max offer";
    /// The amount of collateral does not fit.
    WrongQuantity = 422 "wrong_quantity" "The collateral amount does not fit";
    /// The offer's LTV is too high.
    LtvAboveCeiling = 422 "ltv_above_ceiling" "The LTV of the offer is too high";
    /// An instant offer without a maximum LTV.
    MaxLtvMissing = 422 "max_ltv_missing" "Enter a valid max LTV value";
    /// A manual offer with a maximum LTV.
    MaxLtvNotTaken = 422 "max_ltv_not_taken" "A manual offer has no max LTV";
    /// The maximum LTV is below the offer's LTV.
    MaxLtvBelowCurrent = 422 "max_ltv_below_current" "The max LTV is below the current LTV";
    /// The maximum LTV is too high.
    MaxLtvAboveCeiling = 422 "max_ltv_above_ceiling" "The max LTV is too high";
    /// The vault's balance is too low.
    InsufficientVaultBalance = 422 "insufficient_vault_balance" "Insufficient vault balance";
    /// The time until which an offer is to be good is too early or too late.
    GoodUntilOutOfRange = 422 "good_until_out_of_range" "The time is too early or too late";
    /// Too few or too many offers in one request.
    CountOutOfRange = 422 "count_out_of_range" "The count is out of range";
    /// The lender has too many offers in the collection.
    TooManyOffers = 409 "too_many_offers" "Too many offers in one collection";
    /// The collection cannot hold more offers.
    CollectionFull = 409 "collection_full" "This collection can take no more";
    /// The lender's own limits leave less than the principal.
    OverLendingLimits = 409 "over_lending_limits" "Your lending limits leave less";
    /// The user has the largest number of favourites.
    TooManyFavourites = 409 "too_many_favourites" "Too many favourites";
    /// A borrower is signing for the offer.
    UnderOffer = 409 "under_offer" "A borrower is signing for this offer";
    /// The offer is paused already.
    AlreadyPaused = 409 "already_paused" "The offer is paused already";
    /// The offer is not paused by its lender.
    NotPausedByLender = 409 "not_paused_by_lender" "The offer is not paused by its lender";
    /// An edit to another process type.
    EditChangesProcess = 422 "edit_changes_process" "An edit keeps the process type of the offer";
    /// A price that is out of range.
    PriceOutOfRange = 422 "price_out_of_range" "The price is out of range";
    /// The offer is paused.
    OfferPaused = 409 "offer_paused" "The offer is paused";
    /// The operator has halted new loans.
    NewLoansHalted = 409 "new_loans_halted" "New loans are halted for now";
    /// The time until which the offer was good is over.
    OfferExpired = 409 "offer_expired" "The offer has expired";
    /// The offer names another borrower.
    OfferForOtherBorrower = 403 "offer_for_other_borrower" "This offer is for another borrower";
    /// The offer is unlisted, and the key of its link is missing or wrong.
    OfferUnlisted = 403 "offer_unlisted" "This offer can be taken only by its link";
    /// The borrower has repaid fewer loans than the offer asks for.
    TooFewRepaidLoans = 403 "too_few_repaid_loans" "This offer is for borrowers who repaid more loans";
    /// A lender took the borrower's collateral more recently than the offer permits.
    RecentDefault = 403 "recent_default" "This offer is for borrowers without a recent default";
    /// The offer is for other inscriptions.
    InscriptionNotChosen = 422 "inscription_not_chosen" "This offer is for other inscriptions";
    /// Conditions that an offer cannot have.
    ConditionsRefused = 422 "conditions_refused" "An offer cannot have these conditions";
    /// No user has this payment address.
    UnknownBorrower = 422 "unknown_borrower" "No user has signed in with this payment address";
    /// An offer that cannot follow the floor, or not within these bounds.
    PegRefused = 422 "peg_refused" "The principal cannot follow the floor this way";
    /// No term of the collection fits a borrow request.
    NoTermOfRequest = 422 "no_term_of_request" "No term of this collection fits the request";
    /// A borrower, or a collection, has the largest number of borrow requests.
    TooManyBorrowRequests = 409 "too_many_borrow_requests" "Too many borrow requests in one collection";
    /// A borrow request for the inscription exists.
    AlreadyRequested = 409 "already_requested" "There is a request for this inscription already";
    /// The borrow request does not exist, or not any more.
    UnknownRequest = 404 "unknown_request" "The request is no longer open";
    /// A lender has filled the borrow request.
    RequestFilled = 409 "request_filled" "A lender has filled this request";
    /// The time until which the borrow request was good is over.
    RequestExpired = 409 "request_expired" "The request has expired";
    /// An offer that is not what the borrow request asks for.
    TermsOutsideRequest = 422 "terms_outside_request" "The request does not take these terms";
    /// The negotiation does not exist, or not any more, or is between others.
    UnknownNegotiation = 404 "unknown_negotiation" "There is no such negotiation";
    /// A negotiation about nothing, or about more than one of an offer, a borrow request and a loan.
    NegotiationSubject = 422 "negotiation_subject" "A negotiation is about one offer, one request or one loan";
    /// The negotiation was accepted, declined, withdrawn or closed, or its latest proposal has expired.
    NegotiationOver = 409 "negotiation_over" "The negotiation is over";
    /// There is a later proposal than the one that the caller answers.
    ProposalReplaced = 409 "proposal_replaced" "There is a newer proposal";
    /// The latest proposal is the caller's own.
    NotYourTurn = 409 "not_your_turn" "The other side has not answered yet";
    /// The negotiation has the largest number of proposals.
    TooManyRounds = 409 "too_many_rounds" "The last proposal can only be accepted or declined";
    /// One of the two sides, or a collection, has the largest number of negotiations.
    TooManyNegotiations = 409 "too_many_negotiations" "Too many negotiations in one collection";
    /// The caller negotiates about the offer or the request already, or either side about the loan.
    AlreadyNegotiating = 409 "already_negotiating" "You negotiate this already";
    /// An edit of an offer whose terms were agreed on with its borrower.
    TermsAgreed = 409 "terms_agreed" "The terms of this offer were agreed on";
    /// The limits that the lender has set do not cover the loan now.
    LenderLimited = 409 "lender_limited" "The lender does not lend this much at present";
    /// Another principal than that of the loan to extend.
    PrincipalFixed = 422 "principal_fixed" "An extension keeps the principal of the loan";
    /// An interest or a term that cannot be negotiated.
    TermsOutOfRange = 422 "terms_out_of_range" "The interest or the term is out of range";
    /// Another borrower was faster.
    OfferUsed = 409 "offer_used" "Offer has already been used, refreshing offers...";
    /// Another borrower's signature, or the lender, ended the prepared loan's offer.
    OfferTaken = 409 "offer_taken" "The offer was taken or withdrawn";
    /// The borrower has the largest number of loans that wait for their signature.
    TooManyPrepared = 409 "too_many_prepared" "Sign or leave the loans that wait for your signature first";
    /// The borrower let several prepared loans lapse.
    PreparePostponed = 429 "prepare_postponed" "Several loans were prepared and not signed, please try again in some minutes";
    /// A part that does not fit the offer.
    PartOutOfRange = 422 "part_out_of_range" "The part asked for does not fit the offer";
    /// A reservation that cannot be made or has ended.
    ReservationExpired = 409 "reservation_expired" "The reservation expired";
    /// The stage of the loan does not permit the action.
    LoanStage = 409 "loan_stage" "The loan's state does not allow this";
    /// An id that is in use.
    DuplicateId = 409 "duplicate_id" "This id is in use";
    /// A term change that cannot be announced now.
    TermChangeRefused = 409 "term_change_refused" "The term change is not accepted";
    /// A manual offer, for which no terms can be accepted.
    ManualTerms = 422 "manual_terms" "A manual offer has no terms to accept";
    /// The collateral is pledged already.
    CollateralPledged = 409 "collateral_pledged" "The collateral is pledged already";

    /// The indexer does not answer, or its answer is contradictory.
    IndexerUnavailable = 503 "indexer_unavailable" "The indexer is not responding";
    /// The BRC-20 indexer does not answer, or lags behind the chain.
    NotesUnavailable = 503 "notes_unavailable" "Failed to check transfer notes";
    /// The indexer lags behind the chain.
    IndexerLagging = 503 "indexer_lagging" "The indexer is behind the chain";
    /// The node does not accept the transaction.
    TransactionNotTaken = 409 "transaction_not_taken" "could not broadcast signature";
    /// An output was spent meanwhile, or differs from the one that the transaction assumes.
    CoinChanged = 409 "coin_changed" "A coin of the transaction was spent or has changed";
    /// The balance of the address is too low.
    InsufficientFunds = 422 "insufficient_funds" "Insufficient BTC balance";
    /// The balance suffices, but is in too many coins.
    FundsScattered = 422 "funds_scattered" "The balance is in too many small coins";
    /// A fee rate that nodes do not relay, or that is too high to be intended.
    FeeRateOutOfRange = 422 "fee_rate_out_of_range" "The fee rate is out of range";
    /// A withdrawal would pay a higher fee than its lender signed.
    WithdrawalFeeTooHigh = 422 "withdrawal_fee_too_high" "The network fee is higher than you signed";
    /// Sats of the vault are reserved, its transactions are not final yet, or it is moving: it cannot move now.
    VaultInUse = 409 "vault_in_use" "Your vault is in use: wait until nothing is reserved and its transactions are final";
    /// There are no other signers to which the vault could move.
    VaultNotMovable = 409 "vault_not_movable" "Your vault is with the market's present signers already";
    /// The balance of a token is too small.
    InsufficientTokens = 422 "insufficient_tokens" "Insufficient token balance";
    /// The token is not accepted as collateral here, so its decimals are unknown.
    UnknownToken = 404 "unknown_token" "There is no such token";
    /// The transaction that should reveal a transfer inscription is unknown.
    TransferNotFound = 404 "transfer_not_found" "There is no such transfer";
    /// The request names no inscription.
    NoInscription = 422 "no_inscription" "No inscription selected";
    /// The inscription does not exist.
    UnknownInscription = 404 "unknown_inscription" "There is no such inscription";
    /// The inscription is on another address.
    NotYourInscription = 403 "not_your_inscription" "The inscription is not on your ordinals address";
    /// The inscription waits for its confirmation, or for coinbase maturity (100 blocks).
    InscriptionWaits = 409 "inscription_waits" "The inscription waits for a block";
    /// The inscription shares its output with other assets.
    InscriptionShared = 409 "inscription_shared" "The inscription shares its output with other assets";
    /// The inscription belongs to no collection or to another one.
    WrongCollection = 422 "wrong_collection" "The inscription is not of this collection";
    /// Hardware wallets do not sign script paths, so they could not spend from an escrow or a vault.
    HardwareWallet = 422 "hardware_wallet" "Hardware wallets cannot sign what loans and vaults need here";
    /// No unused transfer inscription of exactly this amount.
    NoteMissing = 409 "note_missing" "There is no transfer note of exactly this amount";
    /// The transfer inscription is used, of another token, or of another amount.
    NoteUnusable = 409 "note_unusable" "The transfer note cannot be pledged";
    /// The lender's wallet does not cover the loan.
    LenderShort = 409 "lender_short" "The lender cannot fund this offer at the moment";
    /// The lender has no coin of exactly the amount that a loan against BRC-20 needs.
    ExactCoinMissing = 409 "exact_coin_missing" "The lender has no coin of exactly what this loan takes";
    /// Amounts, fees or addresses with which no loan can be made.
    LoanImpossible = 422 "loan_impossible" "No such loan can be made";
    /// A coin of the loan was spent.
    LoanRebuilt = 409 "loan_rebuilt" "A coin behind the loan was spent, the borrower is to sign again";
    /// The collateral was spent elsewhere.
    CollateralGone = 409 "collateral_gone" "The collateral was moved, the loan is cancelled";
    /// The lender cannot claim yet.
    NotClaimable = 409 "not_claimable" "The collateral cannot be claimed yet";
    /// A loan that this one cannot refinance.
    NotReplaceable = 422 "not_replaceable" "The loan cannot be replaced by this one";
    /// A loan that cannot be extended in this way.
    NotExtendable = 422 "not_extendable" "The loan cannot be extended like this";
    /// A coin of an extension was spent elsewhere.
    ExtensionGone = 409 "extension_gone" "A coin behind the extension was spent, the loan runs on as it was";
    /// A loan whose collateral passed to another loan.
    LoanGoesOn = 409 "loan_goes_on" "The loan goes on as another one";
    /// Loans of different wallets.
    DifferentWallets = 422 "different_wallets" "These loans were begun with different wallets";

    /// The order of a transfer inscription does not exist (any more).
    UnknownOrder = 404 "unknown_order" "There is no such order";
    /// An order that lapsed or failed.
    OrderEnded = 409 "order_ended" "The order has ended, please prepare it again";
    /// A transfer inscription of the same amount is pending.
    NotePending = 409 "note_pending" "A transfer note of this amount is pending";
    /// Too many orders of one user.
    TooManyOrders = 409 "too_many_orders" "Too many open orders";
    /// The coins are reserved for another transaction.
    FundsPromised = 409 "funds_promised" "The coins are reserved for another transaction";
    /// The demo's faucet has given the caller the largest amount.
    FaucetLimit = 409 "faucet_limit" "The faucet gives you no more";

    /// The key was used for another request.
    IdempotencyMismatch = 409 "idempotency_mismatch" "The idempotency key was used for another request";
    /// The first request with the key is still running.
    IdempotencyInFlight = 409 "idempotency_in_flight" "The same request is still running";
    /// The key was used before the server restarted; the result is in the lists.
    IdempotencySpent = 409 "idempotency_spent" "The same request was already accepted";

    /// A signed transaction that is longer than the limit.
    PsbtTooLong = 422 "psbt_too_long" "The signed transaction is too long";
    /// Neither base64 nor hexadecimal.
    PsbtNotText = 422 "psbt_not_text" "The signed transaction is neither base64 nor hexadecimal";
    /// Not a PSBT (BIP-174), or followed by further bytes.
    PsbtMalformed = 422 "psbt_malformed" "The wallet did not give back a PSBT";
    /// Not one input is an input of the transaction to sign.
    PsbtOtherTransaction = 422 "psbt_other_transaction" "The wallet signed another transaction";
    /// The version differs.
    PsbtVersionChanged = 422 "psbt_version_changed" "The version of the transaction was changed";
    /// The locktime differs.
    PsbtLockTimeChanged = 422 "psbt_lock_time_changed" "The locktime of the transaction was changed";
    /// An input was added or removed.
    PsbtInputCountChanged = 422 "psbt_input_count_changed" "An input was added or removed";
    /// An input spends another output.
    PsbtInputChanged = 422 "psbt_input_changed" "An input spends something else";
    /// An input's sequence differs.
    PsbtSequenceChanged = 422 "psbt_sequence_changed" "The sequence of an input was changed";
    /// An output was added or removed.
    PsbtOutputCountChanged = 422 "psbt_output_count_changed" "An output was added or removed";
    /// An output pays another address or another amount.
    PsbtOutputChanged = 422 "psbt_output_changed" "An output was changed";
    /// An input declares another amount or script of the output it spends.
    PsbtSpentOutputWrong = 422 "psbt_spent_output_wrong" "What an input is said to spend is not what it spends";
    /// A previous transaction that the input does not spend from.
    PsbtPreviousTransactionWrong = 422 "psbt_previous_transaction_wrong" "The previous transaction of an input is another one";
    /// A foreign script.
    PsbtForeignScript = 422 "psbt_foreign_script" "An input came back with a script that is not its own";
    /// A foreign taproot key or tree.
    PsbtForeignTaproot = 422 "psbt_foreign_taproot" "An input came back with a taproot key or tree that is not its own";
    /// A leaf script that is not in the PSBT to sign.
    PsbtUnknownLeaf = 422 "psbt_unknown_leaf" "An input came back with a leaf script that was not handed out";
    /// An input declares another sighash type.
    PsbtSighashDeclared = 422 "psbt_sighash_declared" "An input declares a sighash type that was not requested";
    /// A signature by a key that the input does not require.
    PsbtForeignSignature = 422 "psbt_foreign_signature" "An input came back with a signature it does not ask for";
    /// A signature that is not in the one canonical encoding.
    PsbtSignatureMalformed = 422 "psbt_signature_malformed" "A signature in the transaction is not of the accepted form";
    /// The high-S form of a signature (BIP-146).
    PsbtSignatureHighS = 422 "psbt_signature_high_s" "A signature in the transaction was altered";
    /// A signature whose sighash commits to more or less than required.
    PsbtSignatureSighash = 422 "psbt_signature_sighash" "The wallet signed more or less than it was asked to";
    /// A signature that belongs to another input.
    PsbtSignatureMisplaced = 422 "psbt_signature_misplaced" "A signature in the transaction belongs to another input";
    /// A signature by another key, or of another transaction or amount.
    PsbtSignatureInvalid = 422 "psbt_signature_invalid" "A signature in the transaction does not verify";
    /// An input that was finalized without a witness.
    PsbtNotSegwit = 422 "psbt_not_segwit" "An input was finished as if it were no segwit input";
    /// An input that was finalized with another witness.
    PsbtOtherWitness = 422 "psbt_other_witness" "An input was finished with a witness that is not its own";
    /// A required signature is missing.
    PsbtSignatureMissing = 422 "psbt_signature_missing" "The wallet left out a signature";

    /// More creations than permitted without a bot check; the same request with a token succeeds.
    TurnstileRequired = 403 "turnstile_required" "Please complete the verification to continue";
    /// Too many bot checks failed.
    TurnstileRateLimited = 429 "turnstile_rate_limited" "Too many verifications failed, please try again in some minutes";
    /// The provider rejects the token: it is forged, used, expired, or of another page.
    TurnstileBotDetection = 403 "turnstile_bot_detection" "The verification did not succeed, please complete it again";
    /// The provider could not verify the token.
    TurnstileValidationFailed = 503 "turnstile_validation_failed" "The verification could not be checked, please try again";
}

#[cfg(test)]
mod tests;
