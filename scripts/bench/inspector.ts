/** The inspector of one isolate: https://chromedevtools.github.io/devtools-protocol/. */
export type Inspector = {
  send: (method: string, params?: object) => Promise<unknown>
  close: () => void
}

/** Opens the inspector of the product's isolate. @throws {Error} it does not answer */
export async function openInspector(inspectorUrl: string | undefined): Promise<Inspector> {
  if (inspectorUrl === undefined) throw new Error('this workerd was started without an inspector')
  const socket = new WebSocket(new URL('/core:user:ussd-relay', inspectorUrl))
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = () => reject(new Error('the inspector does not answer'))
  })
  const waiting = new Map<number, (result: unknown) => void>()
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(`${data}`) as { id?: number; result?: unknown }
    if (message.id !== undefined) waiting.get(message.id)?.(message.result)
  }
  let calls = 0
  return {
    send(method, params = {}) {
      calls += 1
      const id = calls
      const answer = new Promise((resolve) => waiting.set(id, resolve))
      socket.send(JSON.stringify({ id, method, params }))
      return answer
    },
    close: () => socket.close(),
  }
}
