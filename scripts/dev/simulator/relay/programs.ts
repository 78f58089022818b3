import type { Address, Hex } from 'viem'
import type { MemoryStore } from '../../../../src/account/memory.ts'
import { createNode } from '../../../../src/chain/node.ts'
import type { Rpc } from '../../../../src/chain/rpc.ts'
import type { Config } from '../../../../src/compose/config.ts'
import { assembleLoan } from '../../../../src/compose/relay.ts'
import type { Stores } from '../../../../src/compose/runtime.ts'
import { createServices } from '../../../../src/compose/ussd.ts'
import { decodeRefusal, describeLoanRefusal } from '../../../../src/loan/calls.ts'
import type { WholeLedger } from '../../../../src/operator/kept/steps.ts'
import { createIdentityCheck, getIdentity } from '../../../../src/relay/identity.ts'
import type { Relayer } from '../../../../src/relay/relayer.ts'
import type { Signer } from '../../../../src/relay/signer.ts'
import type { Clock } from '../../../../src/runtime/clock.ts'
import type { Log } from '../../../../src/runtime/log.ts'
import { createUssdHandler, type UssdHandler } from '../../../../src/ussd/handler.ts'
import type { Services } from '../../../../src/ussd/services.ts'
import { usualTimes } from '../../menu-ways.ts'
import type { Setup } from '../draw/setup.ts'
import { digest } from '../model/hashing.ts'
import { blockWork } from '../model/model-node.ts'
import type { Signing } from '../model/signing.ts'
import { localCurrency } from '../money.ts'
import { forwarderAddress, loanAddress, simulatedChainId } from '../setting.ts'

/** Holds what a program of the relay needs; `step` does its own work, and may be its end. */
export type Parts = {
  setup: Pick<
    Setup,
    | ('limits' | 'preflight' | 'rules' | 'maxGasPriceWei' | 'unit' | 'isLocal')
    | ('isAssuring' | 'unproved' | 'finalAtOnce')
  >
  signing: Pick<Signing, 'caller'>
  signer: Signer
  clock: Clock
  rpc: Rpc
  log: Log
  /** Answers for the price feed. */
  feed?: typeof fetch
  step: <Answer>(what: string, work: () => Promise<Answer>) => Promise<Answer>
}

/** Holds what callers are shown, and where it is remembered. */
export type Product = Pick<Services, 'settings'> &
  Partial<
    Pick<
      Services,
      'unit' | 'minTransferWei' | 'waitUntil' | 'smsSeals' | 'readRate' | 'claimDeposit'
    >
  > & {
    memory?: MemoryStore
  }

/** Remembers nothing: it is asked for no memory. */
const demonstration: Product = {
  settings: { ...usualTimes, profile: 'demo', confirms: false, pin: 'off', languages: [] },
}

export const gatewayName = 'africas-talking'

/** Of nobody: no history depends on it. */
export const secret: Hex = `0x${'55'.repeat(32)}`

export const forwarder = { chainId: simulatedChainId, address: forwarderAddress }

/** Assembles the USSD service of one isolate, with accounts and keys that cost little. */
export function createService(
  parts: Parts & Pick<Stores, 'ledger' | 'accept'>,
  { memory = {} as MemoryStore, ...shown }: Product = demonstration,
): UssdHandler {
  const { setup, signing, clock, log, step, feed = fetch } = parts
  const relayer = createRelayer(parts, parts.ledger)
  const config = {
    chain: { id: simulatedChainId },
    unit: setup.unit,
    loan: loanAddress,
    accountIdSecret: secret,
    accountKeySecret: secret,
    pinSecret: shown.settings.pin === 'off' ? undefined : secret,
    preflight: setup.preflight,
    finalAtOnce: setup.finalAtOnce,
    limits: { minTransferWei: 0n, ...setup.limits },
    menu: shown.settings,
    rateFeed: setup.isLocal && { url: '', currency: localCurrency, maxChangePercent: 25 },
  } as unknown as Config
  const runtime = { clock, log, fetch: feed, waitUntil: () => {} }
  const stores = { ...parts, memory: () => memory }
  return createUssdHandler({
    ...createServices({ config, runtime, relayer, stores }),
    async accounts(phone) {
      const { signTypedData, ...account } = signing.caller(phone)
      return { ...account, signTypedData: (data) => step('request', () => signTypedData(data)) }
    },
    keys: {
      hashSession: (...session) => sessionKey(...session),
      hashInput: (session, text) => digest('input', session, text),
    },
    intentKeys: (...session) => intentKey(...session),
    identity: createIdentityCheck(relayer.ledger, clock, async () => getIdentity(relayer)),
    ...shown,
  })
}

export function createRelayer({ setup, signer, rpc, clock, log }: Parts, ledger: WholeLedger) {
  const node = createNode(rpc)
  const loan = assembleLoan({ loan: loanAddress }, { node, clock })
  return {
    ledger,
    node,
    readSettled: setup.isAssuring ? loan.readSettled : undefined,
    signer,
    forwarder,
    rules: setup.rules,
    fees: { maxWei: setup.maxGasPriceWei },
    proofs: setup.unproved === 'believed' ? undefined : { minDifficulty: blockWork, from: 0 },
    clock,
    log,
    describeReason: (revertData) => describeLoanRefusal(decodeRefusal(revertData)),
  } satisfies Relayer
}

export function intentKey(gateway: string, sessionId: string, account: Address): Hex {
  return digest('intent', gateway, sessionId, account.toLowerCase())
}

export function sessionKey(gateway: string, sessionId: string, account: Address): string {
  return digest('session', gateway, sessionId, account.toLowerCase())
}
