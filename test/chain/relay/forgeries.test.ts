import { createPublicClient, type Hex, hexToBytes, http, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { loanAt } from '../../../scripts/contracts/reads.ts'
import { startChain } from '../../../scripts/dev/chain.ts'
import { setTerms } from '../../../scripts/dev/relays/callers.ts'
import type { RpcCall } from '../../../scripts/dev/rpc.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { createCallerAccounts } from '../../../src/account/caller-accounts.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import { poolRules } from '../../../src/chain/chains.ts'
import { createNode } from '../../../src/chain/node.ts'
import { encodeCall, type LoanCall } from '../../../src/loan/calls.ts'
import {
  decodeResults,
  deriveIntentId,
  encodeExecute,
  type SignedRequest,
  signRequest,
} from '../../../src/relay/forwarder/requests.ts'
import {
  findExecution,
  type PassedNonce,
  readMinedReport,
} from '../../../src/relay/outcome/executions.ts'
import { findSpendingBlock } from '../../../src/relay/outcome/spent.ts'
import type { Relayer } from '../../../src/relay/relayer.ts'
import { createSigner } from '../../../src/relay/signer.ts'
import { createKeyAccount } from '../../../src/runtime/key-account.ts'
import { openMemoryRelayer } from '../../ports/ledger-memory.ts'
import { openDeployment } from '../../support/deployment.ts'
import { opened } from '../../support/opened.ts'

/** Is a key that the forwarder's owner allowed, and that a thief has too. */
const thief = createKeyAccount(
  hexToBytes('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'),
)
const recipient = privateKeyToAccount(generatePrivateKey()).address

const chain = opened(() => startChain([], [thief.address]))
const ask: RpcCall = (method, params) => chain.anvil.ask(method, params)
let relayer: Relayer

beforeAll(() => {
  relayer = openMemoryRelayer({
    node: createNode(ask),
    signer: createSigner(thief, 31),
    forwarder: { chainId: 31, address: chain.forwarder },
    rules: poolRules.anvil,
    now: Date.now,
    describeReason: () => 'reverted',
  }).relayer
})

function caller() {
  const account = privateKeyToAccount(generatePrivateKey())
  const intentId = deriveIntentId(relayer.forwarder, generatePrivateKey())
  return {
    account,
    intentId,
    asks: (call: LoanCall, id = intentId, more: object = {}): Promise<SignedRequest> =>
      signRequest(account, relayer.forwarder, {
        from: account.address,
        intentId: id,
        gas: 150_000,
        deadline: Math.floor(Date.now() / 1000) + 2 * 60 * 60,
        data: encodeCall(call),
        ...more,
      }),
  }
}

async function send(requests: readonly SignedRequest[]) {
  const nonce = Number(await ask('eth_getTransactionCount', [thief.address, 'latest']))
  const transaction = relayer.signer.sign({
    nonce,
    to: chain.forwarder,
    data: encodeExecute(requests),
    gas: 300_000 * requests.length,
    gasPriceWei: parseEther('3', 'gwei'),
  })
  await ask('eth_sendRawTransaction', [transaction.raw])
  await until(async () => (await ask('eth_getTransactionReceipt', [transaction.hash])) !== null)
  return { nonce, transactions: [transaction], sessions: ['session'] }
}

/** Parses a transaction that passed, of which the ledger says that it carries this request. */
const passed = (sent: Omit<PassedNonce, 'requests'>, wanted: SignedRequest) =>
  readMinedReport(relayer, { ...sent, requests: new Map([['session', wanted]]) }, signal())

const signal = () => AbortSignal.timeout(10_000)
const terms = { principalWei: parseEther('0.01'), feeWei: 0n, termSeconds: 30 * 86_400 }
const loan: LoanCall = { kind: 'loan', ...terms }
const transfer: LoanCall = { kind: 'transfer', to: recipient, amountWei: 5n }

describe("with a stolen relayer's key", () => {
  test("a request of the thief's own spends no intent of a caller, whatever id it has", async () => {
    const [alice, mallory] = [caller(), caller()]
    const wanted = await alice.asks(loan)
    const forged = await send([await mallory.asks(loan, alice.intentId)])

    expect(await findSpendingBlock(relayer, wanted)).toBeUndefined()
    expect(await findExecution(relayer, wanted)).toBeUndefined()
    const seen = await passed(forged, wanted)
    expect(seen).toMatchObject({ nonce: forged.nonce })
    expect(seen?.executions).toEqual({})

    const own = await send([wanted])
    const execution = (await passed(own, wanted))?.executions.session
    expect(execution?.outcome).toBe('executed')
    const found = await findExecution(relayer, wanted)
    expect(found?.executed).toEqual(wanted)
    expect(execution).toEqual({ ...found, signature: wanted.signature })
  })

  test('an older request of a caller is not taken for the one beside which the thief shows it', async () => {
    const alice = caller()
    const [older, wanted] = [await alice.asks(loan), await alice.asks(transfer)]
    const unsigned = { ...wanted, signature: older.signature }
    const batch = await send([unsigned, older, unsigned])

    const found = await findExecution(relayer, wanted)
    expect(found).toMatchObject({ outcome: 'executed', executed: older })
    // What was executed is told, not what the payment's row asks for.
    const execution = (await passed(batch, wanted))?.executions.session
    expect(execution).toEqual({ ...found, signature: wanted.signature })
  })

  test('no event decides that names a bad signature, a passed deadline or another signer', async () => {
    const [alice, mallory] = [caller(), caller()]
    const wanted = await alice.asks(transfer)
    const { signature } = await mallory.asks(transfer, alice.intentId)
    const unsigned = { ...wanted, signature }
    const expired = await alice.asks(loan, alice.intentId, { deadline: 1 })
    const others = await mallory.asks(loan, alice.intentId)
    const forged = await send([unsigned, expired, others])
    const [receipt] = await Promise.all(
      forged.transactions.map(({ hash }) => relayer.node.getReceipt(hash, signal())),
    )
    const statuses = decodeResults(relayer.forwarder, receipt?.logs ?? []).map((one) => one.status)
    expect(statuses).toEqual(['bad_signature', 'expired', 'executed'])
    expect(await findExecution(relayer, wanted)).toBeUndefined()
    expect((await passed(forged, wanted))?.executions).toEqual({})

    // In one block with what was executed they still decide nothing.
    const batch = await send([unsigned, expired, await alice.asks(loan), unsigned])
    const found = await findExecution(relayer, wanted)
    expect(found).toMatchObject({ outcome: 'executed', executed: { data: encodeCall(loan) } })
    const execution = (await passed(batch, wanted))?.executions.session
    expect(execution).toEqual({ ...found, signature: wanted.signature })
  })

  test('what spent an intent is read from one block, and its absence there is an error', async () => {
    const alice = caller()
    const wanted = await alice.asks(loan)
    await send([wanted])
    const asked: unknown[] = []
    const getLogs: Relayer['node']['getLogs'] = async (filter) => {
      asked.push(filter)
      return []
    }
    const forgetful = { ...relayer, node: { ...relayer.node, getLogs } }
    await expect(findExecution(forgetful, wanted)).rejects.toThrow('its event is missing')
    const { number } = await relayer.node.getHead(signal())
    expect(asked).toMatchObject([{ fromBlock: number, toBlock: number }])
  })

  test('an intent that the forwarder has forgotten is found by its event', async () => {
    const wanted = await caller().asks(loan)
    await send([wanted])
    const { hash: blockHash, ...head } = await relayer.node.getHead(signal())
    const call = async () => ({ kind: 'returned', data: `0x${'00'.repeat(64)}` }) as const
    const forgetful = { ...relayer, node: { ...relayer.node, call } }
    const later = { ...head, hash: blockHash, blockHash, timestampSeconds: wanted.deadline * 2 }
    expect(await findSpendingBlock(forgetful, wanted, later)).toBe(head.number)
  })
})

test('a loan whose terms the owner changes after they were shown is not issued, and its session says so', async () => {
  const phone = '+254700000042'
  const deployment = openDeployment({ variables: chain.bindings })
  const session = { phoneNumber: phone, sessionId: `shown ${phone}`, text: '3' }
  const body = new URLSearchParams(session)
  const dial = async () => (await deployment.ask('/ussd', { method: 'POST', body })).body
  await ask('evm_setAutomine', [false])
  expect(await dial()).toContain(' tRBTC credited shortly.')
  const first = { gasPrice: parseEther('900', 'gwei') }
  await setTerms(chain, { principal: parseEther('0.005') }, first)
  await ask('evm_mine', [])
  await ask('evm_setAutomine', [true])
  await deployment.settled()
  await until(async () => {
    await deployment.round()
    return deployment.events.some(({ message }) => /^Loan .*: /.test(message ?? ''))
  })
  const messages = deployment.events.map(({ message }) => message)
  expect(messages).toContain('Loan failed on-chain: Loan terms changed')
  const secret = chain.bindings.ACCOUNT_KEY_SECRET as Hex
  const loan = loanAt(createPublicClient({ transport: http(chain.anvil.url) }), chain.loan)
  const { address } = await createCallerAccounts(secret)(parseCaller(phone) as PhoneNumber)
  expect(await loan.loanOf([address])).toBe(0n)
  expect(await dial()).not.toContain('credited shortly')
})
