import { type Abi, type Address, createWalletClient, erc20Abi, http, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { devKey } from '../../../scripts/dev/anvil.ts'
import { startChain } from '../../../scripts/dev/chain.ts'
import { account } from '../../../scripts/ops/account-cli.ts'
import { ops } from '../../../scripts/ops.ts'
import { opened } from '../../support/opened.ts'
import { startSmsServer } from '../../support/sms-server.ts'
import { dial, openOperated } from '../operator/operating.ts'

const chain = opened(() => startChain([], [], true))
const provider = opened(startSmsServer)
const phone = '+254700000071'

test('a plain transfer of tokens from any wallet is credited by its receiver, once, and by nobody twice', async () => {
  const deployment = openOperated(chain, { PROFILE: 'lender', PIN: 'off', ...provider.variables })
  let sessions = 0
  const dialAnew = (text: string) =>
    dial(deployment, { phone, sessionId: `session ${++sessions}`, text })
  const credit = async () => {
    const screen = await dialAnew('6*1*1')
    await deployment.settled()
    return screen
  }

  const shown = await dialAnew('6')
  expect(shown).toContain('From a wallet, send only USD to:')
  // Rootstock's checksum is another than viem's (EIP-1191).
  const written = /0x[0-9a-fA-F]{40}/.exec(shown)?.[0] ?? ''
  const inlet = written.toLowerCase() as Address
  expect(await credit()).toBe(
    'END Nothing has arrived from a wallet yet. Dial again in some minutes. What a phone sends you is in your balance.',
  )
  // 12.5 tokens, and less than the contract counts.
  await pay(inlet, 12_500_000n * 10n ** 12n + 999n)
  const sent = { phone, sessionId: 'credited', text: '6*1*1' }
  const submitted = await dial(deployment, sent)
  expect(submitted).toMatch(/^END Credit Submitted\nRef: \d{3}-\d{4}\nYour account will/)
  await deployment.settled()
  expect(await dialAnew('1')).toBe('END Your Balance: 12.50 USD')
  await deployment.round()
  await deployment.settled()
  expect(provider.asked.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^Credit of 12\.50 USD: done\n/),
  ])
  expect(await dial(deployment, sent)).toBe(submitted)
  expect(await dialAnew('5')).toContain('Credit of what arrived: done')
  // What is left is below a millionth, so there is nothing to credit.
  expect(await credit()).toMatch(/^END Nothing has arrived/)
  // The address stays, and takes the next deposit too.
  expect(await dialAnew('6')).toContain(written)
  await pay(inlet, 10n ** 18n)
  expect(await credit()).toContain('END Credit Submitted')
  expect(await dialAnew('1')).toBe('END Your Balance: 13.50 USD')
})

test('what is being credited in one session is credited in no other', async () => {
  const deployment = openOperated(chain, { PROFILE: 'lender', PIN: 'off' })
  const caller = (sessionId: string, text: string) =>
    dial(deployment, { phone: '+254700000074', sessionId, text })
  const shown = await caller('inlet', '6')
  await pay((/0x[0-9a-fA-F]{40}/.exec(shown)?.[0] ?? '').toLowerCase() as Address, 10n ** 18n)
  await chain.anvil.ask('evm_setAutomine', [false])
  expect(await caller('first', '6*1*1')).toMatch(/^END Credit Submitted/)
  expect(await caller('second', '6*1*1')).toMatch(/^END Nothing has arrived/)
  await chain.anvil.ask('evm_setAutomine', [true])
  await chain.anvil.ask('evm_mine')
  await deployment.allDone()
  expect(await caller('balance', '1')).toBe('END Your Balance: 1.00 USD')
  expect((await deployment.payments()).payments).toHaveLength(1)
})

test("an operator's sweep credits what arrived, once in a window, and one number's fault stops no other", async () => {
  const deployment = openOperated(chain, { PROFILE: 'lender', PIN: 'off' })
  const { operate, allDone, pass } = deployment
  const numbers = ['+254700000081', '+254700000082', '+254700000083']
  const inlets: Address[] = []
  for (const [index, one] of numbers.entries()) {
    const shown = await dial(deployment, { phone: one, sessionId: `inlet ${index}`, text: '6' })
    inlets.push((/0x[0-9a-fA-F]{40}/.exec(shown)?.[0] ?? '').toLowerCase() as Address)
  }
  const [first, second, third] = inlets as [Address, Address, Address]
  const input = [numbers[0], 'no number', ...numbers.slice(1)].join('\n')
  const sweep = async () => {
    const { code, output } = await operate(account, ['sweep', '--least', '2'], { input })
    await allDone()
    expect(output).not.toContain('25470000008')
    return { code, lines: output.trim().split('\n') }
  }
  const balances = async () => {
    const found = numbers.map((one) => deployment.act('lookup', { phone: one }))
    return (await Promise.all(found)).map(({ balanceWei }) => balanceWei)
  }
  await pay(first, 5n * 10n ** 18n)
  await pay(second, 2n * 10n ** 18n - 1n)
  await pay(third, 2n * 10n ** 18n)
  const none = { code: 1, output: 'No number was given: nothing is swept.\n' }
  expect(await operate(account, ['sweep'], { input: ' \n' })).toEqual(none)
  const once = await sweep()
  expect(once).toEqual({
    code: 1,
    lines: [
      expect.stringMatching(
        /^line 1: 5\.00 USD there\. The sweep of these 6 hours.* is arriving: .*why 0x[0-9a-f]{44} /,
      ),
      expect.stringContaining('line 2: '),
      'line 3: 1.999999 USD there. Not swept.',
      expect.stringMatching(/^line 4: 2\.00 USD there\. The sweep of these 6 hours/),
    ],
  })
  expect(once.lines[1]).toContain('this is not a phone number')
  expect(await balances()).toEqual(['5000000', '0', '2000000'])
  const { payments } = await deployment.payments()
  const credits = await Promise.all(payments.map(({ intent }) => deployment.payment(intent)))
  const shown = 'No screen: an operator began this payment.'
  expect(credits.map(({ screen }) => screen)).toEqual([shown, shown])
  expect(credits.map(({ creditedWei }) => creditedWei).sort()).toEqual(['2000000', '5000000'])
  const { output: why } = await operate(ops, ['why', `${payments[1]?.intent}`])
  expect(why).toMatch(/^The deposit of 5\.00 USD, accepted/)
  // What comes later in the window waits for the next one.
  await pay(first, 3n * 10n ** 18n)
  expect((await sweep()).lines[0]).toMatch(
    /^line 1: 3\.00 USD there\. The sweep of these 6 hours.* accepted .* was done in .* later waits/,
  )
  expect(await balances()).toEqual(['5000000', '0', '2000000'])
  expect((await deployment.payments()).payments).toHaveLength(2)
  pass(6 * 60 * 60 * 1000)
  const asked = { phone: numbers[0], least: '2' }
  await Promise.all([deployment.act('sweep', asked), deployment.act('sweep', asked)])
  await allDone()
  expect((await deployment.payments()).payments).toHaveLength(3)
  expect(await balances()).toEqual(['8000000', '0', '2000000'])
})

test('the command names the address that Receive shows, where a number that changed gets its money', async () => {
  const deployment = openOperated(chain, { PROFILE: 'lender', PIN: 'off' })
  const { operate, act, allDone } = deployment
  const [former, next] = ['+254700000091', '+254700000092']
  const shownTo = async (one: string) => {
    const shown = await dial(deployment, { phone: one, sessionId: `shown ${one}`, text: '6' })
    return /0x[0-9a-fA-F]{40}/.exec(shown)?.[0] ?? ''
  }
  const run = (args: string[], input: string) => operate(account, args, { input })
  const address = await shownTo(next)
  expect(await run(['address'], next)).toEqual({ code: 0, output: `${address}\n` })
  expect((await act('lookup', { phone: next })).account.toLowerCase()).not.toBe(
    address.toLowerCase(),
  )
  const deposited = await run(['deposit'], next)
  expect(deposited).toEqual({ code: 1, output: expect.stringContaining('account sweep') })
  expect(deposited.output).toContain('tokens at the account’s own address: they stay there')

  await pay((await shownTo(former)).toLowerCase() as Address, 5n * 10n ** 18n)
  await run(['sweep'], former)
  await allDone()
  expect((await run(['cash-out', address, 'all'], former)).code).toBe(0)
  await allDone()
  const { output: told } = await operate(ops, ['why'], { input: next })
  expect(told).toContain(`A wallet sends it money at ${address} (6. Receive). 5.00 USD has arrived`)
  expect(told).toContain('account sweep --least 5.00`')
  const { output: unknown } = await operate(ops, ['why', address])
  expect(unknown).toContain('No account of this address was ever used.')
  expect((await act('lookup', { phone: next })).waitingWei).toBe('5000000')
  await run(['sweep'], next)
  await allDone()
  expect(await act('lookup', { phone: next })).toMatchObject({
    receiveAddress: address,
    waitingWei: '0',
    balanceWei: '5000000',
  })
})

test('a look-up waits two seconds for what waits to be credited, and shows the rest without it', async () => {
  const hung: string[] = []
  const deployment = openOperated(
    chain,
    { PROFILE: 'lender', PIN: 'off' },
    {
      fetch: (url, init) => {
        // The token's `balanceOf`.
        if (!`${init?.body}`.includes('70a08231')) return fetch(url, init)
        hung.push(`${init?.body}`)
        return new Promise(() => undefined)
      },
    },
  )
  const since = Date.now()
  const found = await deployment.act('lookup', { phone: '+254700000093' })
  expect(found).toMatchObject({ waitingWei: null, balanceWei: '0', arrivals: [] })
  expect(found.receiveAddress).toMatch(/^0x/)
  expect(hung).not.toEqual([])
  expect(Date.now() - since).toBeLessThan(4_000)
})

/** Answers balances, and reverts a transfer with `EnforcedPause()`, as the pool itself may. */
const pausedCode =
  '0x5f3560e01c63a9059cbb14601d57670de0b6b3a76400005f5260205ff35b63d93c066560e01b5f5260045ffd'

test('a payment that its token refuses is told so, and no pause is said to be of the pool', async () => {
  const deployment = openOperated(chain, { PROFILE: 'lender', PIN: 'off' })
  const wallet = `0x${'cd'.repeat(20)}`
  const cashOut = { phone, sessionId: 'out', text: `7*${wallet}*1*1` }
  const refused =
    'END The issuer of this money does not let it go there now. Nothing was sent. Try another wallet, or again later.'
  await tellToken('setBlocked', [wallet, true])
  expect(await dial(deployment, cashOut)).toBe(refused)
  await tellToken('setBlocked', [wallet, false])
  const token = chain.unit.token?.address
  const code = await chain.anvil.ask('eth_getCode', [token, 'latest'])
  await chain.anvil.ask('anvil_setCode', [token, pausedCode])
  expect(await dial(deployment, { ...cashOut, sessionId: 'in', text: '6*1*1' })).toBe(
    'END This is not possible at the moment. Nothing was sent. Please try again later.',
  )
  await deployment.settled()
  expect((await deployment.status()).contracts.state).not.toBe('loan_paused')
  expect(await deployment.metrics()).toContain('_refusals_total{reason="token_refused"} 1')
  await chain.anvil.ask('anvil_setCode', [token, code])
})

/** Sends tokens as an exchange does, which knows nothing of the pool. */
const pay = (to: Address, value: bigint) => tellToken('transfer', [to, value])

const tokenAbi: Abi = [...erc20Abi, ...parseAbi(['function setBlocked(address, bool)'])]

async function tellToken(functionName: string, args: readonly unknown[]): Promise<void> {
  const payer = privateKeyToAccount(devKey)
  const wallet = createWalletClient({ account: payer, transport: http(chain.anvil.url) })
  const address = chain.unit.token?.address as Address
  await wallet.writeContract({ address, abi: tokenAbi, functionName, args, chain: null })
}
