import type { Address, Hex } from 'viem'
import { createCallerAccounts } from './account/keys.ts'
import { createSessionKeys, fingerprint } from './account/session-keys.ts'
import { createNode } from './chain/node.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import { refusalOf, refusalWords } from './loan/calls.ts'
import { createLoanReader } from './loan/reader.ts'
import type { Log } from './log.ts'
import { createNodeService, type NodeService } from './node/service.ts'
import { cached } from './relay/cached.ts'
import { createIdentityCheck, identityOf } from './relay/identity.ts'
import { relayerAccount } from './relay/keys.ts'
import type { Ledger } from './relay/ledger/port.ts'
import { createPay } from './relay/pay.ts'
import { createChainCache, type Relayer } from './relay/relayer.ts'
import { createSigner } from './relay/signer.ts'
import { type Answer, createAnswer } from './ussd/answer.ts'
import { english } from './ussd/messages/en.ts'

/** What a runtime brings. */
export type Runtime = {
  clock: Clock
  log: Log
  fetch: typeof globalThis.fetch
  /** Keeps work alive after the reply. */
  background: (work: Promise<unknown>) => void
}

const READ_TIMEOUT_MS = 5_000

/** How long a loan's principal is taken as unchanged: only the owner changes it. */
const PRINCIPAL_TTL_MS = 60_000

/** The node service of the configured chain. */
export function assembleNodeService(config: Config, runtime: Runtime): NodeService {
  return createNodeService({ chainId: config.chain.id, urls: config.nodeUrls, ...runtime })
}

/** The node services of all networks; the relay's own is the given one. */
export function assembleNodeServices(
  config: Config,
  runtime: Runtime,
  own: NodeService,
): ReadonlyMap<number, NodeService> {
  const services = [...config.networks].map(([chainId, urls]) =>
    chainId === own.chainId ? own : createNodeService({ chainId, urls, ...runtime }),
  )
  return new Map(services.map((service) => [service.chainId, service]))
}

/** The name under which a deployment's ledger is kept: its chain and its first relayer key. */
export function ledgerName(config: Config): string {
  return `${config.chain.id}:${relayerAddress(config)}`
}

/** The key whose nonces the ledger hands out, as its rows name it. */
export function relayerAddress(config: Config): string {
  return signerOf(config).address.toLowerCase()
}

/** Whoever pays or tends through the configured relayer key. */
export function assembleRelayer(
  config: Config,
  runtime: Runtime,
  nodeService: NodeService,
  ledger: Ledger,
): Relayer {
  return {
    ledger,
    node: createNode(nodeService.request),
    signer: signerOf(config),
    forwarder: { chainId: config.chain.id, address: config.forwarder },
    rules: config.rules,
    fees: config.fees,
    clock: runtime.clock,
    log: runtime.log,
    newToken: () => crypto.randomUUID(),
    reasonOf: (revertData) => refusalWords(refusalOf(revertData)),
  }
}

/** The USSD service. */
export function assembleAnswer(config: Config, runtime: Runtime, relayer: Relayer): Answer {
  const { node, ledger, forwarder } = relayer
  const loan = createLoanReader((data) => readLoan(relayer, config.loan, data))
  return createAnswer({
    chainId: config.chain.id,
    currency: config.chain.currency,
    forwarder,
    loanAddress: config.loan,
    loan: {
      balance: loan.balance,
      principal: cached(runtime.clock, PRINCIPAL_TTL_MS, () => loan.principal()),
    },
    accounts: createCallerAccounts(config.accountKeySecret),
    keys: createSessionKeys(config.accountIdSecret),
    identity: createIdentityCheck(ledger, runtime.clock, async () => {
      const { chainId, fingerprints } = identityOf(relayer)
      return {
        chainId,
        fingerprints: {
          ...fingerprints,
          ACCOUNT_ID_SECRET: await fingerprint(config.accountIdSecret),
          ACCOUNT_KEY_SECRET: await fingerprint(config.accountKeySecret),
        },
      }
    }),
    pay: createPay({ ...relayer, node }, createChainCache(relayer), {
      preflight: config.preflight,
      background: runtime.background,
    }),
    now: runtime.clock.now,
    say: english,
    log: runtime.log,
  })
}

async function readLoan({ node, clock }: Relayer, loan: Address, data: Hex): Promise<Hex> {
  const outcome = await node.call({ to: loan, data }, clock.timeout(READ_TIMEOUT_MS))
  if (outcome.kind === 'reverted') throw new Error('the loan contract refuses to be read')
  return outcome.data
}

/** Deriving a key takes thousands of hashes: once for a configuration. */
const signers = new WeakMap<Config, ReturnType<typeof createSigner>>()

function signerOf(config: Config): ReturnType<typeof createSigner> {
  const known = signers.get(config)
  if (known !== undefined) return known
  const account = relayerAccount(config.relayerMnemonic, config.chain.id, 0)
  const signer = createSigner(account, config.chain.id)
  signers.set(config, signer)
  return signer
}
