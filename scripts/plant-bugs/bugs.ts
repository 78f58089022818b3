/** A mistake that other relayers made, and the lines that make it here. */
export type Bug = {
  name: string
  /** Each text stands once in its file; a patch that no longer fits is a fault of this list. */
  patches: readonly { file: string; find: string; replace: string }[]
}

/** Whoever gives a nonce back has forgotten what was sent for it: here its bytes would be outbid. */
const forgetsBytes: Bug['patches'][number] = {
  file: 'src/relay/ledger/steps.ts',
  find: "rows.put('nonces', { ...row, state, phase: 'done', changed_at: rows.now })",
  replace: "rows.put('nonces', { ...row, state, phase: 'done', changed_at: rows.now, bytes: [] })",
}

/** The nine failures of other relayers, and the check that fences a slow Worker. */
export const bugs: readonly Bug[] = [
  {
    name: 'a transport error means "not sent": the nonce is given back and the payment made again',
    patches: [
      forgetsBytes,
      {
        file: 'src/relay/outcome/broadcast.ts',
        find: `logTransitions(log, await ledger.sent(transaction.hash, false))
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
        file: 'src/relay/ledger/steps.ts',
        find: 'given.length > 0 ? Math.min(...given) : next',
        replace: 'next',
      },
      {
        file: 'src/relay/tend/round.ts',
        find: 'const isGap = nonce < top',
        replace: 'if (nonce < top) continue\n    const isGap = false',
      },
    ],
  },
  {
    name: 'what a reorganization removes is not sent again',
    patches: [
      {
        file: 'src/relay/tend/round.ts',
        find: 'logTransitions(log, await ledger.reopen(block.hash))',
        replace: 'logTransitions(log, block.number < 0 ? await ledger.reopen(block.hash) : [])',
      },
    ],
  },
  {
    name: 'a nonce is given back although its transaction was sent: the node answered with an error',
    patches: [
      forgetsBytes,
      {
        file: 'src/relay/outcome/broadcast.ts',
        find: `logTransitions(log, await ledger.sent(transaction.hash, false))
      }`,
        replace: `logTransitions(log, await ledger.abandon(nonce))
      }`,
      },
    ],
  },
  {
    name: "a lock is held while the node is asked: a slow node stops everybody's answers",
    patches: [
      {
        file: 'src/relay/ledger/keeper.ts',
        find: `  return {
    ledger: ledgerThrough(async (method, args) => {`,
        replace: `  let lock: Promise<unknown> = Promise.resolve()
  return {
    ledger: ledgerThrough(async (method, args) => {
      await lock`,
      },
      {
        file: 'src/relay/ledger/keeper.ts',
        find: 'const tended = await keeper.tend(',
        replace: 'const tending = keeper.tend(',
      },
      {
        file: 'src/relay/ledger/keeper.ts',
        find: 'await rest(tended)',
        replace: `lock = tending.catch(() => undefined)
        await rest(await tending)`,
      },
    ],
  },
  {
    name: '"already known" is a failure',
    patches: [
      {
        file: 'src/chain/node.ts',
        find: `if (refusal === 'known') return { kind: 'taken' }`,
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
        find: '(priorWei * BigInt(100 + percent) + 99n) / 100n',
        replace: '(priorWei * BigInt(100 + Math.min(percent, 10)) + 99n) / 100n',
      },
    ],
  },
  {
    name: "the caller's retry is a second payment: deliveries have no key in common",
    patches: [
      {
        file: 'src/ussd/answer.ts',
        find: 'keys.session(request.gateway, request.sessionId, caller.address)',
        replace: 'keys.session(request.gateway, request.sessionId + since, caller.address)',
      },
      {
        file: 'src/ussd/answer.ts',
        find: 'intentIdOf(forwarder, request.gateway, request.sessionId, caller.address)',
        replace:
          'intentIdOf(forwarder, request.gateway, request.sessionId + since, caller.address)',
      },
    ],
  },
  {
    name: 'each Worker counts nonces for itself: two of them hand out the same one',
    patches: [
      {
        file: 'src/relay/pay/delivery.ts',
        find: 'const { ledger, clock, log } = relayer\n\n  return async (wish) => {',
        replace:
          'const { ledger, clock, log } = relayer\n  let counter = 0\n\n  return async (wish) => {',
      },
      {
        file: 'src/relay/pay/delivery.ts',
        find: 'const transaction = await signClaim(claim, order, gasPriceWei)',
        replace: `counter = Math.max(counter, counts.chainNonce)
    const slot = claim.slot && { ...claim.slot, nonce: counter++ }
    const transaction = await signClaim({ ...claim, slot }, order, gasPriceWei)`,
      },
      {
        file: 'src/relay/ledger/steps.ts',
        find: `if (!isHeld) return { kind: 'fenced' }
`,
        replace: '',
      },
    ],
  },
  {
    name: 'the token check of record is gone: a Worker whose claim ended still records',
    patches: [
      {
        file: 'src/relay/ledger/steps.ts',
        find: `if (row === undefined || row.token !== token) return { kind: 'fenced' }`,
        replace: `if (row === undefined) return { kind: 'fenced' }`,
      },
      {
        file: 'src/relay/ledger/steps.ts',
        find: 'lease.nonce === nonce && lease.token === token)\n      if (!isHeld)',
        replace: 'lease.nonce === nonce)\n      if (!isHeld)',
      },
    ],
  },
]
