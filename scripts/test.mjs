import { run } from './bootstrap.mjs'
import { installDebianPackages, provideRedisServer } from './debian.mjs'

if (process.env.CI === 'true') installDebianPackages()
else if (!provideRedisServer()) {
  process.stdout.write(
    'redis-server is missing: what needs it is skipped. Install it: apt-get install redis-server\n',
  )
}
await run('scripts/testing/test.ts', process.argv.slice(2))
