import { describe, expect, test } from 'vitest'
import { findImportFaults } from '../../../scripts/checks/import-rules.ts'

/** Finds the faults of a file that imports this. */
function faultsOf(file: string, target: string): string[] {
  const faults = findImportFaults(new Map([[file, `import x from '${target}'`]]))
  return faults.map((fault) => fault.replace(`${file} imports `, ''))
}

const [objects, routes] = ['only Durable Objects', 'only route files, app.ts and pages know Hono']
const known = 'only entry points, src/compose and other adapters know an adapter'

describe('an import', () => {
  test.for<[file: string, target: string, fault: string]>([
    ['src/compose/app.ts', '../worker.ts', 'no file imports an entry point'],
    ['scripts/dial.ts', '../src/worker.ts', 'no file imports an entry point'],
    [
      'src/pages/route.tsx',
      '../../scripts/stack/phone/page/route.tsx',
      'depends on nothing outside src',
    ],
    ['scripts/soak/run.ts', '../../test/support/rig.ts', 'no file outside test imports test'],
    ['src/relay/a.ts', 'zod', 'what is served parses with zod/mini'],
    ['src/relay/a.ts', 'viem/accounts', ''],
    ['src/relay/ledger.ts', 'cloudflare:workers', objects],
    ['src/keys/api-keys.ts', 'hono/body-limit', routes],
    ['src/runtime/log.ts', 'node:fs', 'not every runtime that serves this has it'],
    ['src/compose/app.ts', '../../scripts/dial.ts', 'depends on nothing outside src'],
    ['src/relay/ledger.ts', './ledger-object.ts', known],
    ['src/keys/port.ts', './object.ts', known],
    ['src/relay/ledger/steps.ts', './stores/redis.ts', known],
    ['src/loan/calls.ts', '../ussd/menu.ts', 'loan may use runtime'],
    ['src/runtime/log.ts', '../relay/ledger.ts', 'runtime may use no other'],
    ['src/node/objects/block.ts', '../reads/mined-block.ts', 'objects may use no other'],
    ['src/relay/ledger/stores/sqlite.ts', '../payments/payment-states.ts', ''],
    ['scripts/dev/chain.ts', '../soak/run.ts', 'dev may use stack, contracts'],
    ['test/ports/a.suite.ts', '../unit/a.test.ts', ''],
    ['src/relay/ledger/rows.ts', '../../loan/loan-book.ts', 'the loan book is what operators keep'],
    ['src/relay/ledger/steps.ts', '../../operator/kept/tills.ts', 'relay may use chain, loan'],
    ['src/ussd/session.ts', '../relay/ledger/rows.ts', 'only its front is known elsewhere'],
    ['src/operator/status.ts', '../relay/ledger/work.ts', 'only its front is known elsewhere'],
    ['src/operator/kept/a.ts', '../../relay/ledger/records/rates.ts', 'steps meet there'],
    ['src/ussd/session.ts', '../operator/service.ts', 'the menu only asks what operators keep'],
    ['src/mail/send.ts', '../account/phone.ts', 'src/mail has no layer yet'],
  ])('%s may not have: %s', ([file, target, fault]) => {
    expect(faultsOf(file, target)).toEqual([expect.stringContaining(fault)])
  })

  test('of an adapter is allowed in entry points, compose and other adapters', () => {
    expect(faultsOf('src/relay/ledger-redis.ts', './ledger-memory.ts')).toEqual([])
    expect(faultsOf('src/compose/runtime.ts', '../relay/ledger-memory.ts')).toEqual([])
    expect(faultsOf('src/relay/payment.ts', './ledger-memory.ts')).toEqual([
      `src/relay/ledger-memory.ts: ${known}`,
    ])
  })
})

test('no file has the name of its folder, and a folder holds at most 16 files', () => {
  const faultsIn = (...files: string[]) =>
    findImportFaults(new Map(files.map((file) => [file, ''])))
  const filesOf = (folder: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${folder}/${index}.ts`)
  expect(faultsIn('src/node/methods/methods.ts', 'src/node/methods/list.ts')).toEqual([
    'src/node/methods/methods.ts bears the name of its folder: name it after what is in it',
  ])
  expect(faultsIn(...filesOf('scripts/dev', 16), ...filesOf('scripts/dev/redis', 9))).toEqual([])
  expect(faultsIn(...filesOf('scripts/dev', 17))).toEqual([
    'scripts/dev holds 17 files, 16 at most',
  ])
})

test('only the generated ABI connects TypeScript with Solidity', () => {
  const source = `const abi = parseAbi(['function balance() view returns (uint256)'])`
  const files = ['src/loan/abi.ts', 'scripts/fund.ts', 'src/loan/calls.ts']
  expect(findImportFaults(new Map(files.map((file) => [file, source])))).toEqual([
    'src/loan/calls.ts has an ABI of its own (parseAbi(): contracts are met by the generated one',
  ])
})
