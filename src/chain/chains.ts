/** Describes the mining of a network: the lowest difficulty of a block, from a block on. */
export type MiningRules = { minDifficulty: bigint; from: number }

/** Lists the served chains; accounts are below SLIP-44's coins 137 and 37310. */
export const chains = {
  30: {
    id: 30,
    name: 'Rootstock',
    currency: 'RBTC',
    accountPath: "m/44'/137'/0'/0",
    explorer: 'https://explorer.rootstock.io',
    // Since Wasabi 1.0.0 (RSKIP92, 110, 126). The mean hash rate early in 2026, 834 EH/s, gives
    // 2 * 10^22 for blocks of 25 s.
    mining: { minDifficulty: 10n ** 20n, from: 1_591_000 },
  },
  31: {
    id: 31,
    name: 'Rootstock Testnet',
    currency: 'tRBTC',
    accountPath: "m/44'/37310'/0'/0",
    explorer: 'https://explorer.testnet.rootstock.io',
    // The minimum since RSKIP290.
    mining: { minDifficulty: 550_000_000n, from: 2_581_800 },
  },
} as const

export type Chain = (typeof chains)[keyof typeof chains]

/** Returns the network of a chain id. Any other chain is treated as the test network. */
export const getNetwork = (chainId: number): Chain => chains[chainId === 30 ? 30 : 31]

/** Sets the usual time between Rootstock's blocks, on which its rules depend. */
const rootstockBlockMs = 25_000

/** Sets Rootstock's rules. RSKj holds 16 nonces of an account, for 10 blocks or 650 s. */
const rootstock = {
  blockMs: rootstockBlockMs,
  /** Limits one account's nonces in the pool to one less than the pool accepts. */
  maxInFlight: 15,
  /** Limits the payments of one transaction; 15 such transactions fill a block. */
  maxInBatch: 12,
  /** Sets by how many percent a replacement's gas price must exceed the replaced one's. */
  replacementPercent: 40,
  /** Sets after how long the same transaction is sent again, before the pool drops it. */
  rebroadcastMs: 120_000,
  /** Sets after how long an unmined transaction is replaced at a higher price. */
  replaceAfterMs: 300_000,
  /** Limits the replacements of one nonce, after which an operator must act. */
  maxReplacements: 8,
  /** Counts the blocks, including the transaction's own, that make its outcome final. */
  confirmations: 12,
  /** Counts the blocks for which a confirmed payment is watched for a reorganization. */
  watchBlocks: 50,
  /** Sets the time between polls for a receipt by the payment's own request. */
  pollMs: 24_000,
  roundMs: rootstockBlockMs,
  /** Limits the age of the relayer's balance, nonce and gas price; each block one is read. */
  accountStateMs: 4 * rootstockBlockMs,
  /** Sets after how long a shorter chain counts as reorganized, not as a lagging replica's. */
  regressionMs: 90_000,
  /** Sets after how long without a new block a chain counts as halted; undefined for never. */
  haltedAfterMs: 500_000 as number | undefined,
  /** Limits the age of operators' readings of the chain; doubled while payments are open. */
  readIntervalMs: 50_000,
  /**
   * Sets how long a cause must be gone before its alert ends, so that a flapping alert ends once.
   */
  alertEndMs: 120_000,
}

/** Describes how a chain's nodes hold and drop transactions, and when blocks are final. */
export type PoolRules = typeof rootstock

export const poolRules = {
  rootstock,
  /** Sets the rules of a local chain, which makes a block for each transaction. */
  anvil: {
    ...rootstock,
    blockMs: 1_000,
    maxInFlight: 512,
    rebroadcastMs: 5_000,
    replaceAfterMs: 60_000,
    confirmations: 1,
    pollMs: 250,
    roundMs: 1_000,
    accountStateMs: 4_000,
    regressionMs: 2_000,
    haltedAfterMs: undefined,
  },
} satisfies Record<string, PoolRules>

export type PoolRulesName = keyof typeof poolRules

/** Default limits of the gas price, in wei. Rootstock's price is 0.1 gwei, a local chain's is 2. */
export const usualMaxGasPriceWei: Readonly<Record<PoolRulesName, bigint>> = {
  rootstock: 10n ** 9n,
  anvil: 10n ** 12n,
}

/** Returns after how many ms an urgent round comes. */
export const getUrgentRoundMs = (roundMs: number): number => Math.min(roundMs, 5_000)

/** Returns after how many ms a transaction is sent again that failed so many times in a row. */
export const getResendDelayMs = ({ roundMs }: PoolRules, failures: number, maxMs: number): number =>
  Math.min(maxMs, getUrgentRoundMs(roundMs) * 4 ** (failures - 1))

/** Scales the times of rules to another block time; numbers of blocks stay the same. */
export function scaleRules(rules: PoolRules, blockMs: number): PoolRules {
  const scaled = Object.entries(rules).map(([name, value]) => {
    const isTime = name.endsWith('Ms') && value !== undefined
    return [name, isTime ? Math.ceil((value * blockMs) / rootstockBlockMs) : value]
  })
  return { ...(Object.fromEntries(scaled) as PoolRules), blockMs }
}
