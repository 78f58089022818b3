import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readFlags } from '../stack/command.ts'
import { buildContracts, projectRoot } from './forge.ts'
import { openMeasuredNode, startMeasuredAnvil } from './gas/chain.ts'
import { type Measured, measureAll, measureReceipts } from './gas/measure.ts'
import { snapshotOf, tables } from './gas/tables.ts'

const help = `Measures the contracts on an anvil, prices each transaction as Rootstock does by its trace, and writes
snapshots/ and the tables of contracts/README.md.

  npm run gas -- [--check | --node URL]

  --check  writes nothing, and fails where either is not what the contracts cost now
  --node   sends the same bytes to an RSKj (regtest, chain id 31, new to the accounts that send here), and fails
           where its receipts are not what was computed`

type Written = { path: string; was: string; text: string }

const begin = '<!-- gas: written by `npm run gas` -->\n'
const end = '<!-- /gas -->'
/** Of the local chain, in Unix seconds: a minute after an hour's begin, for the day's sums are kept by the hour. */
const localStart = 500_000 * 3_600 + 60

const flags = readFlags(help, { check: false, node: undefined })

await buildContracts(['contracts/test/gas'])
if (flags.node === undefined) write(await measureLocally(localStart))
else await compareWith(flags.node)

async function measureLocally(start: number): Promise<Measured> {
  const chain = await startMeasuredAnvil(start)
  try {
    return await measureAll(chain)
  } finally {
    await chain.stop()
  }
}

function write(measured: Measured): void {
  const stale = [
    ...(['rootstock', 'ethereum'] as const).map((network) =>
      written(`snapshots/${network}.json`, () => snapshotOf(measured, network)),
    ),
    written('contracts/README.md', (text) => {
      const [before, after] = [text.indexOf(begin) + begin.length, text.indexOf(end)]
      return `${text.slice(0, before)}\n${tables(measured)}\n${text.slice(after)}`
    }),
  ].filter(({ was, text }) => was !== text)
  if (!flags.check) for (const { path, text } of stale) writeFileSync(join(projectRoot, path), text)
  else if (stale.length > 0) {
    for (const each of stale) report(each)
    fail('The contracts cost something else now. If that is meant: npm run gas')
  }
}

function written(path: string, change: (text: string) => string): Written {
  const was = readFileSync(join(projectRoot, path), { encoding: 'utf8', flag: 'a+' })
  return { path, was, text: change(was) }
}

function report({ path, was, text }: Written): void {
  const lines = text.split('\n')
  const old = was.split('\n')
  process.stderr.write(`${path}\n`)
  for (const line of old.filter((each) => !lines.includes(each)))
    process.stderr.write(`- ${line}\n`)
  for (const line of lines.filter((each) => !old.includes(each)))
    process.stderr.write(`+ ${line}\n`)
}

async function compareWith(url: string): Promise<void> {
  const chain = await openMeasuredNode(url)
  try {
    const computed = await measureLocally(chain.now())
    const charged = await measureReceipts(chain, computed)
    let rows = 0
    for (const kind of ['relayed', 'direct'] as const) {
      for (const [name, columns] of Object.entries(computed[kind])) {
        for (const [column, { rootstock }] of Object.entries(columns)) {
          const real = charged[kind][name]?.[column]?.rootstock
          rows += 1
          if (real === rootstock) continue
          fail(`${kind}, ${name}, ${column}: computed ${rootstock}, charged ${real}`)
        }
      }
    }
    process.stdout.write(`${rows} figures compared with ${url}\n`)
  } finally {
    await chain.stop()
  }
}

function fail(words: string): void {
  process.stderr.write(`${words}\n`)
  process.exitCode = 1
}
