/** Describes a network's mining: the least difficulty, and the block from which it is checked. */
export type MiningRules = { leastDifficulty: bigint; from: number }

/** Lists the served chains; accounts are below SLIP-44's coins 137 and 37310. */
export const chains = {
  30: {
    id: 30,
    name: 'Rootstock',
    currency: 'RBTC',
    accountPath: "m/44'/137'/0'/0",
    explorer: 'https://explorer.rootstock.io',
    // From Wasabi 1.0.0 on (RSKIP92, 110, 126); 834 EH/s, its mean early in 2026, make 2 * 10^22 of
    // 25 s.
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
export const getNetwork = (chainId: number): Chain => chains[chainId === 30 ? 30 : 31]

/** Is the usual time between Rootstock's blocks, on which its rules depend. */
const rootstockBlockMs = 25_000

/**
 * Sets Rootstock's rules: RSKj takes 16 nonces of an account, and drops after 10 blocks or 650 s.
 */
const rootstock = {
  blockMs: rootstockBlockMs,
  /** Limits one account's nonces in the pool at a time, one below what it accepts. */
  maxInFlight: 15,
  /** Limits the payments of one transaction: with 15 nonces they fill Rootstock's blocks. */
  maxInBatch: 12,
  /** Sets by how many percent a replacement's gas price must exceed the replaced one's. */
  replacementPercent: 40,
  /** Sets when the same bytes are sent again, before the pool drops them. */
  rebroadcastMs: 120_000,
  /** Sets when a transaction without a block is replaced at a higher price. */
  replaceAfterMs: 300_000,
  /** Limits the replacements of one nonce; then an operator has to look. */
  maxReplacements: 8,
  /** Counts the blocks, from the transaction's own on, that make its outcome final. */
  confirmations: 12,
  /** Counts the blocks for which a confirmed payment is watched for a reorganization. */
  watchBlocks: 50,
  /** Sets how often a payment's own request polls for its receipt: on Rootstock once. */
  pollMs: 24_000,
  /** Sets the time between rounds. */
  roundMs: rootstockBlockMs,
  /** Sets how long balance, count and gas price are used; each block one of them is read. */
  meansMs: 4 * rootstockBlockMs,
  /** Sets when a shorter chain counts as reorganized, and not as a lagging replica's. */
  regressionMs: 90_000,
  /** Sets when a node without a new block counts as halted; undefined: never. */
  stillMs: 500_000 as number | undefined,
  /** Sets how long a round's figures for operators are used; with open payments twice as long. */
  lookMs: 50_000,
  /**
   * Sets how long a finding must be gone before its alert ends, so that a flapping one ends once.
   */
  calmMs: 120_000,
}

/** Describes how a chain's nodes keep and drop transactions, and when blocks are final. */
export type PoolRules = typeof rootstock

export const poolRules = {
  rootstock,
  /**
   * Sets the local chain's rules: a block for each transaction, and Rootstock's replacement prices.
   */
  anvil: {
    ...rootstock,
    blockMs: 1_000,
    maxInFlight: 512,
    rebroadcastMs: 5_000,
    replaceAfterMs: 60_000,
    confirmations: 1,
    pollMs: 250,
    roundMs: 1_000,
    meansMs: 4_000,
    regressionMs: 2_000,
    stillMs: undefined,
  },
} satisfies Record<string, PoolRules>

export type PoolRulesName = keyof typeof poolRules

/** Returns the most ms until an urgent round. */
export const soonMs = (roundMs: number): number => Math.min(roundMs, 5_000)

/** Returns after how many ms bytes are sent again that no node took this many times in a row. */
export const resendAfterMs = ({ roundMs }: PoolRules, failures: number, atMostMs: number): number =>
  Math.min(atMostMs, soonMs(roundMs) * 4 ** (failures - 1))

/** Scales Rootstock's rules to other block times: numbers of blocks stay the same. */
export function atPace(rules: PoolRules, blockMs: number): PoolRules {
  const paced = Object.entries(rules).map(([name, value]) => {
    const isTime = name.endsWith('Ms') && value !== undefined
    return [name, isTime ? Math.ceil((value * blockMs) / rootstockBlockMs) : value]
  })
  return { ...(Object.fromEntries(paced) as PoolRules), blockMs }
}
