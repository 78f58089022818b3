import type { RedisDatabase } from '../runtime/redis.ts'
import {
  type BlockId,
  type Ledger,
  type LedgerRules,
  movableIdentity,
  type Order,
  type SignedTransaction,
} from './ledger.ts'
import { ledgerLua } from './ledger-lua.ts'
import {
  adopted,
  blocks,
  claimed,
  fencedOrRecorded,
  leased,
  lookedUp,
  names,
  nothing,
  payments,
  type Reply,
  refused,
  transitions,
  work,
} from './ledger-replies.ts'

export type RedisLedgerOptions = {
  database: RedisDatabase
  /** Whose ledger it is: see {@link ledgerKey}. */
  name: string
  rules: LedgerRules
  /** How soon a task is due that looks after what a claim, a record or an adoption left open. */
  tendMs: number
}

/** Every key of a ledger begins with this; the braces keep them in one slot of a cluster. */
export const ledgerKey = (name: string): string => `ledger:{${name}}`

/**
 * The ledger on Redis. A method is one script, so nothing falls between its reads and its writes,
 * whoever else asks. A call that fails may have been done: each meets its own token or its own
 * state when it is made again.
 */
export function createRedisLedger({ database, name, rules, tendMs }: RedisLedgerOptions): Ledger {
  const script = database.script(ledgerLua)
  const keys = [ledgerKey(name)]
  const rulesText = JSON.stringify({ ...rules, tendMs })

  async function run<Answer>(
    reply: Reply<Answer>,
    method: keyof Ledger,
    args: Record<string, unknown> = {},
  ): Promise<Answer> {
    return reply.parse(await script(keys, [method, rulesText, JSON.stringify(args)]))
  }

  return {
    async identify({ chainId, fingerprints }) {
      const given = Object.entries({ chain: `${chainId}`, ...fingerprints }).map(
        ([name, value]) => [name, value, movableIdentity.includes(name) ? 1 : 0],
      )
      const different = await run(names, 'identify', { given })
      return different.length === 0 ? { kind: 'same' } : { kind: 'different', names: different }
    },
    lookup: (question) => run(lookedUp, 'lookup', question),
    refuse: (refusing) => run(refused, 'refuse', refusing),
    claim: (claiming) => run(claimed, 'claim', claiming),
    record: ({ order, transaction, ...acceptance }) =>
      run(fencedOrRecorded, 'record', {
        ...acceptance,
        order: orderText(order),
        transaction: transaction && {
          ...transactionText(transaction),
          nonce: transaction.nonce,
        },
      }),
    adopt: ({ order, ...adoption }) =>
      run(adopted, 'adopt', { ...adoption, order: orderText(order) }),

    work: () => run(work, 'work'),
    async blocks(above) {
      const found = await run(blocks, 'blocks', { above })
      const byHash = new Map(found.map((block): [string, BlockId] => [block.hash, block]))
      return [...byHash.values()].sort((a, b) => b.number - a.number)
    },
    async payment(session) {
      const [found] = await run(payments, 'payment', { session })
      return found
    },
    async payments(account, limit) {
      const found = await run(payments, 'payments', { account, limit })
      return found
        .sort((a, b) => b.acceptedAt - a.acceptedAt || (a.session < b.session ? -1 : 1))
        .slice(0, limit)
    },

    lease: (leasing) => run(leased, 'lease', leasing),
    attach: ({ transaction, ...attachment }) =>
      run(fencedOrRecorded, 'attach', {
        ...attachment,
        transaction: transactionText(transaction),
      }),
    replace: ({ transaction, ...replacement }) =>
      run(fencedOrRecorded, 'replace', {
        ...replacement,
        transaction: transactionText(transaction),
      }),
    release: (nonces, chainNonce) => run(nothing, 'release', { nonces, chainNonce }),
    sent: (hash, taken) => run(transitions, 'sent', { hash, taken }),
    mined: (report) => run(transitions, 'mined', report),
    displaced: (nonce) => run(transitions, 'displaced', { nonce }),
    requeue: (session) => run(transitions, 'requeue', { session }),
    abandon: (nonce) => run(transitions, 'abandon', { nonce }),
    settle: (session, execution) => run(transitions, 'settle', { session, execution }),
    confirm: (session, blockHash) => run(transitions, 'confirm', { session, blockHash }),
    expire: (session) => run(transitions, 'expire', { session }),
    reopen: (blockHash) => run(transitions, 'reopen', { blockHash }),
    sawHead: (head) => run(nothing, 'sawHead', { head: head && JSON.stringify(head) }),
    prune: () => run(nothing, 'prune'),
  }
}

/** Wei outgrow Lua's numbers, and a signed request is kept to the byte. */
function orderText({ request, label, spendsWei }: Order): Record<string, string> {
  return {
    intentId: request.intentId,
    account: request.from,
    label,
    spends: `${spendsWei}`,
    request: JSON.stringify(request),
  }
}

function transactionText({ hash, raw, gasPriceWei }: SignedTransaction): Record<string, string> {
  return { hash, raw, gasPrice: `${gasPriceWei}` }
}
