import { test } from 'vitest'
import { menus, sampleContext, waysThrough } from '../../../scripts/dev/menu-ways.ts'
import { drawMenus } from '../../../scripts/generate/menu-drawing.ts'

test.for(Object.entries(menus))(
  'a drawing of %s has each place and each effect once, and each way',
  ([heading, menu], { expect }) => {
    const context = sampleContext(menu)
    const ways = waysThrough(context)
    const drawn = drawMenus([[heading, context]])
    expect(drawn).toContain(`>${heading}</text>`)
    for (const effect of ways.effects.keys()) {
      expect(drawn.split(`>END: ${effect}<`), effect).toHaveLength(2)
    }
    // One more is the paper.
    expect(drawn.match(/<rect /g)).toHaveLength(1 + ways.places.size + ways.effects.size)
    expect(drawn.match(/<path /g)).toHaveLength(ways.steps.length)
  },
)
