import { expect, test } from 'vitest'
import { parseConfig } from '../../../src/compose/config.ts'
import { ledgerName } from '../../../src/compose/relay.ts'
import type { Ledger } from '../../../src/relay/ledger/port.ts'
import { createMemoryLedger } from '../../ports/ledger-memory.ts'
import { openDeployment } from '../../support/deployment.ts'
import { otherWords, required } from './variables.ts'

/** A deployment whose ledgers outlive its configuration. */
function deployment() {
  const ledgers = new Map<string, Ledger>()
  return async (changes: Record<string, string>) => {
    const variables = { ...required, ENVIRONMENT: 'development', ...changes }
    const name = ledgerName(parseConfig(variables))
    const { ask, events } = openDeployment({
      variables,
      ledger(options) {
        const ledger = ledgers.get(name) ?? createMemoryLedger(options).ledger
        ledgers.set(name, ledger)
        return ledger
      },
      fetch: () => Promise.reject(new Error('no menu asks the chain')),
    })
    const body = new URLSearchParams({ phoneNumber: '+254700000001', sessionId: 's', text: '' })
    const { status } = await ask('/ussd', { method: 'POST', body })
    return { status, logged: events.map(({ message }) => message) }
  }
}

test('a new relayer key opens no other accounts: a mistyped secret is refused under it, too', async () => {
  const dial = deployment()
  expect(await dial({})).toEqual({ status: 200, logged: [] })
  for (const secret of ['ACCOUNT_KEY_SECRET', 'ACCOUNT_ID_SECRET']) {
    const mistyped = { [secret]: `0x${'23'.repeat(32)}` }
    expect(await dial({ RELAYER_MNEMONIC: otherWords, ...mistyped })).toEqual({
      status: 503,
      logged: [`The ledger was begun with other values of: ${secret}`],
    })
  }
  expect(await dial({ RELAYER_MNEMONIC: otherWords })).toEqual({ status: 200, logged: [] })
})
