import { createPublicClient, http } from 'viem'
import { describe, expect, test } from 'vitest'
import { readUnit } from '../../../scripts/contracts/reads.ts'
import { startAnvil } from '../../../scripts/dev/anvil.ts'
import { startLoopbackServer } from '../../../scripts/dev/loopback-server.ts'
import { startRootstockPool } from '../../../scripts/dev/rootstock-pool/start.ts'
import { createCoinUnit } from '../../../src/loan/amounts.ts'
import { opened } from '../../support/opened.ts'

const anvil = opened(() => startAnvil())
const rootstock = opened(() => startRootstockPool({ anvilUrl: anvil.url }))
const loan = '0x00000000000000000000000000000000000000bb'
/** Reverts without data, as a contract does that lacks the function. */
const revert = '0x5f5ffd'

const unitAt = (url: string) =>
  readUnit(createPublicClient({ transport: http(url, { retryCount: 0 }) }), loan, 'tRBTC')

describe('what a loan contract counts', () => {
  test('is the currency where it has no token, whatever the node says of a revert', async () => {
    await anvil.ask('anvil_setCode', [loan, revert])
    for (const { url } of [anvil, rootstock]) {
      expect(await unitAt(url)).toEqual(createCoinUnit('tRBTC'))
    }
    await anvil.ask('anvil_setCode', [loan, '0x'])
    expect(await unitAt(anvil.url)).toEqual(createCoinUnit('tRBTC'))
  })

  test.for<[what: string, status: number, error: { code: number; message: string }]>([
    ['has an internal error', 200, { code: -32603, message: 'Internal error' }],
    ['runs out of gas', 200, { code: -32015, message: 'VM Exception: out of gas' }],
    ['asks for less', 200, { code: -32005, message: 'limit exceeded' }],
    ['is down', 502, { code: -1, message: 'execution reverted' }],
  ])('is not known from a node that %s', async ([, status, error]) => {
    const server = await startLoopbackServer(async (_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(status === 200 ? JSON.stringify({ jsonrpc: '2.0', id: 0, error }) : 'down')
    })
    await expect(unitAt(server.url)).rejects.toThrow()
    await server.close()
  })
})
