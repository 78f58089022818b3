import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readOptions, startFlags } from '../../../scripts/stack/options.ts'

test('a local relay is served on port 3000, by `wrangler dev` as well, and elsewhere where PORT says so', () => {
  expect(readOptions(startFlags, {}).port).toBe(3000)
  expect(readOptions(startFlags, { PORT: '4000' }).port).toBe(4000)
  const wrangler = readFileSync(new URL('../../../wrangler.toml', import.meta.url), 'utf8')
  expect(/^\[dev\]\n(?:.+\n)*?port = (\d+)$/m.exec(wrangler)?.[1]).toBe('3000')
})
