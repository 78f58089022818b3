import { describe, expect, test } from 'vitest'
import { feedLimits } from '../../../../src/node/feed/options.ts'
import { createSessions, type FeedSocket } from '../../../../src/node/feed/sessions.ts'
import { createHandClock } from '../../../support/hand-clock.ts'

const mebibyte = 1_024 * 1_024
/** Has the length of a head's notification. */
const head = 'x'.repeat(1_600)

/** The connections of a feed on a runtime that does not tell what was read. */
function open(limits = feedLimits) {
  const clock = createHandClock()
  const sessions = createSessions({ limits, clock, log: () => {} }, () => {})
  let opened = 0
  return {
    sessions,
    pass: clock.forward,
    /** Adds a client that listens and sends nothing. */
    listener(keyHash: string) {
      const closings: string[] = []
      const socket: FeedSocket = {
        id: `${++opened}`,
        keyHash,
        send: () => {},
        close: (code) => void closings.push(`${code}`),
      }
      const session = sessions.restore(socket)
      return { session, closings, told: (text: string) => sessions.send(session, text) }
    },
  }
}

test('500 clients of one key that only listen to heads stay for 30 minutes at blocks of 2 s', () => {
  const { listener, pass } = open()
  const listeners = Array.from({ length: 500 }, () => listener('key'))
  for (let block = 0; block < 900; block += 1) {
    pass(2_000)
    for (const { told } of listeners) told(head)
  }
  expect(listeners.flatMap(({ closings }) => closings)).toEqual([])
})

describe('a client that sends nothing', () => {
  test('is closed once 8 MiB were sent since it last sent anything, however slowly', () => {
    const { sessions, listener, pass } = open()
    const [silent, asking] = [listener('key'), listener('key')]
    let sent = 0
    while (silent.closings.length === 0 && sent < 10 * mebibyte) {
      pass(25_000)
      for (const { told } of [silent, asking]) told(head)
      sent += head.length
      if (sent % mebibyte < head.length) sessions.recordMessage(asking.session)
    }
    expect([sent <= 8 * mebibyte + head.length, asking.closings]).toEqual([true, []])
    expect(silent.closings).toEqual(['1013'])
  })

  test('cannot push out the clients of other keys: the one of its own key with the most unread data is closed', () => {
    const { listener, pass } = open()
    const other = listener('other')
    for (let sent = 0; sent < 7 * mebibyte; sent += head.length) {
      pass(2_000)
      other.told(head)
    }
    const greedy = Array.from({ length: 10 }, () => listener('key'))
    const mebibyteOfText = 'x'.repeat(mebibyte)
    for (let round = 0; round < 7; round += 1) {
      for (const { told } of greedy) told(mebibyteOfText)
    }
    const closed = greedy.filter(({ closings }) => closings.length > 0)
    expect([closed.length > 5, closed.length < 10, other.closings]).toEqual([true, true, []])
  })

  test('is closed if all keys together leave too much unread, from the key with the most', () => {
    const { listener } = open()
    const mebibyteOfText = 'x'.repeat(mebibyte)
    const ofKeys = [30, 20, 10, 5].map((mebibytes, key) => {
      const clients = Array.from({ length: 5 }, () => listener(`key ${key}`))
      for (let sent = 0; sent < mebibytes; sent += 1) clients[sent % 5]?.told(mebibyteOfText)
      return clients
    })
    const closed = ofKeys.map((clients) => clients.flatMap(({ closings }) => closings).length)
    expect(closed).toEqual([1, 0, 0, 0])
  })

  test('keeps its place until its socket has ended, and takes more places of its key if it left much unread', () => {
    const { sessions, listener, pass } = open({ ...feedLimits, closingPerKey: 3 * mebibyte })
    const enter = (keyHash: string, places = 10) =>
      sessions.open({ id: `new ${keyHash}`, keyHash, send: () => {}, close: () => {} }, places)
    const left = listener('few')
    sessions.close(left.session, 1013, 'read faster')
    expect(enter('few', 1)).toBe(false)
    sessions.remove(left.session.socket.id)
    expect(enter('few', 1)).toBe(true)
    const gone = listener('key')
    gone.told('x'.repeat(4 * mebibyte))
    sessions.close(gone.session, 1013, 'read faster')
    pass(24 * 3_600_000)
    expect([enter('key'), enter('other')]).toEqual([false, true])
    sessions.remove(gone.session.socket.id)
    expect(enter('key')).toBe(true)
  })
})
