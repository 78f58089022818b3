const headers = { 'content-type': 'application/json' }

// JSON-RPC passed on to a node: no key, no check, no cache, no heads.
export default {
  async fetch(request: Request, env: { NODE_URL: string }): Promise<Response> {
    const ask = (body: string) => fetch(env.NODE_URL, { method: 'POST', headers, body })
    if (!request.headers.has('upgrade')) return await ask(await request.text())
    const { 0: webSocket, 1: server } = new WebSocketPair()
    server.accept()
    server.addEventListener('message', async ({ data }) => {
      server.send(await (await ask(data as string)).text())
    })
    return new Response(null, { status: 101, webSocket })
  },
}
