import { test } from 'vitest'
import { drawImports } from '../../../scripts/generate/imports-drawing.ts'

test('the drawing has a box for each folder, whatever is below it, and an arrow for what it imports', ({
  expect,
}) => {
  const files: [string, string][] = [
    ['src/worker.ts', `import { flow } from './relay/pay/flow.ts'`],
    ['src/relay/pay/flow.ts', `import type { Head } from '../../chain/node.ts'`],
    ['src/relay/fees.ts', `import { flow } from './pay/flow.ts'\nimport { z } from 'zod'`],
    ['src/chain/node.ts', ''],
  ]
  const drawn = drawImports(new Map(files))
  expect(drawn.split('\n')).toEqual([
    'flowchart TD',
    '  chain["src/chain"]',
    '  entry_points["entry points"]',
    '  relay["src/relay"]',
    '  entry_points --> relay',
    '  relay --> chain',
  ])
  expect(drawImports(new Map(files.reverse()))).toBe(drawn)
})
