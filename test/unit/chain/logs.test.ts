import { expect, test } from 'vitest'
import { type BlockRange, readLogs } from '../../../src/chain/logs.ts'
import { RpcError } from '../../../src/chain/rpc.ts'

const listBlocks = ({ from, to }: BlockRange) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

test('logs come each once and in order where a node refuses a dense region, and parts grow after it', async () => {
  const range = { from: 7, to: 9_000 }
  for (const words of ['too many blocks', 'no']) {
    const asked: number[] = []
    const found: number[] = []
    const ask = async ({ from, to }: BlockRange) => {
      asked.push(to - from + 1)
      const isDense = to - from >= 3 && from < 2_000 && to > 1_980
      return isDense ? new RpcError(-32000, words) : listBlocks({ from, to })
    }
    for await (const { to, logs } of readLogs(range, ask)) {
      found.push(...logs)
      expect(found.at(-1)).toBe(to)
    }
    expect(found).toEqual(listBlocks(range))
    expect(Math.max(...asked)).toBe(2_000)
    expect(asked.length).toBeLessThan(80)
  }
})
