import { parseDenoConfig } from './compose/deno-environment.ts'
import deno from './deno.ts'
import { createPhoneApp } from './pages/phone/route.tsx'

type Info = Parameters<typeof deno.fetch>[1]

const app = createPhoneApp({
  relay: (request, c) => deno.fetch(request, c.env as Info),
  config: () => parseDenoConfig(Deno.env.toObject()).config,
  profiles: [],
})

/** Serves what Deno does, and a phone that dials it: for a machine of one's own alone. */
export default {
  fetch: (request, info) => app.fetch(request, info),
} satisfies Deno.ServeDefaultExport
