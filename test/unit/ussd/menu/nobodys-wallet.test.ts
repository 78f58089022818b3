import { readFileSync } from 'node:fs'
import type { Address } from 'viem'
import { describe, expect, test } from 'vitest'
import { menus } from '../../../../scripts/dev/menu-ways.ts'
import { forwarderAddress, loanAddress } from '../../../../scripts/dev/simulator/setting.ts'
import { chains } from '../../../../src/chain/chains.ts'
import { lowestWallet } from '../../../../src/chain/payees.ts'
import type { ActionOptions } from '../../../../src/operator/actions/action.ts'
import { cashOutFor } from '../../../../src/operator/actions/orders.ts'
import {
  changeWallets,
  issueWalletCode,
  notPayable,
  parsePayable,
} from '../../../../src/operator/actions/wallets.ts'
import { demonstration } from '../../../../src/ussd/messages/demonstration.ts'
import { messagesIn } from '../../../../src/ussd/messages/languages.ts'
import { codes, nobodies, toAddress } from '../../../support/payees.ts'
import { friend, openWallets, stranger } from '../world.ts'

type Options = { isDemo?: boolean; preflight?: boolean }

function open({ isDemo = false, preflight = true }: Options = {}) {
  const product = isDemo ? menus.demo : menus.lender
  const { issue, add, ...world } = openWallets({ product, preflight })
  let callers = 0
  let sessions = 0
  return {
    ...world,
    /** Returns a caller who has paid nothing yet. */
    nextCaller: () => callers++,
    async dial(caller: number, text: string) {
      sessions += 1
      const session = `session ${sessions}`
      // Digits stand for the wallets that this screen showed.
      if (text.startsWith('7')) await world.deliver(caller, session, '7')
      return world.deliver(caller, session, text)
    },
    save: (caller: number, address: Address) => add(caller, { name: 'Savings', address }),
    issue: (address: Address) => issue({ name: 'New', address }),
  }
}

type World = ReturnType<typeof open>

/** Lists each way to name a recipient by its address, by what is typed for it. */
const ways: Readonly<
  Record<string, (world: World, caller: number, address: Address) => Promise<string> | string>
> = {
  transfer: (_, __, address) => `2*${address}*0.001*1`,
  'cash-out of a transfer': (_, __, address) => `2*${address}*0.001*2`,
  'cash-out': (_, __, address) => `7*${address}*0.001*1`,
  'cash-out to a saved wallet': async ({ save }, caller, address) => {
    await save(caller, address)
    return '7*1*0.001*1'
  },
}

const contractText = 'END This address is a contract, not a wallet. Nothing was sent.'

describe.for(Object.entries(ways))('a %s', ([, write]) => {
  test('is refused at once where the address is nobody’s', async () => {
    for (const [address, kind] of nobodies) {
      const world = open()
      const caller = world.nextCaller()
      const text = (await write(world, caller, address)).replace(/\*0\.001\*\d$/, '')
      const shown = await world.dial(caller, text)
      expect(shown, address).toContain(`CON ${messagesIn.en.badRecipient[kind]}`)
      expect(await world.paid(caller)).toBe(0)
    }
  })

  for (const preflight of [true, false]) {
    test.for(codes)(
      `is judged by code of $name, preflight: ${preflight}`,
      async ({ code, payee }) => {
        const world = open({ preflight })
        const caller = world.nextCaller()
        world.setCode(stranger, code)
        const shown = await world.dial(caller, await write(world, caller, stranger))
        if (payee === 'wallet') expect(shown).toMatch(/^END (Transfer|Cash Out) Submitted/)
        else expect(shown).toContain(contractText)
        expect(await world.paid(caller)).toBe(payee === 'wallet' ? 1 : 0)
      },
    )

    test(`is not sent where no node tells the code, preflight: ${preflight}`, async () => {
      const world = open({ preflight })
      const caller = world.nextCaller()
      const text = await write(world, caller, stranger)
      const repair = world.breakNode('eth_getCode')
      expect(await world.dial(caller, text)).toContain('END Service not available. Nothing was')
      repair()
      expect(await world.paid(caller)).toBe(0)
    })
  }
})

test('a code adds no wallet where the address is nobody’s', async () => {
  for (const [address, kind] of nobodies) {
    const world = open()
    const shown = await world.dial(0, `7*${await world.issue(address)}`)
    expect(shown, address).toContain(`CON ${messagesIn.en.badRecipient[kind]}`)
  }
  const world = open()
  expect(await world.dial(0, `7*${await world.issue(stranger)}`)).toContain('CON Save wallet New:')
})

test('the lowest address that can be a wallet is paid', async () => {
  const world = open()
  const shown = await world.dial(0, `7*${toAddress(lowestWallet)}*0.001*1`)
  expect(shown).toMatch(/^END Cash Out Submitted/)
})

test('no code is asked for where the account is derived from a number', async () => {
  const world = open()
  world.breakNode('eth_getCode')
  expect(await world.dial(0, '2*0700000002*0.001*1')).toMatch(/^END Transfer Submitted/)
})

describe('with the demonstration’s screens', () => {
  test('an address of nobody’s is asked again', async () => {
    const world = open({ isDemo: true })
    for (const [address, kind] of nobodies) {
      const reason = demonstration.askAgain(demonstration.badRecipient[kind])
      const shown = await world.dial(0, `2*${address}`)
      expect(shown).toBe(`CON ${reason}\nEnter Recipient Address:_________`)
    }
    expect(await world.paid(0)).toBe(0)
  })

  test('each refusal of an address shows what its row says', async () => {
    const table = readFileSync(new URL('../../../conformance/ussd.md', import.meta.url), 'utf8')
    const [, part = ''] = table.split('\n## Refusals of an address\n')
    const rows = [...(part.split('\n## ')[0] ?? '').matchAll(/^\| `(.*) \| `(.*)` \|$/gm)]
    expect(rows).toHaveLength(10)
    const world = open({ isDemo: true })
    const named: Readonly<Record<string, Address>> = {
      '<loan>': loanAddress,
      '<forwarder>': forwarderAddress,
      '<contract>': `0x${'c0'.repeat(20)}`,
      '<unknown>': `0x${'d0'.repeat(20)}`,
    }
    world.setCode(`0x${'c0'.repeat(20)}`, '0x00')
    for (const [, first = '', screen = ''] of rows) {
      const repair = world.breakNode(first.startsWith('<unknown>') ? 'eth_getCode' : 'none')
      for (const address of first.match(/<\w+>|0x[0-9a-fA-F]+/g) ?? []) {
        const asked = screen.startsWith('CON') ? '\nEnter Recipient Address:_________' : ''
        const amount = asked === '' ? '*0.001' : ''
        const shown = await world.dial(0, `2*${named[address] ?? address}${amount}`)
        expect(shown).toBe(`${screen}${asked}`)
      }
      repair()
    }
  })

  test.for(codes)('a transfer is judged by code of $name', async ({ code, payee }) => {
    const world = open({ isDemo: true })
    world.setCode(stranger, code)
    const shown = await world.dial(0, `2*${stranger}*0.001`)
    expect(shown).toMatch(payee === 'wallet' ? /^END Transfer Submitted/ : contractText)
  })
})

test('an operator’s wallet, code or cash-out is refused where the address is nobody’s', async () => {
  const contracts = { loan: `0x${'a1'.repeat(20)}`, forwarder: `0x${'b1'.repeat(20)}` } as const
  const deployment = { chain: chains[31], ...contracts }
  // What is refused must reach nothing else of the options.
  const options = {
    ...{ deployment, relayer: {}, accounts: async () => ({ address: stranger }) },
    readVitals: async () => ({ identity: { kind: 'same' } }),
  } as unknown as ActionOptions
  const order = { phone: friend, name: 'New', key: '', amount: 'all' }
  for (const address of [...nobodies.map(([nobody]) => nobody), ...Object.values(contracts)]) {
    const answers = await Promise.all([
      changeWallets.run(options, { ...order, address }),
      issueWalletCode.run(options, { ...order, address }),
      cashOutFor.run(options, { ...order, to: address }),
    ])
    expect(answers, address).toEqual([notPayable, notPayable, notPayable])
  }
  expect(parsePayable(stranger, deployment)).toBe(stranger)
})
