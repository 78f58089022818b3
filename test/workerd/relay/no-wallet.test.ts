import { describe, expect, test } from 'vitest'
import { until } from '../../../scripts/dev/wait.ts'
import { dial, newSession } from '../support/caller.ts'
import { accountOf, balanceOnChain, fund, processed, rpc } from '../support/ground-truth.ts'

const lender = { PROFILE: 'lender', PIN: 'off' }
const contract = `0x${'c0'.repeat(20)}`
const delegating = `0x${'d0'.repeat(20)}`
const refused = /^END This address is a contract, not a wallet\. Nothing was sent\./

const paidTo = async (address: string) =>
  BigInt((await rpc('eth_getBalance', [address, 'latest'])) as string)

describe.for(['on', 'off'])('with PREFLIGHT=%s', (preflight) => {
  const dialWith = async (caller: string, text: string) =>
    (await dial(caller, text, newSession(), { ...lender, PREFLIGHT: preflight })).text

  test('a contract that takes currency is paid and credited nothing', async () => {
    const caller = `+25470000${preflight === 'on' ? '0501' : '0502'}`
    await fund(caller, '1')
    // It stops at once, with whatever it is sent, as a wrapped token's fallback does.
    await rpc('anvil_setCode', [contract, '0x00'])
    expect(await dialWith(caller, `7*${contract}*0.01*1`)).toMatch(refused)
    expect(await dialWith(caller, `2*${contract}*0.01*1`)).toMatch(refused)
    expect(await dialWith(caller, `2*${contract}*0.01*2`)).toMatch(refused)
    expect(await processed(await accountOf(caller))).toEqual([])
    expect([await paidTo(contract), await balanceOnChain(contract as `0x${string}`)]).toEqual([
      0n,
      '0',
    ])
  })

  test('a wallet that delegates to a contract is paid (EIP-7702)', async () => {
    const caller = `+25470000${preflight === 'on' ? '0503' : '0504'}`
    await fund(caller, '1')
    await rpc('anvil_setCode', [delegating, `0xef0100${'ab'.repeat(20)}`])
    const before = await paidTo(delegating)
    expect(await dialWith(caller, `7*${delegating}*0.01*1`)).toMatch(/^END Cash Out Submitted/)
    await until(async () => (await paidTo(delegating)) === before + 10n ** 16n, { everyMs: 100 })
  })
})
