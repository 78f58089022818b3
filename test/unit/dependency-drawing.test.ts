import { describe, test } from 'vitest'
import { dependencyDrawing } from '../../scripts/drawings/dependency-drawing.ts'

const draw = (files: Record<string, string>) =>
  dependencyDrawing(new Map(Object.entries(files)))
    .trimEnd()
    .split('\n')

describe('the drawing of what imports what', () => {
  test('has a box for each folder, whatever is below it, and an arrow for each import', ({
    expect,
  }) => {
    expect(
      draw({
        'src/relay/pay/flow.ts': `import type { Head } from '../../chain/node.ts'`,
        'src/relay/fees.ts': `import { flow } from './pay/flow.ts'\nimport { z } from 'zod'`,
        'src/chain/node.ts': '',
      }),
    ).toEqual(['flowchart TD', '  chain["src/chain"]', '  relay["src/relay"]', '  relay --> chain'])
  })

  test('has the files beside the folders by what they use and who uses them', ({ expect }) => {
    expect(
      draw({
        'src/worker.ts': `import { assemble } from './assemble.ts'`,
        'src/deno.ts': `import { read } from './environment.ts'\nimport './clock.ts'`,
        'src/environment.ts': `import { assemble } from './assemble.ts'`,
        'src/assemble.ts': `import { pay } from './relay/pay.ts'`,
        'src/relay/pay.ts': `import type { Clock } from '../clock.ts'`,
        'src/clock.ts': '',
      }),
    ).toEqual([
      'flowchart TD',
      '  assembly["assemble, environment"]',
      '  entry_points["deno, worker"]',
      '  relay["src/relay"]',
      '  shared["clock"]',
      '  assembly --> relay',
      '  entry_points --> assembly',
      '  entry_points --> shared',
      '  relay --> shared',
    ])
  })

  test('is the same in whatever order the files come', ({ expect }) => {
    const files = Object.entries({
      'src/a/x.ts': `import '../b/y.ts'\nimport '../c/z.ts'`,
      'src/c/z.ts': `import '../b/y.ts'`,
      'src/b/y.ts': '',
    })
    const forwards = dependencyDrawing(new Map(files))
    expect(dependencyDrawing(new Map(files.reverse()))).toBe(forwards)
    expect(forwards.match(/-->/g)).toHaveLength(3)
  })
})
