import { execFile } from 'node:child_process'
import { type Address, encodeFunctionData, type Hex, parseEther } from 'viem'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startChain, type TestChain } from '../../../scripts/dev/chain.ts'
import { rpcTo } from '../../../scripts/dev/rpc.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { callerAccount } from '../../../src/account/keys.ts'
import { numberingFingerprint } from '../../../src/account/numbering.ts'
import type { PhoneNumber } from '../../../src/account/phone.ts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { type Deployment, openDeployment, serveApp } from '../../support/deployment.ts'

const token = 'the-token-of-this-test'

let chain: TestChain

beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.stop())

/** A deployment whose ledger was begun under a table that had no such change. */
async function openChanged(): Promise<Deployment> {
  const variables = { ...chain.bindings, OPERATOR_TOKEN: token }
  const deployment = openDeployment({ variables, database: ':memory:' })
  await deployment.ledger.identify({ chainId: 31, fingerprints: { NUMBERING: 'before' } })
  return deployment
}

/** Gives the account that a number has in this form 1 of the currency. */
async function accountOf(form: string): Promise<Address> {
  const secret = chain.bindings.ACCOUNT_KEY_SECRET as Hex
  const { address } = await callerAccount(secret, form as PhoneNumber)
  const rpc = rpcTo(chain.anvil.url)
  const [from] = (await rpc('eth_accounts')) as string[]
  const data = encodeFunctionData({
    abi: microLoanAbi,
    functionName: 'depositFor',
    args: [address],
  })
  const value = `0x${parseEther('1').toString(16)}`
  await rpc('eth_sendTransaction', [{ from, to: chain.loan, data, value }])
  return address
}

async function dial({ ask }: Deployment, phoneNumber: string, text: string): Promise<string> {
  const body = new URLSearchParams({ phoneNumber, sessionId: `${phoneNumber} ${text}`, text })
  return `${(await ask('/ussd', { method: 'POST', body })).body}`
}

/** `npm run account -- alias`, with these lines on its standard input. */
async function alias(
  deployment: Deployment,
  args: readonly string[],
  lines: readonly string[] = [],
) {
  const server = await serveApp(deployment)
  const script = new URL('../../../scripts/ops/account-cli.ts', import.meta.url).pathname
  const told = new Promise<{ code: number; output: string }>((resolve) => {
    const env = { ...process.env, OPERATOR_TOKEN: token }
    const child = execFile(
      process.execPath,
      [script, 'alias', '--url', server.url, ...args],
      { env },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : 1, output: stdout + stderr }),
    )
    child.stdin?.end(lines.join('\n'))
  })
  return told.finally(() => server.close())
}

describe('a changed table of numbering changes', () => {
  test('serves nobody until numbers keep the accounts that they opened under a former form', async ({
    expect,
  }) => {
    const deployment = await openChanged()
    const [former, present] = ['+2207000011', '+220877000011']
    await accountOf(former)
    expect(await dial(deployment, former, '1')).toBe('END This service is not in operation.')
    const health = await deployment.ask('/healthz')
    expect(health.body).toMatchObject({ failing: expect.arrayContaining(['identity']) })

    const lines = ['+2207000012', former, '', '+254700000012']
    expect(await alias(deployment, [], lines)).toEqual({
      code: 0,
      output: '1 numbers keep the account of a former form. The service serves with this table.\n',
    })
    for (const form of [former, present]) {
      expect(await dial(deployment, form, '1')).toBe('END Your Balance: 1 tRBTC')
    }
    // What is sent to either form is where its owner looks.
    const sender = '+254700000011'
    await accountOf(sender)
    for (const [index, form] of [former, present].entries()) {
      expect(await dial(deployment, sender, `2*${form}*0.2${index}`)).toContain(
        'END Transfer Submitted',
      )
    }
    expect(
      (await deployment.ledger.audit(9)).map(({ action, detail }) => [action, detail]),
    ).toEqual([['alias', { numbering: numberingFingerprint(), kept: '1' }]])
    await until(
      async () => (await dial(deployment, present, '1')) === 'END Your Balance: 1.41 tRBTC',
    )
    expect(JSON.stringify(deployment.events)).not.toContain(former.slice(4))
    expect(await alias(deployment, [], [former])).toMatchObject({
      ...{ code: 1, output: expect.stringContaining('pause them first') },
    })
  })

  test('serves where an operator says that there are none', async ({ expect }) => {
    const deployment = await openChanged()
    expect(await alias(deployment, ['--none'])).toMatchObject({ code: 0 })
    expect(await dial(deployment, '+254700000013', '')).toMatch(/^CON/)
    expect(await deployment.ledger.audit(9)).toMatchObject([{ detail: { kept: '0' } }])
  })

  test('does not serve while a number has two accounts in use', async ({ expect }) => {
    const deployment = await openChanged()
    const forms = ['+2207000014', '+220877000014'] as const
    const [, present] = [await accountOf(forms[0]), await accountOf(forms[1])]
    const told = await alias(deployment, [], [forms[0]])
    expect(told).toEqual({
      code: 1,
      output: `${present}: two accounts of this number are in use.\nMove what is in one of each to the other (alias --record), and run this once more.\n`,
    })
    expect(await dial(deployment, forms[1], '1')).toBe('END This service is not in operation.')
    expect(await alias(deployment, [], ['7000014'])).toMatchObject({ code: 1 })
  })
})
