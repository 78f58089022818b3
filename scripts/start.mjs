import { run } from './bootstrap.mjs'

await run('scripts/stack/start.ts', process.argv.slice(2))
