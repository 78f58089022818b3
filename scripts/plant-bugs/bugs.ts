import type { Patch } from './patch.ts'

/** A mistake that other relayers made, and the changes that make it here. */
export type Bug = { name: string; patches: readonly Patch[] }

/** A relay that gives a nonce back has forgotten what it sent for it: nothing has to outbid its bytes. */
const forgetsBytes: Patch = {
  file: 'src/relay/ledger/life/nonces.ts',
  within: 'take',
  find: 'saveNonce(rows, $row)',
  replace: 'saveNonce(rows, { ...$row, bytes: [] })',
}

/** The nine failures of other relayers, and promises of this one that each need a line of their own. */
export const bugs: readonly Bug[] = [
  {
    name: 'a transport error means "not sent": the nonce is given back and the payment made again',
    patches: [
      forgetsBytes,
      {
        file: 'src/relay/outcome/broadcast.ts',
        within: 'broadcast',
        find: `logTransitions(log, await $sent)
          return 'unknown'`,
        replace: `logTransitions(log, await ledger.abandon(nonce))
          return 'unknown'`,
      },
    ],
  },
  {
    name: 'a counter that ran ahead of the chain never comes back',
    patches: [
      {
        file: 'src/relay/ledger/life/nonces.ts',
        within: 'freeNonce',
        find: '$isGiven ? $leastGiven : next',
        replace: 'next',
      },
      {
        file: 'src/relay/tend/facts.ts',
        within: 'fillings',
        find: 'if (index < 0 && $isAboveGaps) break',
        replace: 'if (nonce < top) continue; if (index < 0) break',
      },
    ],
  },
  {
    name: 'what a reorganization removes is not sent again',
    patches: [
      {
        file: 'src/relay/tend/execute.ts',
        within: 'takeBack',
        find: 'await ledger.reopen($block)',
        replace: '[]',
      },
    ],
  },
  {
    name: 'a nonce is given back although its transaction was sent: the node answered with an error',
    patches: [
      forgetsBytes,
      {
        file: 'src/relay/outcome/broadcast.ts',
        within: 'broadcast',
        find: 'if ($isDisplaced) { $$displace } else { $$note }',
        replace: `if ($isDisplaced) { $$displace } else {
          logTransitions(log, await ledger.abandon(nonce))
        }`,
      },
    ],
  },
  {
    name: 'a lock is held while the node is asked: a slow node stops all answers',
    patches: [
      {
        file: 'src/relay/ledger/keeper.ts',
        within: 'keepLedger',
        find: 'const call = $call',
        replace: `const call = $call
          let lock: Promise<unknown> = Promise.resolve()`,
      },
      {
        file: 'src/relay/ledger/keeper.ts',
        within: 'keepLedger',
        find: 'const answer = call($$call)',
        replace: `await lock
          const answer = call($$call)`,
      },
      {
        file: 'src/relay/ledger/keeper.ts',
        within: 'ring',
        find: `const tended = await $round
          await rest(tended)`,
        replace: `const tending = $round
          lock = tending.catch(() => undefined)
          await rest(await tending)`,
      },
    ],
  },
  {
    name: '"already known" is a failure',
    patches: [
      {
        file: 'src/chain/node.ts',
        within: 'createNode.send',
        find: `if (refusal === 'known') return $taken`,
        replace: `if (refusal === 'known') {
          return { kind: 'refused', refusal: 'nonce_occupied', message: error.message }
        }`,
      },
    ],
  },
  {
    name: 'a price bump that the pool finds too small, tried for ever',
    patches: [
      {
        file: 'src/relay/fees.ts',
        within: 'replacementPriceUp',
        find: 'BigInt(100 + percent)',
        replace: 'BigInt(100 + Math.min(percent, 10))',
      },
    ],
  },
  {
    name: "the caller's retry is a second payment: deliveries have no key in common",
    patches: [
      {
        file: 'src/ussd/answer.ts',
        within: 'carryOut',
        find: 'questionOf(parts, request, $account)',
        replace: `questionOf(
          parts,
          { ...request, sessionId: request.sessionId + delivered.since },
          $account,
        )`,
      },
      {
        file: 'src/ussd/answer.ts',
        within: 'carryOut',
        find: 'intentKeys($gateway, $sessionId, $account)',
        replace: 'intentKeys($gateway, $sessionId + delivered.since, $account)',
      },
    ],
  },
  {
    name: 'each Worker counts nonces for itself: two of them hand out the same one',
    patches: [
      {
        file: 'src/relay/pay/delivery.ts',
        within: 'claimAndSend',
        find: 'const transaction = await signClaim(claim, $$signing)',
        replace: `const own = attempt.chain as { counter?: number }
          own.counter = Math.max(own.counter ?? 0, counts.chainNonce)
          const slot = claim.slot && { ...claim.slot, nonce: own.counter++ }
          const transaction = await signClaim({ ...claim, slot }, $$signing)`,
      },
      {
        file: 'src/relay/ledger/steps.ts',
        within: 'record',
        find: 'if (!isHeld) return $fenced',
        replace: '',
      },
    ],
  },
  {
    name: 'the token check of record is gone: a Worker whose claim ended still records',
    patches: [
      {
        file: 'src/relay/ledger/steps.ts',
        within: 'record',
        find: 'row === undefined || row.token !== token',
        replace: 'row === undefined',
      },
      {
        file: 'src/relay/ledger/steps.ts',
        within: 'record',
        find: 'lease.nonce === nonce && lease.token === token',
        replace: 'lease.nonce === nonce',
      },
    ],
  },
  {
    name: 'the highest gas price is kept to by what is first signed for a nonce, and not by what outbids it',
    patches: [
      {
        file: 'src/relay/relayer.ts',
        within: 'gasPriceFor',
        find: 'if (least > $highest) return undefined',
        replace: '',
      },
    ],
  },
  {
    name: 'a record comes after its lease, when another session may have used the account',
    patches: [
      {
        file: 'src/relay/ledger/steps.ts',
        within: 'record',
        find: 'if (!isLeased(row, rows.now) || isOlder) return $fenced',
        replace: '',
      },
    ],
  },
  {
    name: 'the end of a session is shown and not kept: a late delivery pays',
    patches: [
      {
        file: 'src/ussd/answer.ts',
        within: 'endFor',
        find: 'await parts.endSession($end)',
        replace: `{ kind: 'screen', screen: shown } as const`,
      },
    ],
  },
  {
    name: '"Submitted" is said of payments that the relayer cannot pay for, or not at this price',
    patches: [
      {
        file: 'src/relay/pay/delivery.ts',
        within: 'tryOnce',
        find: 'obstacleFor($$terms)',
        replace: 'undefined',
      },
      {
        file: 'src/relay/pay/delivery.ts',
        within: 'claimAndSend',
        find: 'roomFor($$terms)',
        replace: '({ open: 1e9, waiting: 1e9 })',
      },
    ],
  },
  {
    name: 'one account may have any number of payments open',
    patches: [
      {
        file: 'src/relay/pay/delivery.ts',
        within: 'overLimit',
        find: 'openLimit(limits, load)',
        replace: 'undefined',
      },
      {
        file: 'src/relay/pay/delivery.ts',
        within: 'claimAndSend',
        find: 'options.limits.openPayments',
        replace: '1e9',
      },
    ],
  },
  {
    name: 'what all accounts share is not reserved: loans pass on what is left for one',
    patches: [
      {
        file: 'src/relay/ledger/steps.ts',
        within: 'claim',
        find: 'if (reserves !== undefined && isShort(at, session, reserves)) return $short',
        replace: '',
      },
    ],
  },
  {
    name: 'a payment that has failed for good is shown as submitted',
    patches: [
      {
        file: 'src/relay/ledger/steps.ts',
        within: 'hasFailed',
        find: 'return $failed',
        replace: 'return false',
      },
    ],
  },
  {
    name: 'a broadcast that no node took counts as sent for as long as one that was taken',
    patches: [
      {
        file: 'src/relay/tend/facts.ts',
        within: 'offeredAfterMs',
        find: 'return failures === 0 ? $usual : $sooner',
        replace: 'return $usual',
      },
    ],
  },
  {
    name: 'what spent an intent is looked for in more blocks at once than a provider gives',
    patches: [
      {
        file: 'src/relay/outcome/executions.ts',
        within: 'findExecution',
        find: `node.logs(
          { address: forwarder.address, topics: $topics, fromBlock: blockNumber, toBlock: blockNumber },
          signal,
        )`,
        replace: `node.logs(
          { address: forwarder.address, topics: $topics,
            fromBlock: Math.max(0, blockNumber - 26_000), toBlock: blockNumber },
          signal,
        )`,
      },
    ],
  },
  {
    name: 'payments get nonces in the order in which they came, and one account takes all',
    patches: [
      {
        file: 'src/relay/tend/facts.ts',
        within: 'waitingPayments',
        find: '$queued.sort((a, b) => a.turn - b.turn)',
        replace: '$queued',
      },
    ],
  },
  {
    name: 'each round asks for the count, whether there is a new block or not',
    patches: [
      {
        file: 'src/relay/tend/snapshot.ts',
        within: 'askMeans',
        find: 'turnOf(work, chain)',
        replace: "('toldCount' as const)",
      },
    ],
  },
]
