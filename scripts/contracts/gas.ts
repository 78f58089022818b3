import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readFlags } from '../stack/command.ts'
import { fail, say } from '../stack/report.ts'
import { buildContracts, projectRoot } from './forge.ts'
import { type Measured, measureAll, tables } from './gas/measure.ts'
import { openRskj } from './gas/rskj.ts'
import { type Network, openVm } from './gas/vm.ts'

const help = `Measures the contracts in a machine with Rootstock's rules and in one with Ethereum's, and writes snapshots/ and the
tables of contracts/README.md.

  npm run gas -- [--check | --node URL]

  --check  writes nothing, and fails where either is not what the contracts cost now
  --node   sends the same bytes to an RSKj (regtest, chain id 31, new to the accounts that send here), and fails
           where its receipts are not what was computed`

const begin = '<!-- gas: written by `npm run gas` -->\n'
const end = '<!-- /gas -->'

const flags = readFlags(help, { check: false, node: undefined })

await buildContracts(['contracts/test/gas'])
const rootstock = await measure('rootstock')
if (flags.node === undefined) {
  const ethereum = await measure('ethereum')
  write('snapshots/rootstock.json', () => `${JSON.stringify(rootstock, null, 2)}\n`)
  write('snapshots/ethereum.json', () => `${JSON.stringify(ethereum, null, 2)}\n`)
  write('contracts/README.md', (text) => {
    const [before, after] = [text.indexOf(begin) + begin.length, text.indexOf(end)]
    return `${text.slice(0, before)}\n${tables({ rootstock, ethereum })}\n${text.slice(after)}`
  })
} else await compareWith(flags.node)

async function measure(network: Network): Promise<Measured> {
  const snapshot = readFileSync(join(projectRoot, `snapshots/${network}.json`), 'utf8')
  return measureAll(await openVm(network), JSON.parse(snapshot))
}

function write(path: string, change: (text: string) => string): void {
  const file = join(projectRoot, path)
  const was = readFileSync(file, { encoding: 'utf8', flag: 'a+' })
  const text = change(was)
  if (was === text) return
  if (!flags.check) return void writeFileSync(file, text)
  fail(`${path} is not what the contracts cost now. If that is meant: npm run gas`)
  const [before, now] = [was.split('\n'), text.split('\n')]
  for (const line of before) if (!now.includes(line)) say(`- ${line}`)
  for (const line of now) if (!before.includes(line)) say(`+ ${line}`)
}

async function compareWith(url: string): Promise<void> {
  const node = await openRskj(url)
  const charged = await node.undoing(() => measureAll(node, rootstock))
  let rows = 0
  for (const kind of ['relayed', 'direct'] as const) {
    for (const [name, columns] of Object.entries(rootstock[kind])) {
      for (const [column, computed] of Object.entries(columns)) {
        const real = charged[kind][name]?.[column]
        rows += 1
        if (real === computed) continue
        fail(`${kind}, ${name}, ${column}: computed ${computed}, charged ${real}`)
      }
    }
  }
  say(`${rows} figures compared with ${url}`)
}
