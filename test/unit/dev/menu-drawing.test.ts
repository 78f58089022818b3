import { test } from 'vitest'
import { drawMenu } from '../../../scripts/menu-drawing.ts'
import { effects, menu } from '../../../src/ussd/menu.ts'

test('a drawing has each place of the menu, and each line of a list leads on', ({ expect }) => {
  const drawn = drawMenu((place) => ({ lines: [`<${place}>`], ends: place in effects }))
  for (const place of [...Object.keys(menu), ...Object.keys(effects)]) {
    expect(drawn.split(`&lt;${place}&gt;`), place).toHaveLength(2)
  }
  const ways = Object.values(menu).map((node) => (node.kind === 'list' ? node.entries.length : 1))
  expect(drawn.match(/<path /g)).toHaveLength(ways.reduce((sum, count) => sum + count, 0))
})
