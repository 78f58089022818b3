// Stands in front of the bundled Worker and counts what Cloudflare bills of its objects: requests,
// alarms, rows read and written, and the time in which an object is active. The Worker is the same.
import * as bundled from './worker.js'

const counts = {
  objectRequests: 0,
  alarms: 0,
  alarmsSet: 0,
  rowsRead: 0,
  rowsWritten: 0,
  activeMs: 0,
}
let active = 0
let activeSince = 0

/** @param {DurableObjectStorage} storage */
function countRows(storage) {
  const { sql } = storage
  const exec = sql.exec.bind(sql)
  sql.exec = (query, ...bindings) => {
    const cursor = exec(query, ...bindings)
    const toArray = cursor.toArray.bind(cursor)
    cursor.toArray = () => {
      const rows = toArray()
      counts.rowsRead += cursor.rowsRead
      counts.rowsWritten += cursor.rowsWritten
      return rows
    }
    return cursor
  }
  const setAlarm = storage.setAlarm.bind(storage)
  storage.setAlarm = (...given) => {
    counts.alarmsSet += 1
    return setAlarm(...given)
  }
}

/** Several requests at once are active once. */
async function whileActive(work) {
  if (active === 0) activeSince = Date.now()
  active += 1
  try {
    return await work()
  } finally {
    active -= 1
    if (active === 0) counts.activeMs += Date.now() - activeSince
  }
}

function countCalls(Base) {
  class Counted extends Base {
    constructor(state, env) {
      countRows(state.storage)
      super(state, env)
    }
  }
  for (let at = Base.prototype; Object.getPrototypeOf(at) !== Object.prototype; ) {
    for (const name of Object.getOwnPropertyNames(at)) {
      if (name === 'constructor' || Object.hasOwn(Counted.prototype, name)) continue
      const value = function (...given) {
        counts[name === 'alarm' ? 'alarms' : 'objectRequests'] += 1
        return whileActive(() => Base.prototype[name].apply(this, given))
      }
      // Not by assignment: what a class defines may be read-only in those that extend it.
      Object.defineProperty(Counted.prototype, name, { value })
    }
    at = Object.getPrototypeOf(at)
  }
  return Counted
}

export const LedgerObject = countCalls(bundled.LedgerObject)
export const KeysObject = countCalls(bundled.KeysObject)
export const FeedObject = countCalls(bundled.FeedObject)
export const AccountObject = countCalls(bundled.AccountObject)

export default {
  ...bundled.default,
  fetch(request, env, context) {
    if (new URL(request.url).pathname === '/bench/counts') return Response.json(counts)
    return bundled.default.fetch(request, env, context)
  },
}
