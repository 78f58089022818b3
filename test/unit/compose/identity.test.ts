import { english, generateMnemonic } from 'viem/accounts'
import { expect, test } from 'vitest'
import { assemble } from '../../../src/compose/assemble.ts'
import { parseConfig } from '../../../src/compose/config.ts'
import { ledgerName, ledgerRulesOf, relayerAddress } from '../../../src/compose/relay.ts'
import type { Ledger } from '../../../src/relay/ledger/port.ts'
import { systemClock } from '../../../src/runtime/clock.ts'
import { createMemoryLedger } from '../../ports/ledger-memory.ts'

const env = {
  ENVIRONMENT: 'development',
  NODE_URL: 'http://127.0.0.1:8545',
  LOAN_ADDRESS: '0x1111111111111111111111111111111111111111',
  FORWARDER_ADDRESS: '0x2222222222222222222222222222222222222222',
  RELAYER_MNEMONIC: generateMnemonic(english),
  ACCOUNT_ID_SECRET: `0x${'11'.repeat(32)}`,
  ACCOUNT_KEY_SECRET: `0x${'22'.repeat(32)}`,
}

/** A deployment whose ledgers outlive its configuration. */
function deployment() {
  const ledgers = new Map<string, Ledger>()
  return async (changes: Partial<typeof env>) => {
    const config = parseConfig({ ...env, ...changes })
    const logged: string[] = []
    const runtime = {
      ...{ clock: systemClock, background: () => {} },
      log: ({ message }: { message: string }) => void logged.push(message),
      fetch: () => Promise.reject(new Error('no menu asks the chain')),
    }
    const name = ledgerName(config)
    const options = { rules: ledgerRulesOf(config), relayer: relayerAddress(config), now: () => 1 }
    const ledger = ledgers.get(name) ?? createMemoryLedger(options).ledger
    ledgers.set(name, ledger)
    const unused = () => {
      throw new Error('no key and no socket is asked for')
    }
    const { app } = assemble(config, runtime, {
      ledger,
      keyStore: unused,
      memory: unused,
      sockets: () => ({ accept: unused }),
    })
    const body = new URLSearchParams({ phoneNumber: '+254700000001', sessionId: 's', text: '' })
    const { status } = await app().request('/ussd', { method: 'POST', body })
    return { status, logged }
  }
}

test('a new relayer key opens no other accounts: a mistyped secret is refused under it, too', async () => {
  const dial = deployment()
  const RELAYER_MNEMONIC = generateMnemonic(english)
  expect(await dial({})).toEqual({ status: 200, logged: [] })
  for (const secret of ['ACCOUNT_KEY_SECRET', 'ACCOUNT_ID_SECRET'] as const) {
    const mistyped = `0x${'23'.repeat(32)}`
    expect(await dial({ RELAYER_MNEMONIC, [secret]: mistyped })).toEqual({
      status: 503,
      logged: [`The ledger was begun with other values of: ${secret}`],
    })
  }
  expect(await dial({ RELAYER_MNEMONIC })).toEqual({ status: 200, logged: [] })
})
