import { afterAll, describe, expect, test } from 'vitest'
import { until } from '../../../scripts/dev/wait.ts'
import { relayerAccount } from '../../../src/relay/keys.ts'
import { ask, dial, newSession, untilBalance } from '../support/caller.ts'
import { accountOf, bindings, fund, processed, rpc } from '../support/ground-truth.ts'

const recipient = '0x00000000000000000000000000000000000a11ce'
const relayer = relayerAccount(bindings.RELAYER_MNEMONIC ?? '', 31, 0).address
const plenty = `0x${(10n ** 20n).toString(16)}`

const give = (wei: string) => rpc('anvil_setBalance', [relayer, wei])

describe('a relayer that runs dry', () => {
  afterAll(() => give(plenty))

  test('takes no payment that it cannot carry, says so, and goes on once it is filled', async () => {
    const caller = '+254700000120'
    await fund(caller, '1')
    await give('0x0')
    // What the key has is kept for some seconds.
    const refused =
      'END Payments are stopped for a moment. Nothing was sent. Please try again later.'
    const session = newSession()
    let paid = 0
    await until(
      async () => {
        const { text } = await dial(caller, `2*${recipient}*0.01`, session + paid)
        if (text === refused) return true
        expect(text).toMatch(/^END Transfer Submitted/)
        paid += 1
        return false
      },
      { everyMs: 1_000 },
    )
    const health = await ask('/healthz')
    expect(await health.json()).toMatchObject({ lastRefused: { reason: 'relayer_poor' } })

    await give(plenty)
    await until(async () => {
      const { text } = await dial(caller, `2*${recipient}*0.5`)
      return text.startsWith('END Transfer Submitted')
    })
    // What was taken before is carried by now, and what was refused is refused for ever.
    expect((await dial(caller, `2*${recipient}*0.01`, session + paid)).text).toBe(refused)
    await untilBalance(caller, `${(0.5 - paid * 0.01).toFixed(2).replace(/0$/, '')}`)
    expect(await processed(await accountOf(caller))).toHaveLength(paid + 1)
  })
})
