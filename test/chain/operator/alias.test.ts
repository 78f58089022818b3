import { describe, expect, test } from 'vitest'
import { startChain } from '../../../scripts/dev/chain.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { account } from '../../../scripts/ops/account-cli.ts'
import { computeNumberingFingerprint } from '../../../src/account/numbering.ts'
import { opened } from '../../support/opened.ts'
import { dial, give, type Operated, openOperated } from './operating.ts'

const chain = opened(() => startChain())

/** Opens a deployment whose ledger began under a table without this change. */
async function openChanged(): Promise<Operated> {
  const deployment = openOperated(chain)
  await deployment.ledger.identify({ chainId: 31, fingerprints: { NUMBERING: 'before' } })
  return deployment
}

const accountOf = (form: string) => give(chain, form)
const dialAt = (deployment: Operated, phone: string, text: string) =>
  dial(deployment, { phone, sessionId: `${phone} ${text}`, text })

/** `npm run ops -- account alias`, with these lines on its standard input. */
const alias = ({ operate }: Operated, args: readonly string[], lines: readonly string[] = []) =>
  operate(account, ['alias', ...args], { input: lines.join('\n') })

describe('a changed table of numbering changes', () => {
  test('serves no caller until numbers keep the accounts of their former forms', async () => {
    const deployment = await openChanged()
    const [former, present] = ['+2207000011', '+220877000011']
    await accountOf(former)
    expect(await dialAt(deployment, former, '1')).toBe('END This service is not in operation.')
    const health = await deployment.ask('/healthz')
    expect(health.body).toMatchObject({ failing: expect.arrayContaining(['identity']) })

    const lines = ['+2207000012', former, '', '+254700000012']
    expect(await alias(deployment, [], lines)).toEqual({
      code: 0,
      output: '1 numbers keep the account of a former form. The service serves with this table.\n',
    })
    for (const form of [former, present]) {
      expect(await dialAt(deployment, form, '1')).toBe('END Your Balance: 1 tRBTC')
    }
    // What is sent to either form is where its owner looks.
    const sender = '+254700000011'
    await accountOf(sender)
    for (const [index, form] of [former, present].entries()) {
      const screen = await dialAt(deployment, sender, `2*${form}*0.2${index}`)
      expect(screen).toContain('END Transfer Submitted')
    }
    expect(
      (await deployment.ledger.listAudit({ limit: 9 })).entries.map(({ action, detail }) => [
        action,
        detail,
      ]),
    ).toEqual([['alias', { numbering: computeNumberingFingerprint(), kept: '1' }]])
    await until(
      async () => (await dialAt(deployment, present, '1')) === 'END Your Balance: 1.41 tRBTC',
    )
    expect(JSON.stringify(deployment.events)).not.toContain(former.slice(4))
    expect(await alias(deployment, [], [former])).toMatchObject({
      ...{ code: 1, output: expect.stringContaining('pause them first') },
    })
  })

  test('does not serve while a number has two accounts in use', async () => {
    const deployment = await openChanged()
    const forms = ['+2207000014', '+220877000014'] as const
    const [, present] = [await accountOf(forms[0]), await accountOf(forms[1])]
    const inUse = `${present}: two accounts of this number are in use.\n`
    const remedy =
      'Move what is in one of each to the other (alias --record), and run this once more.\n'
    const told = await alias(deployment, [], [forms[0]])
    expect(told).toEqual({ code: 1, output: inUse + remedy })
    expect(await dialAt(deployment, forms[1], '1')).toBe('END This service is not in operation.')
    expect(await alias(deployment, [], ['7000014'])).toMatchObject({ code: 1 })
    // An operator says that there are none.
    expect(await alias(deployment, ['--none'])).toMatchObject({ code: 0 })
    expect(await dialAt(deployment, '+254700000013', '')).toMatch(/^CON/)
    expect((await deployment.ledger.listAudit({ limit: 1 })).entries).toMatchObject([
      { detail: { kept: '0' } },
    ])
  })
})
