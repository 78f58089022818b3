import { withPhone } from './pages/phone/route.tsx'
import worker from './worker.ts'

export * from './worker.ts'

const app = withPhone({
  relay: (request, c) => worker.fetch(request as never, c.env as Env, c.executionCtx as never),
})

/** Serves what the Worker does, and a phone that dials it: for a machine of one's own alone. */
export default {
  ...worker,
  fetch: (request, env, context) => app.fetch(request, env, context),
} satisfies ExportedHandler<Env>
