import { listFormerForms } from '../../../src/account/numbering.ts'
import { createCommand, type Found, text, textOr } from '../../stack/command.ts'
import { readSecret } from '../../stack/options.ts'
import { Misused, StackError } from '../../stack/report.ts'
import { openDeployment, openPair } from './open.ts'
import { derivePhones, parseAliases, parsePhones } from './phones.ts'
import { printPlan } from './plan.ts'
import { moveAccounts } from './run.ts'
import type { Migration } from './survey.ts'
import { verifyMigration } from './verify.ts'

const environment = (more = '') => `The environment says the rest:
  NODE_URL                          the node
  ACCOUNT_KEY_SECRET                from which the accounts are derived now
${more}  RELAYER_KEY, or RELAYER_MNEMONIC  pays; better not one that the Worker sends with
  MAX_GAS_PRICE_WEI                 the most that is paid for a unit of gas (1 gwei by default)
`

const usage = `usage: npm run ops -- migrate plan|run|resume|verify pair|secret --record FILE [--to FILE]

  plan    prints what a run would do and what it costs; sends nothing
  run     moves every account that has not moved
  resume  the same: what is done, the chain says
  verify  fails unless every account has moved and nothing was lost

  pair    to the pair in the record that --to names, which was deployed with PREDECESSOR
  secret  to the accounts of the same numbers under NEW_ACCOUNT_KEY_SECRET, in the same pair

  --record FILE  of the pair where the accounts are
  --batch N      accounts in a transaction, 1 to 10 (10 by default)

The standard input has the telephone numbers, one a line in E.164 form with plus.
${environment('  NEW_ACCOUNT_KEY_SECRET            from which they are derived afterwards (secret)\n')}`

export const migrate = createCommand({
  usage,
  options: { record: text, to: text, batch: textOr('10') },
  async run({ record, to, batch }, [action = '', kind, ...rest], { env, input, say }) {
    if (rest.length > 0) throw new Misused('there is an argument too many')
    const act = actions[action]
    if (act === undefined) throw new Misused('say plan, run, resume or verify')
    if (kind !== 'pair' && kind !== 'secret') throw new Misused('say pair or secret')
    if (record === undefined) throw new Misused('name the record with --record')
    if (kind === 'pair' && to === undefined) throw new Misused('name the new record with --to')
    if (kind === 'secret' && to !== undefined) throw new Misused('--to is for a move to a pair')
    if (!/^([1-9]|10)$/.test(batch)) throw new Misused('--batch is a number from 1 to 10.')
    const deployment = await openDeployment(env, record)
    const { node, secret } = deployment
    const newSecret = to === undefined ? readSecret(env, 'NEW_ACCOUNT_KEY_SECRET') : undefined
    if (secret === newSecret) throw new Misused('the new secret is the old one')
    const owners = parsePhones(await input()).map((number) => ({
      // In each form that a number may have been opened under.
      numbers: [number, ...listFormerForms(number)],
      ...(newSecret && { heir: number }),
    }))
    const phones = await derivePhones(owners, { secret, newSecret })
    say(`${phones.size} numbers`)
    const pair = to === undefined ? undefined : openPair(node, to)
    const settings = { phones, batchSize: Number(batch), log: say }
    return act({ ...deployment, to: pair, ...settings })
  },
})

const actions: Readonly<Record<string, (migration: Migration) => Promise<Found | undefined>>> = {
  async plan(migration) {
    await printPlan(migration)
    return undefined
  },
  run,
  resume: run,
  async verify(migration) {
    const findings = await verifyMigration(migration)
    if (findings.length === 0) return { lines: ['every account has moved, and nothing was lost'] }
    throw new StackError(`Not moved:${findings.map((finding) => `\n- ${finding}`).join('')}`)
  },
}

async function run(migration: Migration): Promise<Found> {
  const { moved, stuck } = await moveAccounts(migration)
  return { lines: [`${moved.length} accounts moved`], isBad: stuck.length > 0 }
}

const aliasUsage = `usage: npm run ops -- account alias --record FILE

Ties the accounts of former numbers to the numbers that came in their place: balance, loan and place in
the list of borrowers pass on. What has passed on, the chain says, so it happens once.

  --record FILE  of the contracts, as the deployment wrote it

The standard input has a former and a present number a line, in E.164 form with plus, a space between them.
${environment()}`

export const alias = createCommand({
  usage: aliasUsage,
  options: { record: text },
  async run({ record }, given, { env, input, say }) {
    if (record === undefined || given.length > 0) {
      throw new Misused('name the record, and nothing else')
    }
    const deployment = await openDeployment(env, record)
    const phones = await derivePhones(parseAliases(await input()), deployment)
    const settings = { phones, isServed: true, batchSize: 10, log: () => {} }
    const { moved, stuck } = await moveAccounts({ ...deployment, ...settings })
    // For the operator's records: addresses and times, and never a number.
    const note = (entry: Record<string, string | undefined>) =>
      say(JSON.stringify({ time: new Date().toISOString(), ...entry }))
    for (const from of moved) {
      note({ event: 'account.aliased', from, to: phones.get(from)?.heir?.address })
    }
    for (const { address: from, reason } of stuck) note({ event: 'account.stuck', from, reason })
    const rest = phones.size - moved.length - stuck.length
    const counts = `${moved.length} accounts tied, ${rest} with nothing to pass on`
    return { lines: [`${counts}, ${stuck.length} stuck`], isBad: stuck.length > 0 }
  },
})
