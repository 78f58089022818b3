import fc from 'fast-check'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { createRandom } from '../../../scripts/dev/random.ts'
import { maxValues, parseMessage } from '../../../src/node/message.ts'
import { maxBodyBytes } from '../../../src/node/route.ts'
import {
  type HostilePlan,
  hostileIds,
  hostileMessage,
  hostilePlaces,
  hostileValues,
  randomHostilePlan,
} from '../../chain/node/support/hostile-messages.ts'
import { type Served, serve } from '../../chain/node/support/serve.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { holds } from '../../support/properties.ts'
import { faultOfResponse } from '../../support/requests.ts'
import { sampleOf, seed, times } from '../../support/sample.ts'

let served: Served
const clock = createHandClock()

beforeAll(async () => {
  // No node is there: what is measured is what the service itself does.
  served = await serve(['http://127.0.0.1:9'], 31, fetch, clock)
})

const usual: HostilePlan = {
  ...{ value: 'nulls', place: 'a parameter', id: '1', requests: 1, cut: false },
}

async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

describe('a message of 2 MB', () => {
  test('is parsed once, whatever its ids are', () => {
    for (const id of hostileIds) {
      for (const requests of [1, 50]) {
        const text = hostileMessage({ ...usual, id, requests, value: 'hashes' }, maxBodyBytes)
        const parse = vi.spyOn(JSON, 'parse')
        const message = parseMessage(text)
        const parsed = parse.mock.calls.reduce((sum, [one]) => sum + one.length, 0)
        parse.mockRestore()
        expect(message.kind, id).not.toBe('refused')
        expect(parsed, id).toBeLessThanOrEqual(text.length)
      }
    }
  })

  test('costs no more than 30 times what reading as much plain JSON does', async () => {
    const plain = hostileMessage({ ...usual, value: 'numbers' }, maxBodyBytes)
    const random = createRandom(seed, 'hostile messages')
    const drawn = Array.from({ length: times({ sampled: 12, full: 3_000 }) }, () =>
      randomHostilePlan(random),
    )
    const likely = sampleOf(6, Object.keys(hostileValues)).map((value) => ({
      ...usual,
      ...{ value, id: '1.5', requests: 50 },
    }))
    const costly = sampleOf(3, Object.keys(hostilePlaces)).flatMap((place) =>
      ['blobs of bytes', 'hashes'].map((value) => ({ ...usual, place, value })),
    )
    for (const plan of [...likely, ...costly, ...drawn]) {
      const body = hostileMessage(plan, maxBodyBytes)
      const said = `seed ${seed}: ${JSON.stringify(plan)}`
      let cost = Number.POSITIVE_INFINITY
      // A collection that others caused may come in between, not each time.
      for (let tries = 0; tries < 3 && cost > 30; tries += 1) {
        const unit = await cpuMsOf(() => JSON.parse(plain))
        // Time enough that its turn has come.
        clock.forward(1_000)
        const ms = await cpuMsOf(async () => {
          const response = await served.post(body)
          const fault = faultOfResponse(response.status, await response.text())
          expect(fault, said).toBeUndefined()
        })
        cost = ms / Math.max(unit, 5)
      }
      expect(cost, said).toBeLessThan(30)
    }
  })

  test('with more values than any filter needs is refused in words', () => {
    /** Spread over so many lists, each of them inside `deep` others. */
    const holding = (count: number, deep = 0, lists = 1): string => {
      const list = Array(Math.floor(count / lists))
        .fill('1')
        .join(',')
      const spread = Array(lists).fill(`${'['.repeat(deep)}${list}${']'.repeat(deep)}`)
      return `{"jsonrpc":"2.0","id":1,"method":"x","params":[${spread.join(',')}]}`
    }
    expect(parseMessage(holding(maxValues - 10)).kind).toBe('single')
    const message = `invalid request: a message holds at most ${maxValues} values`
    for (const deep of [0, 1, 2, 3, 9, 500]) {
      for (const lists of [1, 2, 50]) {
        const few = holding(maxValues - lists * (deep + 1) - 10, deep, lists)
        expect(parseMessage(few).kind, `${deep} deep`).toBe('single')
        const many = parseMessage(holding(maxValues + lists, deep, lists))
        expect(many, `${deep} deep`).toMatchObject({
          kind: 'refused',
          error: { code: -32600, message },
        })
      }
    }
  })
})

describe('reading a message', () => {
  const number = fc.constantFrom('1.5', '1e400', '-0.1', '9007199254740993', '1E-7')
  const anyId = fc.oneof(number, fc.constantFrom('7', 'null', '"\\ud800"', '"\\"id\\":2.5"'))
  const name = fc.constantFrom('"id"', '"\\u0069d"', '"i\\u0064"', '"\\u0069\\u0064"')
  const space = fc.constantFrom('', ' ', '\n\t ')
  /** Draws a value that looks like a request's id and is none. */
  const decoy = fc.oneof(
    fc.tuple(name, number).map(([key, id]) => `"params":[{${key}:${id}},[{${key}:${id}}]]`),
    fc.tuple(name, number).map(([key, id]) => `"more":{${key}:${id}}`),
    fc.constantFrom('"more":"id"', '"ID":2.5', '"more":"\\"id\\":2.5,"', '"\\\\":["id"]', '"":{}'),
  )
  const written = fc
    .tuple(fc.array(fc.oneof(decoy, fc.tuple(name, space, anyId))), space)
    .map(([members, gap]) => {
      const ids = members.flatMap((member) => (typeof member === 'string' ? [] : [member[2]]))
      const texts = members.map((member) =>
        typeof member === 'string' ? member : `${member[0]}${member[1]}:${gap}${member[2]}`,
      )
      const text = ['"jsonrpc":"2.0"', ...texts, '"method":"x"'].join(`,${gap}`)
      return { text: `{${text}${gap}}`, id: ids.at(-1) }
    })

  test('finds the last id of each request as it was written, and no other', async () => {
    await holds(
      fc.property(fc.array(written, { minLength: 1, maxLength: 5 }), space, (all, gap) => {
        const batch = parseMessage(`${gap}[${all.map(({ text }) => text).join(`${gap},`)}]`)
        const single = parseMessage(`${gap}${all[0]?.text}`)
        expect(batch.kind === 'batch' && batch.requests.map(({ id }) => id)).toEqual(
          all.map(({ id }) => id),
        )
        expect(single.kind === 'single' && single.request.id).toBe(all[0]?.id)
      }),
    )
  })
})
