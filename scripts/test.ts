import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runChecks } from './check.ts'
import { readIfThere } from './stack/files.ts'
import { type Counts, exitCode, forgeCounts, sum, summary, vitestCounts } from './test-counts.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const total = sum([await checks(), await contracts(), await vitest()])
process.stdout.write(`\n${summary(total)}\n`)
process.exitCode = exitCode(total, process.env)

async function checks(): Promise<Counts> {
  title('npm run check')
  const steps = await runChecks()
  const passed = steps.filter((step) => step.passed).length
  return { passed, failed: steps.length - passed, skipped: 0 }
}

async function contracts(): Promise<Counts> {
  title('forge test')
  const child = spawn('npm', ['run', '--silent', 'test:contracts'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    process.stdout.write(text)
  })
  const code = await ended(child)
  return forgeCounts(output, code)
}

async function vitest(): Promise<Counts> {
  title('vitest')
  const folder = mkdtempSync(join(tmpdir(), 'ussd-relay-test-'))
  const file = join(folder, 'report.json')
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
    const child = spawn('vitest', ['run', ...reporters], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const code = await ended(child)
    return vitestCounts(readIfThere(file)?.toString('utf8'), code)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function title(text: string): void {
  process.stdout.write(`\n> ${text}\n\n`)
}

function ended(child: ReturnType<typeof spawn>): Promise<number | null> {
  return new Promise((resolve) => {
    child.once('error', ({ message }) => {
      process.stdout.write(`${message}\n`)
      resolve(1)
    })
    child.once('close', resolve)
  })
}
