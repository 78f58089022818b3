import { type Hex, numberToHex } from 'viem'
import { expect, test } from 'vitest'
import { createCoinUnit } from '../../../src/loan/amounts.ts'
import { updateLoanBook } from '../../../src/operator/actions/loans.ts'
import { account, openMemoryRelayer } from '../../ports/ledger-memory.ts'
import { lentTo } from '../../ports/payments.ts'

const block: Hex = `0x${'1'.repeat(64)}`
const loan = account.address

const issued = (number: number) => ({
  ...{ address: loan, transactionHash: block, blockHash: block, blockNumber: numberToHex(number) },
  ...lentTo(loan, 1_000),
})

test('two requests that book at a time book each event once', async () => {
  const booked: Promise<unknown>[] = []
  const { relayer } = openMemoryRelayer({
    now: Date.now,
    answers: {
      eth_getBlockByNumber: () => ({
        ...{ number: '0x1770', hash: block, parentHash: block, timestamp: '0x1' },
        transactions: [],
      }),
      eth_call: () => '0x01',
      eth_getLogs: async ([range]) => {
        // While the first part is read, another request books it and all that follow.
        if (booked.length === 0) {
          booked.push(updateLoanBook(options))
          await Promise.all(booked)
        }
        const { fromBlock, toBlock } = range as { fromBlock: Hex; toBlock: Hex }
        return [10, 2_500, 4_500]
          .filter((number) => number >= Number(fromBlock) && number <= Number(toBlock))
          .map(issued)
      },
    },
  })
  const options = { deployment: { loan, unit: createCoinUnit('tRBTC') }, relayer }
  expect(await updateLoanBook(options)).toMatchObject({ book: { sums: { loans: 3 } } })
})
