// JSON-RPC passed on to a node: no key, no check, no cache.
export default {
  fetch: async (request: Request, env: { NODE_URL: string }): Promise<Response> =>
    await fetch(env.NODE_URL, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: await request.text(),
    }),
}
