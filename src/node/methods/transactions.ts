import * as z from 'zod/mini'
import { UntrueAnswer } from '../../chain/rpc.ts'
import {
  rawTransaction,
  shapeTransaction,
  type Transaction,
  transaction,
} from '../objects/block.ts'
import { verifyTransaction } from '../objects/encoded-transaction.ts'
import { receipt, shapeReceipt } from '../objects/receipt.ts'
import {
  blockParam,
  hashParam,
  isBlockHash,
  minedBlockOrHashParam,
  quantityParam,
} from '../objects/values.ts'
import { lookUp } from '../reads/lookup.ts'
import { readPendingBlock, readProvedBlock } from '../reads/mined-block.ts'
import { readProvedReceipt, readProvedReceipts } from '../reads/receipts.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { defineMethod } from './method.ts'

export const transactionMethods = [
  defineMethod({
    name: 'eth_getTransactionByHash',
    summary: 'A transaction by its hash',
    params: { hash: hashParam },
    result: z.nullable(transaction),
    isImmutable: (_, isFinal, answer) =>
      Boolean(answer?.blockNumber && isFinal(answer.blockNumber)),
    call: ({ hash }, { ask }) =>
      ask(async (node) => {
        const answer = await lookUpTransaction(node, 'eth_getTransactionByHash', hash)
        if (answer === null) return null
        assertAskedFor(answer, answer.hash === hash)
        await verifyOnNode(node, answer)
        return answer
      }),
  }),
  defineMethod({
    name: 'eth_getTransactionByBlockHashAndIndex',
    summary: 'A transaction by the hash of its block and its position there',
    params: { hash: hashParam, index: quantityParam },
    result: z.nullable(transaction),
    isImmutable: () => true,
    call: ({ hash, index }, { ask }) =>
      ask(async (node) => {
        const name = 'eth_getTransactionByBlockHashAndIndex'
        const answer = await lookUpTransaction(node, name, hash, index)
        return answer && assertAskedFor(answer, answer.blockHash === hash)
      }),
  }),
  defineMethod({
    name: 'eth_getTransactionByBlockNumberAndIndex',
    summary: 'A transaction by the number of its block and its position there',
    params: { block: blockParam, index: quantityParam },
    result: z.nullable(transaction),
    call: ({ block, index }, { ask }) =>
      ask(async (node) => {
        const name = 'eth_getTransactionByBlockNumberAndIndex'
        if (block !== 'pending') return await lookUpTransaction(node, name, block, index)
        // RSKj counts positions in its pool instead of its pending block.
        const entry = (await readPendingBlock(node, true))?.transactions[Number(index)]
        return typeof entry === 'object' ? shapeTransaction(entry, true) : null
      }),
  }),
  defineMethod({
    name: 'eth_getTransactionReceipt',
    summary: 'The receipt of a transaction by its hash',
    params: { hash: hashParam },
    result: z.nullable(receipt),
    isImmutable: (_, isFinal, answer) => answer !== undefined && isFinal(answer.blockNumber),
    call: ({ hash }, context) =>
      context.ask(async (node) => {
        const raw = (await readProvedReceipt(node, hash, context))?.receipt
        if (raw === undefined) return null
        if (raw.effectiveGasPrice) return shapeReceipt(raw, raw.effectiveGasPrice)
        const { gasPrice } = await node.call('eth_getTransactionByHash', [hash], rawTransaction)
        return shapeReceipt(raw, gasPrice)
      }),
  }),
  defineMethod({
    name: 'eth_getBlockReceipts',
    summary: 'The receipts of a block, in the order of its transactions',
    params: { block: minedBlockOrHashParam },
    result: z.nullable(z.array(receipt)),
    isImmutable: ({ block }) => isBlockHash(block),
    call: ({ block }, { ask }) => ask((node) => readBlockReceipts(node, block)),
  }),
]

/** Reads a mined block's receipts, proved if its header is; `null` without the block. */
async function readBlockReceipts(node: UpstreamNode, selector: string) {
  const provedBlock = await readProvedBlock(node, selector, true)
  if (provedBlock === null) return null
  const { block, proof } = provedBlock
  const { receipts } = await readProvedReceipts(node, block, proof?.trieKind)
  return receipts.map((raw, index) => {
    const sent = block.transactions[index]
    const price = typeof sent === 'object' ? sent.gasPrice : '0x0'
    return shapeReceipt(raw, raw.effectiveGasPrice ?? price)
  })
}

async function lookUpTransaction(node: UpstreamNode, name: string, ...params: string[]) {
  const raw = await lookUp(node, name, params, rawTransaction)
  return raw && shapeTransaction(raw)
}

function assertAskedFor<T>(answer: T, isAskedFor: boolean): T {
  if (isAskedFor) return answer
  throw new UntrueAnswer('the answer is about another transaction or block')
}

/** Verifies a transaction; what cannot be found is asked of another node, if there is one. */
async function verifyOnNode(node: UpstreamNode, answer: Transaction): Promise<void> {
  const trieKind = node.kind === 'rskj' ? 'rootstock' : 'ethereum'
  const verdict = await verifyTransaction(answer, trieKind)
  if (verdict === 'unusual') node.markUnproved('unprovable')
  if (verdict === 'unknown') node.markUnproved('unknown_form')
}
