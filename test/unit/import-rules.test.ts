import { describe, test } from 'vitest'
import { importFaults } from '../../scripts/checks/import-rules.ts'

/** What the rules say of these files, as `file message`. */
function faultsOf(files: Record<string, string>): string[] {
  return importFaults(new Map(Object.entries(files))).map(
    ({ file, message }) => `${file} ${message}`,
  )
}

describe('entry points', () => {
  test('may import anything', ({ expect }) => {
    const source = `
      import { waitUntil } from 'cloudflare:workers'
      import { Hono } from 'hono'
      import { createConfigKeys } from './keys/api-keys-config.ts'
      import { parseConfig } from './compose/config.ts'`
    expect(faultsOf({ 'src/worker.ts': source })).toEqual([])
  })

  test('are imported by their tests only', ({ expect }) => {
    const files = {
      'src/compose/app.ts': `import worker from '../worker.ts'`,
      'scripts/dial.ts': `import worker from '../src/worker.ts'`,
      'test/workerd/a.test.ts': `import worker from '../../src/worker.ts'`,
    }
    expect(faultsOf(files)).toEqual([
      'src/compose/app.ts imports src/worker.ts: no file imports an entry point',
      'scripts/dial.ts imports src/worker.ts: no file imports an entry point',
    ])
  })
})

describe('tests', () => {
  test('are imported by tests only', ({ expect }) => {
    const files = {
      'scripts/soak/run.ts': `import { startRig } from '../../test/support/rig.ts'`,
      'scripts/dev/later.ts': `const rig = await import('../../test/support/rig.ts')`,
      'test/chain/a.test.ts': `import { sampleOf } from '../support/sample.ts'`,
      'test/chain/b.test.ts': `import { startRig } from '../../scripts/dev/relays/rig.ts'`,
    }
    expect(faultsOf(files)).toEqual([
      'scripts/soak/run.ts imports test/support/rig.ts: no file outside test imports test',
      'scripts/dev/later.ts imports test/support/rig.ts: no file outside test imports test',
    ])
  })
})

test('what is served is made of the small builds of packages', ({ expect }) => {
  const source = `
    import { z } from 'zod'
    import { english } from 'viem/accounts'
    import * as small from 'zod/mini'`
  expect(faultsOf({ 'scripts/stack/a.ts': source })).toEqual([])
  expect(faultsOf({ 'src/relay/a.ts': source })).toEqual([
    'src/relay/a.ts imports zod: what is served parses with zod/mini',
    'src/relay/a.ts imports viem/accounts: it brings word lists in nine languages; runtime/key-account.ts signs',
  ])
})

describe('runtimes and frameworks', () => {
  test('only Durable Objects know the Workers runtime', ({ expect }) => {
    const source = `import { DurableObject } from 'cloudflare:workers'`
    expect(faultsOf({ 'src/relay/ledger/stores/object.ts': source })).toEqual([])
    expect(faultsOf({ 'src/node/keys-object.ts': source })).toEqual([])
    expect(faultsOf({ 'src/relay/ledger.ts': source })).toEqual([
      'src/relay/ledger.ts imports cloudflare:workers: only Durable Objects (object.ts, *-object.ts) and the entry points do',
    ])
  })

  test('only routes and the app know Hono', ({ expect }) => {
    const source = `import { bodyLimit } from 'hono/body-limit'`
    expect(faultsOf({ 'src/node/route.ts': source, 'src/compose/app.ts': source })).toEqual([])
    expect(faultsOf({ 'src/keys/api-keys.ts': source })).toEqual([
      'src/keys/api-keys.ts imports hono/body-limit: only route.ts files and app.ts know Hono',
    ])
  })

  test("nothing that is served knows Node's own modules", ({ expect }) => {
    const source = `import { readFileSync } from 'node:fs'`
    expect(faultsOf({ 'scripts/dial.ts': source })).toEqual([])
    expect(faultsOf({ 'src/runtime/log.ts': source })).toEqual([
      'src/runtime/log.ts imports node:fs: not every runtime that serves this has it',
    ])
  })
})

describe('ports and adapters', () => {
  test('a port never imports its adapter, not even a type of it', ({ expect }) => {
    const source = `import type { Rows } from './ledger-object.ts'`
    expect(faultsOf({ 'src/relay/ledger.ts': source })).toEqual([
      'src/relay/ledger.ts imports src/relay/ledger-object.ts: a port never imports its adapter',
    ])
    const inFolder = `import type { Rows } from './object.ts'`
    expect(faultsOf({ 'src/keys/port.ts': inFolder })).toEqual([
      'src/keys/port.ts imports src/keys/object.ts: a port never imports its adapter',
    ])
    const inRoom = `import type { Rows } from './stores/redis.ts'`
    expect(faultsOf({ 'src/relay/ledger/port.ts': inRoom })).toEqual([
      'src/relay/ledger/port.ts imports src/relay/ledger/stores/redis.ts: a port never imports its adapter',
    ])
  })

  test('entry points and compose choose adapters, which may share with each other', ({
    expect,
  }) => {
    const port = { 'src/relay/ledger.ts': '' }
    const source = `import { rows } from './ledger-memory.ts'`
    expect(faultsOf({ ...port, 'src/relay/ledger-redis.ts': source })).toEqual([])
    const composing = `import { rows } from '../relay/ledger-memory.ts'`
    expect(faultsOf({ ...port, 'src/compose/stores.ts': composing })).toEqual([])
    expect(faultsOf({ ...port, 'src/relay/payment.ts': source })).toEqual([
      'src/relay/payment.ts imports src/relay/ledger-memory.ts: only entry points and src/compose choose adapters',
    ])
  })

  test('a file that is only named like an adapter is not an adapter', ({ expect }) => {
    const source = `import { callObject } from './call-object.ts'`
    expect(faultsOf({ 'src/node/methods/method.ts': source })).toEqual([])
  })
})

describe('directions', () => {
  test('a part uses the parts of its list and nothing else', ({ expect }) => {
    const files = {
      'src/ussd/answer.ts': `import { createPay } from '../relay/payment.ts'`,
      'src/relay/payment.ts': `import type { Menu } from '../ussd/menu.ts'`,
      'src/chain/node.ts': `import { pay } from '../relay/sign.ts'`,
    }
    expect(faultsOf(files)).toEqual([
      'src/relay/payment.ts imports src/ussd/menu.ts: relay may use chain',
      'src/chain/node.ts imports src/relay/sign.ts: chain may use no other part',
    ])
  })

  test('every part may use the runtime, which uses no part', ({ expect }) => {
    const files = {
      'src/relay/payment.ts': `import type { Log } from '../runtime/log.ts'`,
      'src/runtime/shared-work.ts': `import type { Clock } from './clock.ts'`,
      'src/runtime/log.ts': `import type { Payment } from '../relay/ledger.ts'`,
    }
    expect(faultsOf(files)).toEqual([
      'src/runtime/log.ts imports src/relay/ledger.ts: what every part may use depends on no part',
    ])
  })

  test('a part reads no configuration', ({ expect }) => {
    const source = `import type { Config } from '../compose/config.ts'`
    expect(faultsOf({ 'src/node/route.ts': source })).toEqual([
      'src/node/route.ts imports src/compose/config.ts: a part gets what it needs from src/compose',
    ])
  })

  test('what is served depends on nothing outside src', ({ expect }) => {
    expect(faultsOf({ 'src/compose/app.ts': `import x from '../../scripts/dial.ts'` })).toEqual([
      'src/compose/app.ts imports scripts/dial.ts: what is served depends on nothing outside src',
    ])
  })

  test('a new part has to be given a direction', ({ expect }) => {
    expect(faultsOf({ 'src/mail/send.ts': `import x from '../account/phone.ts'` })).toEqual([
      'src/mail/send.ts is in a part that has no direction yet: add src/mail to scripts/checks/import-rules.ts',
    ])
  })

  test('a room uses the rooms of its list and nothing else', ({ expect }) => {
    const files = {
      'src/node/objects/block.ts': `import { minedBlock } from '../reads/mined-block.ts'`,
      'src/node/reads/mined-block.ts': `import type { Node } from '../upstream/node.ts'`,
      'src/node/service.ts': `import { methods } from './methods/list.ts'`,
      'src/node/filters/poll.ts': `import { block } from '../objects/block.ts'`,
    }
    expect(faultsOf(files)).toEqual([
      'src/node/objects/block.ts imports src/node/reads/mined-block.ts: objects may use no other room',
      'src/node/filters/poll.ts is in a room that has no direction yet: add node/filters to scripts/checks/import-rules.ts',
    ])
  })

  test('a store of the ledger knows nothing of payments', ({ expect }) => {
    const files = {
      'src/relay/ledger/stores/sqlite.ts': `
        import { runStep } from '../steps.ts'
        import { movePayment } from '../life/payments.ts'`,
      'src/relay/ledger/life/payments.ts': `import { SignedRequest } from '../../forwarder/requests.ts'`,
    }
    expect(faultsOf(files)).toEqual([
      'src/relay/ledger/stores/sqlite.ts imports src/relay/ledger/life/payments.ts: stores may use versions',
    ])
  })

  test('a cycle is shown as its path', ({ expect }) => {
    const files = {
      'src/relay/a.ts': `export { b } from './b.ts'`,
      'src/relay/b.ts': `import type {\n  C,\n} from './c.ts'`,
      'src/relay/c.ts': `import './a.ts'`,
    }
    expect(faultsOf(files)).toEqual([
      'src/relay/a.ts imports itself in the end: src/relay/a.ts > src/relay/b.ts > src/relay/c.ts > src/relay/a.ts',
    ])
  })
})

describe('names', () => {
  test('no file bears the name of its folder', ({ expect }) => {
    expect(faultsOf({ 'src/node/methods/methods.ts': '', 'src/node/methods/list.ts': '' })).toEqual(
      ['src/node/methods/methods.ts bears the name of its folder: name it after what is in it'],
    )
    expect(faultsOf({ 'scripts/soak/soak.ts': '', 'test/ports/ports.ts': '' })).toHaveLength(2)
  })

  test('are few enough in a folder to find the place for a change', ({ expect }) => {
    const filesOf = (folder: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${folder}/${index}.ts`, '']))
    expect(faultsOf({ ...filesOf('scripts/dev', 16), ...filesOf('scripts/dev/redis', 9) })).toEqual(
      [],
    )
    expect(faultsOf(filesOf('scripts/dev', 17))).toEqual([
      'scripts/dev holds 17 files, 16 at most: divide it into rooms with names',
    ])
    expect(faultsOf(filesOf('src/node/methods', 40))).toEqual([])
  })
})

describe('Solidity', () => {
  test('is met through the generated ABI only', ({ expect }) => {
    const source = `const abi = parseAbi(['function balance() view returns (uint256)'])`
    expect(faultsOf({ 'src/loan/abi.ts': source, 'scripts/fund.ts': source })).toEqual([])
    expect(faultsOf({ 'src/loan/calls.ts': source })).toEqual([
      'src/loan/calls.ts has an ABI of its own (parseAbi(): contracts are met through the generated one',
    ])
  })
})
