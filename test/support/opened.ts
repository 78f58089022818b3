import { beforeAll } from 'vitest'

/** Starts something before the tests of a file or group, and stops it after them. */
export function opened<Thing extends { stop(): unknown } | { close(): unknown }>(
  start: () => Promise<Thing>,
): Thing {
  const thing = {} as Thing
  beforeAll(async () => {
    Object.assign(thing, await start())
    return async () => void (await ('stop' in thing ? thing.stop() : thing.close()))
  })
  return thing
}
