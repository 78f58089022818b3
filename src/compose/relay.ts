import type { Address, LocalAccount } from 'viem'
import { createCallerAccounts, withFormerAccounts } from '../account/caller-accounts.ts'
import { computeNumberingFingerprint } from '../account/numbering.ts'
import { computeFingerprint } from '../account/secrets.ts'
import { createNode } from '../chain/node.ts'
import { decodeRefusal, describeLoanRefusal } from '../loan/calls.ts'
import { createRates, type Rate } from '../loan/local-worth.ts'
import { createLoanReader, type LoanReader, RevertedRead } from '../loan/reader.ts'
import type { NodeService } from '../node/service.ts'
import { claimDeposit } from '../relay/claim-deposit.ts'
import type { Forwarder } from '../relay/forwarder/requests.ts'
import { createTargetCheck } from '../relay/forwarder/target.ts'
import { getIdentity } from '../relay/identity.ts'
import { type LedgerRules, ledgerRules } from '../relay/ledger/draft.ts'
import type { Identity } from '../relay/ledger/records/identity.ts'
import type { Ledger } from '../relay/ledger/steps.ts'
import type { Relayer } from '../relay/relayer.ts'
import { createSigner, deriveRelayerAccount, type Signer } from '../relay/signer.ts'
import type { Config } from './config.ts'
import type { Runtime } from './runtime.ts'

/** Names the ledger by its chain alone, so that another relayer's key finds the same payments. */
export const getLedgerName = ({ chain }: Config): string => `${chain.id}`

export const deriveRelayerAddress = (config: Config): string =>
  deriveSignerAddress(config).toLowerCase()

export const deriveSignerAddress = (config: Config): Address => getSigner(config).address

export function getLedgerRules({ rules, events }: Config): LedgerRules {
  const { maxInFlight, watchBlocks, accountStateMs, alertEndMs } = rules
  const tellsEvents = events !== undefined
  return { ...ledgerRules, maxInFlight, watchBlocks, accountStateMs, alertEndMs, tellsEvents }
}

/** Creates a reader of the ledger's identity, whose fingerprints are computed once. */
export function assembleIdentity(config: Config): () => Promise<Identity> {
  let identity: Identity | undefined
  return async () => {
    const { chainId, fingerprints } = getIdentity({
      signer: getSigner(config),
      forwarder: getForwarder(config),
    })
    identity ??= {
      chainId,
      fingerprints: {
        ...fingerprints,
        // What stored amounts count.
        UNIT: config.unit.token?.address ?? config.unit.symbol,
        NUMBERING: computeNumberingFingerprint(),
        ACCOUNT_ID_SECRET: computeFingerprint(config.accountIdSecret),
        ACCOUNT_KEY_SECRET: computeFingerprint(config.accountKeySecret),
        ...(config.pinSecret && { PIN_SECRET: computeFingerprint(config.pinSecret) }),
      },
    }
    return identity
  }
}

export const assembleAccounts = (config: Config, ledger: Pick<Ledger, 'findFormerAccount'>) =>
  withFormerAccounts(createCallerAccounts(config.accountKeySecret), (account) =>
    ledger.findFormerAccount(account),
  )

export const getForwarder = ({
  chain,
  forwarder,
}: Pick<Config, 'chain' | 'forwarder'>): Forwarder => ({
  chainId: chain.id,
  address: forwarder,
})

export function assembleRelayer<Any extends Ledger>(
  config: Config,
  runtime: Runtime,
  nodeService: NodeService,
  ledger: Any,
): Relayer<Any> {
  const { clock } = runtime
  const node = createNode(nodeService.request)
  return {
    ledger,
    node,
    signer: getSigner(config),
    forwarder: getForwarder(config),
    rules: config.rules,
    fees: config.fees,
    proofs: config.proofs,
    readSettled: assembleSettled(config, { node, clock }),
    clock,
    log: runtime.log,
    describeReason: (revertData) => describeLoanRefusal(decodeRefusal(revertData)),
  }
}

/** Reads nothing as settled where the forwarder calls another contract than that. */
export function assembleSettled(
  config: Pick<Config, 'loan' | 'unit' | 'chain' | 'forwarder' | 'menu'>,
  reads: Pick<Relayer, 'node' | 'clock'>,
): Relayer['readSettled'] {
  if (config.menu.finalUpToWei === 0n) return undefined
  const { readSettled } = assembleLoan(config, reads)
  const checkTarget = createTargetCheck(getForwarder(config), config)
  return async (account, blockHash) => {
    const target = await checkTarget(reads.node, reads.clock.timeout(readTimeoutMs))
    return target === 'ready' ? readSettled(account, blockHash) : 0n
  }
}

/** Caches the signer of each configuration, since deriving a key takes thousands of hashes. */
const signers = new WeakMap<Config, Signer>()

function openSigner(config: Config): Signer {
  const cachedSigner = signers.get(config)
  if (cachedSigner !== undefined) return cachedSigner
  const account = deriveRelayerAccount(config.relayerMnemonic, config.chain.id, 0)
  const signer = createSigner(account, config.chain.id)
  signers.set(config, signer)
  return signer
}

/** Creates a signer whose key is derived at its first use: most first requests need none. */
const getSigner = (config: Config): Signer => ({
  get address() {
    return openSigner(config).address
  },
  sign: (transaction) => openSigner(config).sign(transaction),
  readContent: (transaction) => openSigner(config).readContent(transaction),
})

export function assembleDepositClaim(config: Config, relayer: Relayer) {
  const options = { relayer, loan: config.loan, reader: assembleLoan(config, relayer) }
  return (account: LocalAccount) => claimDeposit(options, account)
}

const readTimeoutMs = 5_000

export const assembleLoan = (
  { loan }: Pick<Config, 'loan'>,
  { node, clock }: Pick<Relayer, 'node' | 'clock'>,
): LoanReader =>
  createLoanReader({
    async read(data, block) {
      const outcome = await node.call({ to: loan, data }, clock.timeout(readTimeoutMs), block)
      if (outcome.kind === 'reverted') throw new RevertedRead('the loan contract reverted a read')
      return outcome.data
    },
    readHeight: async () => (await node.getHead(clock.timeout(readTimeoutMs))).number,
    findEvents: (topics, fromBlock) =>
      node.getLogs({ address: loan, topics, fromBlock }, clock.timeout(readTimeoutMs)),
  })

/** Creates the reader of the price of one unit, which is never known without a feed. */
export const assembleRates = (
  { rateFeed: feed }: Config,
  runtime: Runtime,
  ledger: Pick<Ledger, 'judgeRate'>,
): (() => Promise<Rate | undefined>) =>
  feed
    ? createRates({ ...runtime, feed, judge: (offered) => ledger.judgeRate(offered) })
    : async () => undefined
