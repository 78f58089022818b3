import { existsSync } from 'node:fs'

// wrangler runs this before it builds. Without .dev.vars the Worker serves, and says on every
// request what is missing: that takes one command. Plain JavaScript: it runs on whatever Node
// wrangler has.
const isSetUp = existsSync(new URL('../../.dev.vars', import.meta.url))
if (process.env.WRANGLER_COMMAND === 'dev' && !isSetUp) {
  process.stdout.write(
    'Nothing is set up here yet. Run: npm run setup -- --node-url http://127.0.0.1:8545 (`npx anvil --chain-id 31` starts a node there)\n',
  )
}
