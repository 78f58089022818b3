/** The rules, in the words with which a transcript ends. */
export const rules = {
  submitted:
    'Who is told "submitted" is paid once, or told of a failure or of an expired deadline.',
  nothing_sent: 'Who is told that nothing was sent has nothing sent, for ever.',
  unasked: 'Nothing executes that nobody asked for.',
  identical: 'The same question gets the same answer, to the byte.',
  one_question: 'A session answers one paying question.',
  ended: 'Who is told that a session has ended makes no payment in it from then on.',
  once: 'A request reaches a block once.',
  admitted: 'Nobody is told "submitted" while the chain shows that nothing can be carried.',
  in_time: 'Every delivery is answered within 8 s.',
  unanswered: 'Nobody is turned away while nothing is wrong.',
  stated: 'The outcome that is stated is the one that the chain has.',
  settled: 'Nothing is open when enough time has passed.',
  assured: 'Who is told that money is final has it in the end, whatever the chain does.',
  covered: 'Settled money covers what is final, and all that its account has begun since.',
  sure: 'Nothing is final early while something may execute that the ledger has lost.',
  believed: 'No block makes money final early by a receipt that its header does not prove.',
  backed: 'What is final before any block has it is never more than the operator backs.',
  made: 'A payment expires only where it was carried in vain as often as may be.',
  gap: 'Nothing of ours waits in the pool when nothing is open.',
  conserved: 'No call makes money or destroys it.',
  bump: 'The pool never finds our own bytes too cheap over our own.',
  told: 'A failure that is final is told to whom asks again, and nothing else is called a failure.',
  priced: 'No transaction offers more for gas than the operator allows.',
  overdrawn: 'Two payments do not both pass on one balance.',
  lent: 'Two loans do not both pass on what is left for one.',
  counted: 'What the ledger counts adds up.',
  guesses: 'No more than three PINs are judged between two right ones.',
  pin: 'Nothing is paid or set by a PIN that is not the one of now, or whose account is blocked.',
  unit: 'Nothing is paid where the contract counts another unit than the relay.',
  agreed: 'What was agreed in local money is paid, kept and shown as it was agreed.',
  deposited: 'What a wallet sends to the address that is shown is credited once, or lies there.',
  known: 'Every screen is made of a message.',
  uncaught: 'No error goes uncaught.',
} as const

export type Rule = keyof typeof rules

/** The reasons for which an apparent violation is none. */
export const excuses = {
  was_down: 'The relay was down for days with what was open.',
  lost_answer: 'The ledger lost what it wrote of the answer.',
  too_many_dials: 'It was told of too many dials, and its session was not looked at.',
  neither_pays: 'Neither of the two questions pays: a locked PIN ends both of them alike.',
  lost_rows: 'The ledger lost rows: it finds out from the chain what it knew.',
  forgotten: 'The first answer was lost, and the chain did not show it yet to who gave the second.',
  reorganized: 'The chain took blocks back: what was said before was true when it was said.',
  expired: 'The deadline passed, and the payment is known to have expired.',
  foreign: 'Another program used the key.',
  lied: 'A node gave a false verdict on what it was sent.',
  untraced: 'All that the ledger lost was gone from the chain and the pools as well.',
  outdated: 'The node that was asked did not have yet what the ledger had lost.',
  hidden: 'What the ledger had lost waited in a pool behind a nonce that nobody had.',
  doubted: 'An unknown transaction of the key means that rows may have been lost.',
  rotated: "The relayer's key was changed, and no payments were taken meanwhile.",
  distrusted: 'The forwarder took nothing from the relayer for a while.',
  left_far: 'The pool takes any nonce, and holds bytes that were given up until they are outbid.',
  stalled: 'The program itself was not run for some time.',
  repeated: 'It was told so before, or an earlier delivery of it met trouble.',
  troubled: 'Something went wrong with it, or with another one at about that time.',
  overrun:
    'More asked at once than a Worker that accepts by itself takes in the time of an answer.',
  outrun: 'Payments of its account were accepted before it all the time that it was tried.',
  undone: 'The chain had lost a payment of its account, and no round had to know that yet.',
  other_unit: 'The contract counts another unit than the relay, so nothing is paid.',
  no_preflight: 'Nothing is simulated before it is sent.',
  disturbed: 'Something else than its own payments changed what the account can spend.',
  in_vain: 'It was carried in vain as often as may be.',
  undone_final: 'The chain took back a block that was final.',
  stopped: 'The relay was stopped for longer than what is final may be sent.',
  at_once: 'The operator backed it, for no block had it yet.',
  acted: "Its account's own key acted for the first time after that.",
  outlasted: 'Nothing could be carried for longer than a request is good for.',
} as const

export type Excuse = keyof typeof excuses

export type Violation = { rule: Rule; words: string }

/** The verdict on a run; `excused` counts how often each excuse was needed. */
export type Verdict = { violations: readonly Violation[]; excused: Partial<Record<Excuse, number>> }
