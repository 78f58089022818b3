import { parseDenoConfig } from '../../../src/compose/deno-environment.ts'
import deno from '../../../src/deno.ts'
import { createPhoneApp } from '../phone/page/route.tsx'

type Info = Parameters<typeof deno.fetch>[1]

const app = createPhoneApp({
  relay: (request, c) => deno.fetch(request, c.env as Info),
  config: () => parseDenoConfig(Deno.env.toObject()).config,
  profiles: [],
})

/** Serves the relay on Deno with a page of a phone that dials it, for local use only. */
export default {
  fetch: (request, info) => app.fetch(request, info),
} satisfies Deno.ServeDefaultExport
