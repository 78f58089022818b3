import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readOptions } from '../../../scripts/stack/options.ts'
import { settings } from '../../../src/compose/environment.ts'

const startFlags = { reset: false, rootstock: false, deno: false }

test('a local relay uses port 3000, also with `wrangler dev`, unless PORT is set', () => {
  expect(readOptions(startFlags, {}).port).toBe(3000)
  expect(readOptions(startFlags, { PORT: '4000' }).port).toBe(4000)
  const wrangler = readFileSync(new URL('../../../wrangler.toml', import.meta.url), 'utf8')
  expect(wrangler).toContain('\n[dev]\nip = "127.0.0.1"\nport = 3000\n')
})

test.for<[env: Record<string, string>, reason: string]>([
  [{ PORT: 'http' }, 'PORT is "http": it has to be a number from 1 to 65535.'],
  [{ CHAIN_ID: '1' }, 'CHAIN_ID is "1": it has to be 31 (testnet) or 30 (mainnet).'],
  [{ CHAIN_ID: '30' }, 'CHAIN_ID=30 needs a node of that chain in NODE_URL: the local one is 31.'],
  [
    { NODE_URL: '127.0.0.1:8545' },
    'NODE_URL has "127.0.0.1:8545": it has to be an http or https address.',
  ],
  [
    { NODE_URL: 'http://127.0.0.1:1' },
    '--rootstock puts its pool before the local chain, not before NODE_URL.',
  ],
])('wrong options are named before anything starts: %o', ([env, reason]) => {
  expect(() => readOptions({ ...startFlags, rootstock: true }, env)).toThrow(reason)
})

test('a start passes every variable on, or names it with the reason', () => {
  const readByItself = ['NODE_URL', 'CHAIN_ID']
  const env = Object.fromEntries(settings.map((name) => [name, `value of ${name}`]))
  const given = { ...env, NODE_URL: 'http://127.0.0.1:8545', CHAIN_ID: '31' }
  const { variables, unusedLines } = readOptions(startFlags, given)
  for (const name of settings.filter((each) => !readByItself.includes(each))) {
    const told = unusedLines.filter((line) => line.startsWith(`${name} is not used here: `))
    expect({ name, value: variables[name], told: told.length }).toEqual(
      told.length === 1
        ? { name, value: undefined, told: 1 }
        : { name, value: `value of ${name}`, told: 0 },
    )
  }
  for (const name of ['MIN_DIFFICULTY', 'PROOFS', 'COMPARE_STATE', 'NODE_WS_URL', 'BLOCK_SECONDS'])
    expect(variables).toHaveProperty(name)
  expect(unusedLines.join('\n')).not.toContain('value of')
})
