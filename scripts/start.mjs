import { run } from './bootstrap.mjs'
import { provideRedisServer } from './debian.mjs'

const args = process.argv.slice(2)
if (args.includes('--deno') && !process.env.UPSTASH_REDIS_REST_URL) provideRedisServer()
await run('scripts/stack/start.ts', args)
