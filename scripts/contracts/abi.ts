import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildContracts, projectRoot, readArtifact } from './forge.ts'

/** Where the relay takes the ABI from; TypeScript meets Solidity nowhere else. */
const target = join(projectRoot, 'src/loan/abi.ts')

const exported = { microLoanAbi: 'MicroLoan', relayForwarderAbi: 'RelayForwarder' }

await buildContracts()
const text = render()
if (process.argv.includes('--check')) {
  if (text !== readFileSync(target, 'utf8')) {
    process.stderr.write('src/loan/abi.ts is not what the contracts say: run `npm run abi`.\n')
    process.exitCode = 1
  }
} else {
  writeFileSync(target, text)
}

function render(): string {
  const parts = Object.entries(exported).map(([name, contract]) => {
    const abi = literal(readArtifact(contract).abi, '')
    return `/** The ABI of \`contracts/src/${contract}.sol\`. */\nexport const ${name} = ${abi} as const\n`
  })
  return `// Generated from contracts/src by \`npm run abi\`; not edited by hand.\n\n${parts.join('\n')}`
}

/** On one line where 100 columns hold it. `internalType` is dropped: no caller of the relay needs it. */
function literal(value: unknown, indent: string, taken = indent.length): string {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value !== 'object' || value === null) return String(value)
  const isList = Array.isArray(value)
  const inner = `${indent}  `
  const parts = (text: (item: unknown, label: string) => string) =>
    isList
      ? value.map((item) => text(item, ''))
      : Object.entries(value)
          .filter(([key]) => key !== 'internalType')
          .map(([key, item]) => `${key}: ${text(item, `${key}: `)}`)
  const flat = parts((item) => literal(item, '', Number.NEGATIVE_INFINITY)).join(', ')
  const line = isList ? `[${flat}]` : `{ ${flat} }`
  if (taken + line.length < 100) return line
  const rows = parts((item, label) => literal(item, inner, inner.length + label.length))
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  return `${open}\n${rows.map((row) => `${inner}${row},\n`).join('')}${indent}${close}`
}
