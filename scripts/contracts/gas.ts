import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCommand, type Found, flag, text } from '../stack/command.ts'
import { digestFiles, readIfThere } from '../stack/files.ts'
import { root } from '../stack/folder.ts'
import { buildContracts } from './forge.ts'
import { type Measured, measureAll, tables } from './gas/measure.ts'
import { openRskj } from './gas/rskj.ts'
import { type Network, openVm } from './gas/vm.ts'

const usage = `Measures the contracts in a machine with Rootstock's rules and in one with Ethereum's, and writes snapshots/ and the
tables of contracts/README.md.

  npm run check -- gas [--check | --node URL]

  --check  writes nothing, and fails where either is not what the contracts cost now; it measures only if something
           that decides the figures has changed since they were written
  --node   sends the same bytes to an RSKj (regtest, chain id 31, new to the accounts that send here), and fails
           where its receipts are not what was computed`

const begin = '<!-- gas: written by `npm run check -- gas` -->\n'
const end = '<!-- /gas -->'

export const gas = createCommand({
  usage,
  options: { check: flag, node: text },
  async run({ check, node }) {
    const digest = `${digestFiles(inputs)}\n`
    if (check && node === undefined && readOrEmpty(digestPath) === digest) {
      return { lines: ['Nothing that decides the figures has changed.'] }
    }
    await buildContracts(['contracts/test/gas'])
    const rootstock = await measure('rootstock')
    if (node !== undefined) return compareWith(node, rootstock)
    const write = (path: string, change: (text: string) => string) => update(path, change, check)
    const ethereum = await measure('ethereum')
    const lines = [
      ...write('snapshots/rootstock.json', () => `${JSON.stringify(rootstock, null, 2)}\n`),
      ...write('snapshots/ethereum.json', () => `${JSON.stringify(ethereum, null, 2)}\n`),
      ...write('contracts/README.md', (text) => {
        const [before, after] = [text.indexOf(begin) + begin.length, text.indexOf(end)]
        return `${text.slice(0, before)}\n${tables({ rootstock, ethereum })}\n${text.slice(after)}`
      }),
    ]
    if (!check) writeFileSync(join(root, digestPath), `${digestFiles(inputs)}\n`)
    return { lines, isBad: lines.length > 0 }
  },
})

const digestPath = 'snapshots/inputs.sha256'

/** Lists what decides the figures, and the files that tell them. */
const inputs = [
  ...['contracts/{src,test/gas}/**/*.sol', 'foundry.toml', 'package-lock.json'],
  ...['scripts/contracts/**/*.{ts,mjs}', 'src/loan/*.ts', 'src/relay/forwarder/*.ts'],
  ...['snapshots/*.json', 'contracts/README.md'],
]

async function measure(network: Network): Promise<Measured> {
  const snapshot = readFileSync(join(root, `snapshots/${network}.json`), 'utf8')
  return measureAll(await openVm(network), JSON.parse(snapshot))
}

/** Writes a changed file, or says what differs in it. */
function update(path: string, change: (text: string) => string, isChecked: boolean): string[] {
  const was = readOrEmpty(path)
  const text = change(was)
  if (was === text) return []
  if (!isChecked) {
    writeFileSync(join(root, path), text)
    return []
  }
  const [before, now] = [was.split('\n'), text.split('\n')]
  return [
    `${path} is not what the contracts cost now. If that is meant: npm run check -- gas`,
    ...before.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
  ]
}

function readOrEmpty(path: string): string {
  return `${readIfThere(join(root, path)) ?? ''}`
}

async function compareWith(url: string, computed: Measured): Promise<Found> {
  const node = await openRskj(url)
  const charged = await node.undoing(() => measureAll(node, computed))
  const figures = (['relayed', 'direct'] as const).flatMap((kind) =>
    Object.entries(computed[kind]).flatMap(([name, columns]) =>
      Object.entries(columns).map(([column, gas]) => {
        const real = charged[kind][name]?.[column]
        return real === gas ? [] : [`${kind}, ${name}, ${column}: computed ${gas}, charged ${real}`]
      }),
    ),
  )
  const faults = figures.flat()
  const sum = `${figures.length} figures compared with ${url}`
  return { lines: [...faults, sum], isBad: faults.length > 0 }
}
