// JSON-RPC passed on to a node: no key, no check, no cache, no heads.
export default {
  async fetch(request, env) {
    const headers = { 'content-type': 'application/json' }
    return await fetch(env.NODE_URL, { method: 'POST', headers, body: await request.text() })
  },
}
