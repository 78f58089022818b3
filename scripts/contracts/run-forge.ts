import { spawn } from 'node:child_process'
import { foundryBinary, projectRoot } from './forge.ts'

// `node scripts/contracts/run-forge.ts test …` is `forge test …` with forge's own exit code.
const args = process.argv.slice(2)
const child = spawn(foundryBinary('forge'), args, { cwd: projectRoot, stdio: 'inherit' })
child.once('error', (error) => {
  process.stderr.write(`forge can't be started: ${error.message}\n`)
  process.exitCode = 1
})
child.once('close', (code) => {
  process.exitCode = code ?? 1
})
