import { describe, test } from 'vitest'
import { findImportFaults } from '../../../scripts/checks/import-rules.ts'

/** Finds the faults of a file that imports this, beside other files. */
function faultsOf(file: string, target: string, ...others: string[]): string[] {
  const files = others.map((other) => [other, ''] as const)
  const faults = findImportFaults(new Map([...files, [file, `import x from '${target}'`]]))
  return faults.map((fault) => fault.replace(`${file} imports `, ''))
}

describe('entry points', () => {
  test('may import anything', ({ expect }) => {
    for (const target of ['cloudflare:workers', 'hono', './compose/config.ts', 'node:fs']) {
      expect(faultsOf('src/worker.ts', target)).toEqual([])
    }
  })

  test('are imported by their tests only', ({ expect }) => {
    const fault = ['src/worker.ts: no file imports an entry point']
    expect(faultsOf('src/compose/app.ts', '../worker.ts')).toEqual(fault)
    expect(faultsOf('scripts/dial.ts', '../src/worker.ts')).toEqual(fault)
    expect(faultsOf('test/workerd/a.test.ts', '../../src/worker.ts')).toEqual([])
  })
})

test('tests are imported by tests only', ({ expect }) => {
  const fault = ['test/support/rig.ts: no file outside test imports test']
  expect(faultsOf('scripts/soak/run.ts', '../../test/support/rig.ts')).toEqual(fault)
  const path = "'../../test/support/rig.ts'"
  expect(findImportFaults(new Map([['scripts/dev/a.ts', `import(${path})`]]))).toHaveLength(1)
  expect(faultsOf('test/chain/a.test.ts', '../support/sample.ts')).toEqual([])
})

describe('what is served', () => {
  test('is made of the small builds of packages', ({ expect }) => {
    expect(faultsOf('src/relay/a.ts', 'zod')).toEqual(['zod: what is served parses with zod/mini'])
    expect(faultsOf('src/relay/a.ts', 'viem/accounts')).toHaveLength(1)
    expect(faultsOf('src/relay/a.ts', 'zod/mini')).toEqual([])
    expect(faultsOf('scripts/stack/a.ts', 'zod')).toEqual([])
  })

  test('knows the Workers runtime in Durable Objects alone', ({ expect }) => {
    expect(faultsOf('src/relay/ledger/stores/object.ts', 'cloudflare:workers')).toEqual([])
    expect(faultsOf('src/node/keys-object.ts', 'cloudflare:workers')).toEqual([])
    expect(faultsOf('src/relay/ledger.ts', 'cloudflare:workers')).toEqual([
      'cloudflare:workers: only Durable Objects (object.ts, *-object.ts) and the entry points do',
    ])
  })

  test('knows Hono in routes and the app alone', ({ expect }) => {
    expect(faultsOf('src/node/route.ts', 'hono/body-limit')).toEqual([])
    expect(faultsOf('src/compose/app.ts', 'hono')).toEqual([])
    expect(faultsOf('src/keys/api-keys.ts', 'hono/body-limit')).toEqual([
      'hono/body-limit: only route.ts files and app.ts know Hono',
    ])
  })

  test("knows none of Node's own modules, and nothing outside src", ({ expect }) => {
    expect(faultsOf('scripts/dial.ts', 'node:fs')).toEqual([])
    expect(faultsOf('src/runtime/log.ts', 'node:fs')).toEqual([
      'node:fs: not every runtime that serves this has it',
    ])
    expect(faultsOf('src/compose/app.ts', '../../scripts/dial.ts')).toEqual([
      'scripts/dial.ts: what is served depends on nothing outside src',
    ])
  })
})

describe('ports and adapters', () => {
  test('a port never imports its adapter, in its folder or the one below', ({ expect }) => {
    for (const [port, target] of [
      ['src/relay/ledger.ts', './ledger-object.ts'],
      ['src/keys/port.ts', './object.ts'],
      ['src/relay/ledger/port.ts', './stores/redis.ts'],
    ] as const) {
      expect(faultsOf(port, target)[0]).toMatch(/: a port never imports its adapter$/)
    }
  })

  test('entry points and compose choose adapters, which may share with each other', ({
    expect,
  }) => {
    const port = 'src/relay/ledger.ts'
    expect(faultsOf('src/relay/ledger-redis.ts', './ledger-memory.ts', port)).toEqual([])
    expect(faultsOf('src/compose/stores.ts', '../relay/ledger-memory.ts', port)).toEqual([])
    expect(faultsOf('src/relay/payment.ts', './ledger-memory.ts', port)).toEqual([
      'src/relay/ledger-memory.ts: only entry points and src/compose choose adapters',
    ])
  })

  test('a file that is only named like an adapter is not an adapter', ({ expect }) => {
    expect(faultsOf('src/node/methods/method.ts', './call-object.ts')).toEqual([])
  })
})

describe('layers', () => {
  test('a part uses the parts of its list and nothing else', ({ expect }) => {
    expect(faultsOf('src/ussd/answer.ts', '../relay/payment.ts')).toEqual([])
    expect(faultsOf('src/loan/calls.ts', '../ussd/menu.ts')).toEqual([
      'src/ussd/menu.ts: loan may use runtime',
    ])
    expect(faultsOf('src/runtime/log.ts', '../relay/ledger.ts')).toEqual([
      'src/relay/ledger.ts: runtime may use no other',
    ])
    expect(faultsOf('src/node/route.ts', '../compose/config.ts')).toHaveLength(1)
  })

  test('a folder inside a part does the same, and a store knows nothing of payments', ({
    expect,
  }) => {
    expect(faultsOf('src/node/service.ts', './methods/list.ts')).toEqual([])
    expect(faultsOf('src/node/objects/block.ts', '../reads/mined-block.ts')).toEqual([
      'src/node/reads/mined-block.ts: objects may use no other',
    ])
    const target = '../life/payments.ts'
    expect(faultsOf('src/relay/ledger/stores/sqlite.ts', target)).toHaveLength(1)
  })

  test('scripts and tests have theirs too', ({ expect }) => {
    expect(faultsOf('scripts/dev/chain.ts', '../soak/run.ts')).toEqual([
      'scripts/soak/run.ts: dev may use stack, contracts',
    ])
    expect(faultsOf('test/ports/a.suite.ts', '../unit/a.test.ts')).toHaveLength(1)
  })

  test('a new folder has to be given its layer', ({ expect }) => {
    expect(faultsOf('src/mail/send.ts', '../account/phone.ts')).toEqual([
      'src/account/phone.ts: src/mail has no layer yet: scripts/checks/import-rules.ts',
    ])
  })
})

describe('names', () => {
  const faultsIn = (...files: string[]) =>
    findImportFaults(new Map(files.map((file) => [file, ''])))

  test('no file bears the name of its folder', ({ expect }) => {
    expect(faultsIn('src/node/methods/methods.ts', 'src/node/methods/list.ts')).toEqual([
      'src/node/methods/methods.ts bears the name of its folder: name it after what is in it',
    ])
    expect(faultsIn('scripts/soak/soak.ts', 'test/ports/ports.ts')).toHaveLength(2)
  })

  test('are few enough in a folder to find the place for a change', ({ expect }) => {
    const filesOf = (folder: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${folder}/${index}.ts`)
    expect(faultsIn(...filesOf('scripts/dev', 16), ...filesOf('scripts/dev/redis', 9))).toEqual([])
    expect(faultsIn(...filesOf('scripts/dev', 17))).toEqual([
      'scripts/dev holds 17 files, 16 at most',
    ])
    expect(faultsIn(...filesOf('src/node/methods', 40))).toEqual([])
  })
})

test('Solidity is met through the generated ABI only', ({ expect }) => {
  const source = `const abi = parseAbi(['function balance() view returns (uint256)'])`
  const files = ['src/loan/abi.ts', 'scripts/fund.ts', 'src/loan/calls.ts']
  expect(findImportFaults(new Map(files.map((file) => [file, source])))).toEqual([
    'src/loan/calls.ts has an ABI of its own (parseAbi(): contracts are met by the generated one',
  ])
})
