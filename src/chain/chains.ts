/** How a network's blocks are mined: the least difficulty of one, and from which block on that is checked. */
export type MiningRules = { leastDifficulty: bigint; from: number }

/** The chains that a deployment can serve; accounts are below SLIP-44's coins 137 and 37310. */
export const chains = {
  30: {
    id: 30,
    name: 'Rootstock',
    currency: 'RBTC',
    accountPath: "m/44'/137'/0'/0",
    explorer: 'https://explorer.rootstock.io',
    // From Wasabi 1.0.0 on (RSKIP92, 110, 126); 834 EH/s, its mean early in 2026, make 2 * 10^22 of 25 s.
    mining: { leastDifficulty: 10n ** 20n, from: 1_591_000 },
  },
  31: {
    id: 31,
    name: 'Rootstock Testnet',
    currency: 'tRBTC',
    accountPath: "m/44'/37310'/0'/0",
    explorer: 'https://explorer.testnet.rootstock.io',
    // No block from RSKIP290 on may have less.
    mining: { leastDifficulty: 550_000_000n, from: 2_581_800 },
  },
} as const

export type Chain = (typeof chains)[keyof typeof chains]

/** Returns the network that a chain id names; a local chain is treated as the test network. */
export const networkOf = (chainId: number): Chain => chains[chainId === 30 ? 30 : 31]

/** How often Rootstock's blocks come; the times of its rules are told for it. */
const rootstockBlockMs = 25_000

/** RSKj takes 16 nonces from the account's on, and drops a transaction after 10 blocks or 650 s. */
const rootstock = {
  blockMs: rootstockBlockMs,
  /** Nonces of one account that may wait in the pool at a time, one less than what it accepts. */
  maxInFlight: 15,
  /** Payments that one transaction carries at most: at 15 nonces they fill Rootstock's blocks. */
  maxInBatch: 12,
  /** A replacement's gas price over the replaced one's, in percent. */
  replacementPercent: 40,
  /** The same bytes are sent again after this time, before the pool drops them. */
  rebroadcastMs: 120_000,
  /** A transaction that waited this long without a block is replaced at a higher price. */
  replaceAfterMs: 300_000,
  /** Replacements of one nonce before an operator has to look. */
  maxReplacements: 8,
  /** Blocks, counting the one that holds the transaction, after which its outcome is told. */
  confirmations: 12,
  /** Blocks that a confirmed payment stays watched for a reorganization. */
  watchBlocks: 50,
  /** How often a payment's own request asks for its receipt: on Rootstock once, just before its end. */
  pollMs: 24_000,
  /** How often open work is tended. */
  tendMs: rootstockBlockMs,
  /** How long balance, count and gas price are taken as they were read: each block one of them is. */
  meansMs: 4 * rootstockBlockMs,
  /** A chain shorter than it was for this long has been reorganized; a replica would have caught up. */
  regressionMs: 90_000,
  /** A node whose latest block is older stands still; undefined where no block comes by itself. */
  stillMs: 500_000 as number | undefined,
  /** How long what rounds saw for operators is taken as it was while nothing is open; else twice as long. */
  lookMs: 50_000,
  /** An alert that is over has to stay so for this long: what flutters is told once. */
  calmMs: 120_000,
}

/** How a chain's nodes keep and drop transactions, and when its blocks are believed. */
export type PoolRules = typeof rootstock

export const poolRules = {
  rootstock,
  /** The local chain: a block a transaction and no limits, but a replacement is priced as Rootstock's. */
  anvil: {
    ...rootstock,
    blockMs: 1_000,
    maxInFlight: 512,
    rebroadcastMs: 5_000,
    replaceAfterMs: 60_000,
    confirmations: 1,
    pollMs: 250,
    tendMs: 1_000,
    meansMs: 4_000,
    regressionMs: 2_000,
    stillMs: undefined,
  },
} satisfies Record<string, PoolRules>

export type PoolRulesName = keyof typeof poolRules

/** At the latest after so many ms a round looks after what cannot wait for the usual one. */
export const soonMs = (tendMs: number): number => Math.min(tendMs, 5_000)

/** Gives after how many ms bytes are offered again that no node took so many times in a row. */
export const resendAfterMs = ({ tendMs }: PoolRules, failures: number, atMostMs: number): number =>
  Math.min(atMostMs, soonMs(tendMs) * 4 ** (failures - 1))

/** Scales Rootstock's rules to faster or slower blocks: numbers of blocks stay the same. */
export function atPace(rules: PoolRules, blockMs: number): PoolRules {
  const paced = Object.entries(rules).map(([name, value]) => {
    const isTime = name.endsWith('Ms') && value !== undefined
    return [name, isTime ? Math.ceil((value * blockMs) / rootstockBlockMs) : value]
  })
  return { ...(Object.fromEntries(paced) as PoolRules), blockMs }
}
