import { expect, test } from 'vitest'
import { startLoopbackServer } from '../../../scripts/dev/loopback-server.ts'
import { examine } from '../../../scripts/ops/doctor.ts'
import { createOperatorClient } from '../../../scripts/ops/operator-client.ts'
import { version } from '../../../src/operator/version.ts'

/** Serves a deployment with this version, or without one, and records its requests. */
async function serve(told: string | undefined) {
  const asked: string[] = []
  const server = await startLoopbackServer(async ({ url = '' }, response) => {
    asked.push(url)
    const live = { status: 'ok', version: told }
    const answer = { status: 'ok', failing: [] }
    response.writeHead(['/livez', '/healthz'].includes(url) ? 200 : 404)
    response.end(JSON.stringify(url === '/livez' ? live : answer))
  })
  const operator = createOperatorClient({ origin: server.url, token: 'token', nodeUrl: undefined })
  return { ...server, asked, operator, [Symbol.asyncDispose]: server.close }
}

const [major, next] = [Number.parseInt(version, 10), Number.parseInt(version, 10) + 1]

test('a command refuses a deployment of another major version, and sends it nothing', async () => {
  await using served = await serve(`${next}.0.0`)
  await expect(served.operator.act('pause')).rejects.toThrow(
    `${served.url} is of version ${next}.0.0, these commands of ${version}: take those of its version.`,
  )
  expect(served.asked).toEqual(['/livez'])
})

test.for([version, `${major}.99.0`, undefined])(
  'a command accepts a deployment of version %s',
  async (told) => {
    await using served = await serve(told)
    for (let time = 0; time < 2; time++) await served.operator.act('pause').catch(() => {})
    // It is asked for its version once.
    expect(served.asked).toEqual(['/livez', '/operator/pause', '/operator/pause'])
  },
)

test.for([
  [version, 'ok', `It is ${version}, as this command.`],
  [`${major}.99.0`, 'ok', `It is ${major}.99.0, this command ${version}: they fit.`],
  [`${next}.0.0`, 'bad', `It is ${next}.0.0, this command ${version}: deploy this version,`],
  [undefined, 'bad', `It is older than 1.0.0, this command ${version}: deploy this version,`],
] as const)('the doctor reports a deployment of version %s: %s', async ([told, state, says]) => {
  await using served = await serve(told)
  const findings = await examine(served.url, {})
  expect(findings).toContainEqual({ name: 'version', state, says: expect.stringContaining(says) })
})
