import { run } from './bootstrap.mjs'

await run('scripts/stack/setup.ts', process.argv.slice(2))
