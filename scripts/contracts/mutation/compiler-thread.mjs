import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'

const solc = createRequire(import.meta.url)('solc')

parentPort?.on('message', (input) => parentPort?.postMessage(solc.compile(input)))
