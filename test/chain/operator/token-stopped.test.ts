import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import { devKey } from '../../../scripts/dev/anvil.ts'
import { startChain } from '../../../scripts/dev/chain.ts'
import { createRpcCall } from '../../../scripts/dev/rpc.ts'
import { examine } from '../../../scripts/ops/doctor.ts'
import { openNode } from '../../../scripts/stack/chain/node.ts'
import { createTreasury } from '../../../scripts/stack/money/treasury.ts'
import { createNode } from '../../../src/chain/node.ts'
import { createTokenReader } from '../../../src/operator/chain-state/contracts.ts'
import { systemClock } from '../../../src/runtime/clock.ts'
import { type DeploymentOptions, serveApp } from '../../support/deployment.ts'
import { opened } from '../../support/opened.ts'
import { dial, openOperated, token as operatorToken } from './operating.ts'

const chain = opened(() => startChain([], [], true))
const getToken = () => chain.unit.token?.address as Hex

const abi = parseAbi(['function behave(uint8)', 'function setBlocked(address, bool)'])
/** Are ways of `contracts/test/support/Tokens.sol`. */
const ways = { honest: 0, returnsNothing: 1, returnsFalse: 2, pauses: 6 }
const behave = (way: keyof typeof ways) =>
  tellToken(encodeFunctionData({ abi, functionName: 'behave', args: [ways[way]] }))
const setBlocked = (isBlocked: boolean) =>
  tellToken(encodeFunctionData({ abi, functionName: 'setBlocked', args: [chain.loan, isBlocked] }))

async function tellToken(data: Hex) {
  const node = await openNode([chain.anvil.url], 31)
  await createTreasury(node, devKey).send({ to: getToken(), data })
}

/** Reads the token as the pool of this address would. */
function readAs(loan: Address) {
  const call = createRpcCall(chain.anvil.url)
  const node = createNode((method, params) => call(method, params))
  return createTokenReader({ loan, unit: chain.unit })?.({ node, clock: systemClock })
}

/** Answers `paused()` with true, and reverts all other calls. */
const pausedCode = '0x5f3560e01c635c975abb146011575f5ffd5b60015f5260205ff3'

const open = (options: Omit<DeploymentOptions, 'variables'> = {}) =>
  openOperated(chain, { PROFILE: 'demo' }, options)

/** Reads all facts anew, by rounds, and returns what operators are told of the token. */
async function look(deployment: ReturnType<typeof open>) {
  for (let minute = 0; minute < 4; minute++) {
    deployment.pass(60_000)
    await deployment.round()
    await deployment.settled()
  }
  const { contracts, alerts, health } = await deployment.status()
  const { url, close } = await serveApp(deployment)
  const findings = await examine(url, { OPERATOR_TOKEN: operatorToken }).finally(close)
  return {
    token: contracts.token,
    failing: health.failing,
    alerts: alerts.flatMap(({ name, says, overSince }) =>
      overSince === null ? [`${name}: ${says}`] : [],
    ),
    doctor: findings.flatMap(({ name, state, says }) =>
      name === 'token' || (name === 'alert' && state === 'bad')
        ? [`${state} ${name}: ${says}`]
        : [],
    ),
  }
}

const well = { failing: [], alerts: [], doctor: ['ok token: It lets the pool pay and be paid.'] }

describe('a token that no longer moves', () => {
  test.for<[what: string, stop: () => Promise<void>, resume: () => Promise<void>]>([
    ['blocks the pool', () => setBlocked(true), () => setBlocked(false)],
    ['has a pause of another name', () => behave('pauses'), () => behave('honest')],
    ['answers no', () => behave('returnsFalse'), () => behave('returnsNothing')],
  ])(
    'is named by an alert, with its remedy, where it %s, and stops no transfer',
    async ([, stop, resume]) => {
      const deployment = open()
      expect(await look(deployment)).toEqual({ token: 'moves', ...well })
      await stop()
      const words = `The token USD \\(${getToken()}\\) refuses to move what the pool .* holds: .*`
      const remedy = 'Only the issuer can end that: ask it. .*`npm run ops -- pool pause`'
      const named = (name: string) => [expect.stringMatching(`^${name}: ${words}${remedy}`)]
      const alerts = named('token_stopped')
      const stopped = { token: 'refused', failing: [], alerts, doctor: named('bad alert') }
      expect(await look(deployment)).toEqual(stopped)
      const loan = { phone: '+254700000072', sessionId: `loan, then ${stop}`, text: '3' }
      expect(await dial(deployment, loan)).toMatch(/^END (Loan Requested|You already have a loan)/)
      const sent = { ...loan, sessionId: `sent, then ${stop}`, text: '2*+254700000073*1' }
      await deployment.allDone()
      expect(await dial(deployment, sent)).toMatch(/^END Transfer Submitted/)
      await deployment.allDone()
      await resume()
      expect(await look(deployment)).toEqual({ token: 'moves', ...well })
    },
  )

  test('is called paused where it says so itself', async () => {
    const deployment = open()
    const code = await chain.anvil.ask('eth_getCode', [getToken(), 'latest'])
    await chain.anvil.ask('anvil_setCode', [getToken(), pausedCode])
    const { token, alerts } = await look(deployment)
    expect(token).toBe('paused')
    expect(alerts).toEqual([expect.stringContaining(') is paused by its issuer, as of ')])
    await chain.anvil.ask('anvil_setCode', [getToken(), code])
    expect(await look(deployment)).toEqual({ token: 'moves', ...well })
  })

  test('is not said of one that moves before a pool that holds nothing', async () => {
    expect(await readAs(`0x${'ab'.repeat(20)}`)).toBe('moves')
    await behave('pauses')
    expect(await readAs(`0x${'ab'.repeat(20)}`)).toBe('refused')
    await behave('honest')
  })

  test('is not known while nodes are silent', async () => {
    let isSilent = true
    const deployment = open({
      fetch: async (input, init) => {
        if (isSilent && `${init?.body}`.includes(getToken().slice(2))) throw new Error('silent')
        return fetch(input, init)
      },
    })
    const unknown = [
      'skipped token: No round has looked yet whether the token moves: wait a minute.',
    ]
    expect(await look(deployment)).toEqual({ ...well, token: null, doctor: unknown })
    isSilent = false
    expect(await look(deployment)).toEqual({ token: 'moves', ...well })
    isSilent = true
    deployment.pass(600_000)
    const { token, alerts, doctor } = await look(deployment)
    expect({ token, alerts }).toEqual({ token: 'moves', alerts: [] })
    expect(doctor).toEqual([
      expect.stringContaining('skipped token: Not known: nodes told last at'),
    ])
  })
})
