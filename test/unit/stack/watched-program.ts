import process from 'node:process'
import { watchStarter } from '../../../scripts/stack/processes.ts'

// Is started by a test, in the place of a command that the bootstrap starts.
watchStarter(() => process.exit(7))
if (process.argv[2] === 'works') {
  setInterval(() => {}, 1_000)
  process.send?.('works')
}
