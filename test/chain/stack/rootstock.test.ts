import { parseEther } from 'viem'
import { expect, test } from 'vitest'
import { rpcTo } from '../../../scripts/dev/rpc.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { balanceOf, createDevFolder, dial, runCommand, startStack } from './stack-process.ts'

const [alice, bob, carol] = ['+254700000001', '+254700000002', '+254700000009']

test('a start with --rootstock pays by the rules of its pool, on a chain that is kept', async () => {
  const folder = createDevFolder()
  const start = await startStack(folder, { args: ['--rootstock'] })
  expect(start.output()).toMatch(/Started a Rootstock pool at http:.*: a block every 3 s/)
  const { relayUrl, nodeUrl, rpcUrl, contracts } = start.stack()
  const call = rpcTo(nodeUrl)
  expect(await call('web3_clientVersion')).toMatch(/^RskJ/)
  expect(await rpcTo(rpcUrl)('eth_gasPrice')).toBe('0x3ef1480')

  const balance = (phone: string) => balanceOf(folder, nodeUrl, contracts.loan, phone)
  const text = `2*${bob}*0.25`
  const paid = await dial(relayUrl, { sessionId: 's1', phoneNumber: alice, text })
  expect(paid).toMatch(/^END Transfer Submitted\n/)
  await until(async () => (await balance(bob)) === parseEther('1.25'))

  const funded = await runCommand(folder, 'money/fund.ts', [carol, '0.5'])
  expect(funded.code, funded.output).toBe(0)
  expect(await balance(carol)).toBe(parseEther('0.5'))
  await start.interrupt()

  const plain = await startStack(folder)
  const again = plain.stack()
  expect(await rpcTo(again.nodeUrl)('web3_clientVersion')).toMatch(/^anvil/)
  expect(await dial(again.relayUrl, { sessionId: 's1', phoneNumber: alice, text })).toBe(paid)
  expect(await balanceOf(folder, again.nodeUrl, contracts.loan, bob)).toBe(parseEther('1.25'))
  await plain.interrupt()
})

test('--rootstock and NODE_URL exclude each other', async () => {
  const start = await startStack(createDevFolder(), {
    args: ['--rootstock'],
    env: { NODE_URL: 'http://127.0.0.1:1' },
  })
  const { code, output } = await start.ended
  expect(code).toBe(1)
  expect(output).toContain('--rootstock puts its pool before the local chain, not before NODE_URL.')
})
