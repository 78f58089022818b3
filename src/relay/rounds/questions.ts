import type { Address, Hex } from 'viem'
import type { Head, Receipt } from '../../chain/node.ts'
import type { Payee } from '../../chain/payees.ts'
import { RpcError } from '../../chain/rpc.ts'
import { describeFault } from '../../runtime/log.ts'
import type { SignedRequest } from '../forwarder/requests.ts'
import type { MinedReport } from '../ledger/carrying.ts'
import type { Payment } from '../ledger/payments/payment-states.ts'
import type { IntentExecution } from '../ledger/values.ts'
import { findExecution, type PassedNonce, readMinedReport } from '../outcome/executions.ts'
import { readRequestPayee } from '../outcome/payees.ts'
import { readSettled } from '../outcome/settled-balance.ts'
import { findSpendingBlock, type SearchState } from '../outcome/spent.ts'
import { nodeTimeoutMs, type Relayer } from '../relayer.ts'

/** Tells whether an intent is spent, and by which execution; undefined if it is not found (yet). */
export type Spending = { kind: 'unspent' } | { kind: 'spent'; by: IntentExecution | undefined }

/** Lists all that a stage may ask, with the answers of node and ledger. */
function createAnswers(relayer: Relayer) {
  const { ledger, node, signer, clock } = relayer
  const startTimeout = () => clock.timeout(nodeTimeoutMs)
  const getNextNonce = (at: number | 'latest' | 'pending') =>
    node.getTransactionCount(signer.address, startTimeout(), at)
  return {
    getHead: () => node.getHead(startTimeout()),
    /** Returns a block by its number; undefined if the chain is shorter. */
    getBlock: (number: number) => node.getBlock(number, startTimeout()),
    /** Returns the relayer's next nonce as of a block, or after all that the pool holds. */
    getNextNonce,
    /** Returns it at the highest of ever deeper blocks that is older than `beforeMs`. */
    async getNextNonceBefore(from: number, beforeMs: number): Promise<number> {
      let number = from
      for (let step = 1; number > 0; number -= step, step *= 2) {
        const block = await node.getBlock(number, startTimeout())
        if (block !== undefined && block.timestampSeconds * 1_000 <= beforeMs) break
      }
      return getNextNonce(Math.max(0, number))
    },
    getGasPrice: () => node.getGasPrice(startTimeout()),
    getBalance: () => node.getBalance(signer.address, startTimeout()),
    /** Returns what a passed nonce did; `missing` if none of its transactions has a receipt. */
    readMined: async (passed: PassedNonce): Promise<MinedReport | 'missing'> =>
      (await readMinedReport(relayer, passed, startTimeout())) ?? 'missing',
    /** Returns a receipt; `unproved` if the nodes do not serve it. */
    async getReceipt(hash: Hex): Promise<Receipt | 'unproved'> {
      try {
        return (await node.getReceipt(hash, startTimeout())) ?? 'unproved'
      } catch (error) {
        if (error instanceof RpcError) return 'unproved'
        throw error
      }
    },
    /** Tells whether an intent is spent in a state, and for a queued payment by what. */
    async readSpending({ nonce, order }: Payment, at?: SearchState): Promise<Spending> {
      const isCarried = nonce !== undefined
      const find = isCarried ? findSpendingBlock : findExecution
      const by = await find(relayer, order.request, at)
      if (by === undefined) return { kind: 'unspent' }
      return { kind: 'spent', by: typeof by === 'number' ? undefined : by }
    },
    readSettled: (account: Address, blockHash: Hex) =>
      readSettled(relayer, account, blockHash, startTimeout()),
    readPayee: async (request: SignedRequest): Promise<Payee> =>
      (await readRequestPayee(relayer, request)) ?? 'unknown',
    listBlocks: (above: number) => ledger.listBlocks(above),
    listSigned: () => ledger.listSigned(),
  }
}

type Answers = ReturnType<typeof createAnswers>
type QuestionName = keyof Answers
type Asked<Name extends QuestionName> = Parameters<Answers[Name]>
type Answer<Name extends QuestionName> = Awaited<ReturnType<Answers[Name]>>

/** Is one question. A failure is logged as `event` and answered by undefined, or ends the round. */
export type Question = {
  [Name in QuestionName]: { name: Name; args: Asked<Name>; event: string | undefined }
}[QuestionName]

/** Yields questions, those that do not depend on each other together, and gets their answers. */
export type Asking<Result> = Generator<readonly Question[], Result, readonly unknown[]>

/** Asks one question; a failure ends the round. */
export function* ask<Name extends QuestionName>(
  name: Name,
  ...args: Asked<Name>
): Asking<Answer<Name>> {
  const [answer] = yield* askAll(undefined, name, [args])
  return answer as Answer<Name>
}

/** Asks one question; a failure is logged as this event, and leaves the answer undefined. */
export function* askOrLog<Name extends QuestionName>(
  event: string | undefined,
  name: Name,
  ...args: Asked<Name>
): Asking<Answer<Name> | undefined> {
  const [answer] = yield* askAll(event, name, [args])
  return answer
}

export function* askAll<Name extends QuestionName>(
  event: string | undefined,
  name: Name,
  list: readonly Asked<Name>[],
): Asking<readonly (Answer<Name> | undefined)[]> {
  const answers = yield list.map((args) => ({ name, args, event }) as Question)
  return answers as readonly (Answer<Name> | undefined)[]
}

/** Runs a stage to its end, with the answers of node and ledger. @throws what ends the round */
export async function answerStage<Result>(
  relayer: Relayer,
  stage: Asking<Result>,
): Promise<Result> {
  const answers = createAnswers(relayer) as Record<string, (...args: unknown[]) => Promise<unknown>>
  const answer = async ({ name, args, event }: Question): Promise<unknown> => {
    try {
      return await answers[name]?.(...args)
    } catch (error) {
      if (event === undefined) throw error
      relayer.log({ level: 'warn', event, message: describeFault(error) })
      return undefined
    }
  }
  let step = stage.next([])
  while (!step.done) step = stage.next(await Promise.all(step.value.map(answer)))
  return step.value
}

/** Asks for a block's parent; undefined where the nodes show another block there. */
export function* askParent(event: string | undefined, child: Head): Asking<Head | undefined> {
  const parent = yield* askOrLog(event, 'getBlock', child.number - 1)
  return parent?.hash === child.parentHash ? parent : undefined
}

/** Asks for a block and its ancestors, down to the last wanted one or to one that fails. */
export function* walkDown(from: Head, isLast: (block: Head) => boolean): Asking<Head[]> {
  const walked = [from]
  for (let lowest = from; !isLast(lowest); ) {
    const parent = yield* askParent('follow.failed', lowest)
    if (parent === undefined) break
    walked.push(parent)
    lowest = parent
  }
  return walked
}
