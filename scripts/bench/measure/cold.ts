import { readCpuMs } from '../cpu.ts'
import { takeTurns } from '../figures.ts'
import { runLoad } from '../load.ts'
import { form, writePayment } from '../payer.ts'
import { apiKey, type BenchChain } from '../served/chain.ts'
import { serveHono, serveProduct } from '../served/workerd.ts'
import type { World } from '../world.ts'

const starts = 7
const turns = 9
const screens = 160
const title = 'Hono alone'

type Request = { path: string; headers?: Record<string, string>; body?: string; expects: string }

/** Measures an isolate's first request and warm screens beside a Worker of Hono alone. */
export async function measureColdAndScreens(world: World): Promise<void> {
  await measureFirstRequests(world)
  await measureScreens(world)
}

async function measureFirstRequests({ chain, build, figures }: World): Promise<void> {
  const variables = await chain.makeVariables('cold')
  const firsts = listFirstRequests(chain)
  const names = Object.keys(firsts)
  const taken = await takeTurns(names, starts, async (name) => {
    const { path, expects, ...request } = (firsts[name] as () => Request)()
    const isHono = name === title
    const served = await (isHono ? serveHono(build) : serveProduct(build, { variables }))
    try {
      const from = performance.now()
      const method = request.body === undefined ? 'GET' : 'POST'
      const answer = await (await fetch(`${served.url}${path}`, { method, ...request })).text()
      if (!answer.includes(expects)) throw new Error(`a bad first answer: ${answer}`)
      return { ms: performance.now() - from, cpuMs: readCpuMs(served.pid) }
    } finally {
      await served.stop()
    }
  })
  for (const name of names) {
    const own = taken[name] ?? []
    figures.add(`first request of an isolate: ${name}`, 'ms', ...own.map(({ ms }) => ms))
    const cpuMs = own.map((one) => one.cpuMs)
    figures.add(`CPU from the start of workerd to that answer: ${name}`, 'ms', ...cpuMs)
    if (name === title) continue
    const ratios = own.map(({ ms }, index) => ms / (taken[title]?.[index]?.ms ?? 0))
    figures.add(`first request of an isolate: ${name} against ${title}`, 'ratio', ...ratios)
  }
}

function listFirstRequests(chain: BenchChain): Record<string, () => Request> {
  const json = { 'content-type': 'application/json' }
  const chainId = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' })
  const menu = () => ({
    path: '/ussd',
    headers: form,
    body: dial(chain, 'first', ''),
    expects: 'CON ',
  })
  const payment = () => ({
    path: '/ussd',
    headers: form,
    body: writePayment(chain),
    expects: 'END ',
  })
  return {
    [title]: () => ({ path: '/', expects: 'ready' }),
    'a 404': () => ({ path: '/nothing', expects: '' }),
    eth_chainId: () => ({
      path: `/rpc/${apiKey}`,
      headers: json,
      body: chainId,
      expects: '"result"',
    }),
    'a first menu': menu,
    'a first payment': payment,
  }
}

const dial = (chain: BenchChain, sessionId: string, text: string): string =>
  `${new URLSearchParams({ phoneNumber: chain.nextPhone(), sessionId, text })}`

/** Measures balance screens a second beside answers that do nothing. */
async function measureScreens({ chain, build, figures, onEnd }: World): Promise<void> {
  const variables = await chain.makeVariables('cold')
  const served = { relay: await serveProduct(build, { variables }), hono: await serveHono(build) }
  for (const { stop } of Object.values(served)) onEnd(stop)
  let sessions = 0
  const ask = async (name: keyof typeof served) => {
    const bodies = Array.from({ length: screens }, () => dial(chain, `screen-${sessions++}`, '1'))
    const load = { url: `${served[name].url}/ussd`, headers: form, bodies, expects: 'END ' }
    const { startedAt, endedAt } = await runLoad({ ...load, pace: { callers: 16 } })
    return (screens * 1000) / (endedAt - startedAt)
  }
  const names = ['relay', 'hono'] as const
  for (const name of names) for (let turn = 0; turn < 5; turn += 1) await ask(name)
  const { relay, hono } = await takeTurns(names, turns, ask)
  figures.add('balance screens, 16 callers: relay', 'a second', ...relay)
  const ratios = relay.map((perSecond, index) => perSecond / (hono[index] ?? 0))
  figures.add(`balance screens, 16 callers: relay against ${title}`, 'ratio', ...ratios)
}
