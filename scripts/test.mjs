import { run } from './bootstrap.mjs'
import { installDebianPackages } from './debian.mjs'

if (process.env.CI === 'true') installDebianPackages()
await run('scripts/test.ts', process.argv.slice(2))
