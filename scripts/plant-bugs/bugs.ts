import type { Patch } from './patch.ts'

/** A mistake that other relayers made, and the changes that make it here. */
export type Bug = { name: string; patches: readonly Patch[] }

const change = (file: string, within: string, find: string, replace: string): Patch => ({
  file: `src/${file}`,
  within,
  find,
  replace,
})

const answer = 'ussd/answer.ts'
const broadcast = 'relay/outcome/broadcast.ts'
const delivery = 'relay/pay/delivery.ts'
const facts = 'relay/tend/facts.ts'
const keeper = 'relay/ledger/keeper.ts'
const nonces = 'relay/ledger/life/nonces.ts'
const pin = 'account/pin.ts'
const steps = 'relay/ledger/steps.ts'

/** A relay that gives a nonce back has forgotten what it sent for it: nothing has to outbid its bytes. */
const forgetsBytes = change(nonces, 'take', '...row, state', '...row, bytes: [], state')

/** The nine failures of other relayers, and promises of this one that each need a line of their own. */
export const bugs: readonly Bug[] = [
  {
    name: 'a transport error means "not sent": the nonce is given back and the payment made again',
    patches: [
      forgetsBytes,
      change(
        broadcast,
        'broadcast',
        'await ledger.sent(transaction.hash, sent.kind)',
        "await (sent.kind === 'unknown' ? ledger.abandon(nonce) : ledger.sent(transaction.hash, sent.kind))",
      ),
    ],
  },
  {
    name: 'a counter that ran ahead of the chain never comes back',
    patches: [
      change(nonces, 'freeNonce', 'given.length > 0 ?', 'given.length > 1e9 ?'),
      change(
        facts,
        'fillings',
        'if (index < 0 && nonce >= top) break',
        'if (nonce < top) continue; if (index < 0) break',
      ),
    ],
  },
  {
    name: 'what a reorganization removes is not sent again',
    patches: [change('relay/tend/execute.ts', 'takeBack', 'await ledger.reopen(block.hash)', '[]')],
  },
  {
    name: 'a nonce is given back although its transaction was sent: the node answered with an error',
    patches: [
      forgetsBytes,
      change(
        broadcast,
        'broadcast',
        '} else {',
        '} else if (nonce >= 0) { logTransitions(log, await ledger.abandon(nonce)) } else {',
      ),
    ],
  },
  {
    name: 'a lock is held while the node is asked: a slow node stops all answers',
    patches: [
      change(
        keeper,
        'keepLedger',
        'return { ledger:',
        'let lock: Promise<unknown> = Promise.resolve()\n  return { ledger:',
      ),
      change(keeper, 'keepLedger', 'const answer = call', 'await lock\n      const answer = call'),
      change(
        keeper,
        'ring',
        'const tended = await keeper.tend(',
        'const tended = await hold(keeper.tend)(',
      ),
      change(
        keeper,
        'ring',
        'await alarm.setAlarm(now() + keeper.tendMs)',
        `await alarm.setAlarm(now() + keeper.tendMs)
        const hold = (tend: typeof keeper.tend): typeof keeper.tend => (ledger) => {
          const tending = tend(ledger)
          lock = tending.catch(() => undefined)
          return tending
        }`,
      ),
    ],
  },
  {
    name: '"already known" is a failure',
    patches: [
      change(
        'chain/node.ts',
        'createNode.send',
        "if (refusal === 'known') return { kind: 'taken' }",
        `if (refusal === 'known') {
          return { kind: 'refused', refusal: 'nonce_occupied', message: error.message }
        }`,
      ),
    ],
  },
  {
    name: 'a price bump that the pool finds too small, tried for ever',
    patches: [
      change('relay/fees.ts', 'replacementPriceUp', '100 + percent', '100 + Math.min(percent, 10)'),
    ],
  },
  {
    name: "the caller's retry is a second payment: deliveries have no key in common",
    patches: [
      change(
        answer,
        'carryOut',
        'questionOf(parts, request,',
        'questionOf(parts, { ...request, sessionId: request.sessionId + delivered.since },',
      ),
      change(
        answer,
        'carryOut',
        'request.gateway, request.sessionId,',
        'request.gateway, request.sessionId + delivered.since,',
      ),
    ],
  },
  {
    name: 'each Worker counts nonces for itself: two of them hand out the same one',
    patches: [
      change(
        delivery,
        'claimAndSend',
        'const transaction = await signClaim(claim,',
        `const own = attempt.chain as { counter?: number }
          own.counter = Math.max(own.counter ?? 0, counts.chainNonce)
          const slot = claim.slot && { ...claim.slot, nonce: own.counter++ }
          const transaction = await signClaim({ ...claim, slot },`,
      ),
      change(steps, 'record', "if (!isHeld) return { kind: 'fenced' }", ''),
    ],
  },
  {
    name: 'the token check of record is gone: a Worker whose claim ended still records',
    patches: [
      change(steps, 'record', 'row === undefined || row.token !== token', 'row === undefined'),
      change(steps, 'record', '&& lease.token === token', ''),
    ],
  },
  {
    name: 'the highest gas price is kept to by what is first signed for a nonce, and not by what outbids it',
    patches: [
      change('relay/relayer.ts', 'gasPriceFor', 'if (least > fees.maxWei) return undefined', ''),
    ],
  },
  {
    name: 'a record comes after its lease, when another session may have used the account',
    patches: [
      change(
        steps,
        'record',
        "if (!isLeased(row, rows.now) || isOlder || isRestoring(rows)) return { kind: 'fenced' }",
        '',
      ),
    ],
  },
  {
    name: 'the end of a session is shown and not kept: a late delivery pays',
    patches: [
      change(
        answer,
        'endFor',
        'await parts.endSession(',
        "await (async (end: { screen: Screen }) => ({ kind: 'screen', screen: end.screen }) as const)(",
      ),
    ],
  },
  {
    name: '"Submitted" is said of payments that the relayer cannot pay for, or not at this price',
    patches: [
      change(delivery, 'surely', 'obstacleFor(relayer, means, load)', 'undefined'),
      change(delivery, 'termsOf', 'roomFor(relayer, means)', '{ open: 1e9, waiting: 1e9 }'),
    ],
  },
  {
    name: 'one account may have any number of payments open',
    patches: [
      change(delivery, 'tryOnce', 'openLimit(options.limits, view.load)', 'undefined'),
      change(delivery, 'termsOf', 'ofAccount: openPayments', 'ofAccount: 1e9'),
    ],
  },
  {
    name: 'what all accounts share is not reserved: loans pass on what is left for one',
    patches: [
      change(
        steps,
        'claim',
        "if (reserves !== undefined && isShort(at, session, reserves)) return { kind: 'short' }",
        '',
      ),
    ],
  },
  {
    name: 'a payment that has failed for good is shown as submitted',
    patches: [
      change(steps, 'hasFailed', 'return isFinal || (isAdopted', 'return false && (isAdopted'),
    ],
  },
  {
    name: 'a broadcast that no node took counts as sent for as long as one that was taken',
    patches: [change(facts, 'offeredAfterMs', 'failures === 0 ?', 'failures >= 0 ?')],
  },
  {
    name: 'what spent an intent is looked for in more blocks at once than a provider gives',
    patches: [
      change(
        'relay/outcome/executions.ts',
        'findExecution',
        'fromBlock: blockNumber,',
        'fromBlock: Math.max(0, blockNumber - 26_000),',
      ),
    ],
  },
  {
    name: 'payments get nonces in the order in which they came, and one account takes all',
    patches: [change(facts, 'waitingPayments', '.sort((a, b) => a.turn - b.turn)', '')],
  },
  {
    name: 'each round asks for the count, whether there is a new block or not',
    patches: [
      change('relay/tend/snapshot.ts', 'askMeans', 'turnOf(work, chain)', "('toldCount' as const)"),
    ],
  },
  {
    name: 'guesses are judged by what was read before others were kept: none of them takes a try',
    patches: [
      change(
        pin,
        'createPins.verify',
        'judge(before, {',
        'judge({ ...before, pin: before.pin && { ...before.pin, tries: pin?.tries ?? 0 } }, {',
      ),
    ],
  },
  {
    name: 'a PIN that was right is right for ever: a session goes on with it after it was changed',
    patches: [change(pin, 'authorizationOf', 'each.salt === pin.salt &&', '')],
  },
  {
    name: 'a PIN that was right is right for ever: a session goes on with it after a block',
    patches: [
      change(pin, 'authorizationOf', "if (pin.tries >= maxTries) return 'blocked'", ''),
      change(pin, 'judge', 'left === 0 ? withoutForce(pin.judged) : pin.judged', 'pin.judged'),
    ],
  },
  {
    name: 'a message is sent as often as it is found: neither ledger nor memory knows that it left',
    patches: [
      change('relay/ledger/life/sms.ts', 'takeOne', "state: 'taken'", "state: 'due'"),
      change(
        'compose/sms.ts',
        'deliverOver',
        "if (ready.texted.includes(name)) return 'known'",
        '',
      ),
    ],
  },
  {
    name: 'what an account has sent today is not counted',
    patches: [
      change(steps, 'claim', 'day && overDay', 'undefined && overDay'),
      change(steps, 'record', 'day && overDay', 'undefined && overDay'),
    ],
  },
]
