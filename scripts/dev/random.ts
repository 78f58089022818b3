/** Is a stream of numbers that depends only on seed and key. */
export type Random = ReturnType<typeof createRandom>

/** Makes a stream for each key, so that no decision depends on those before it. */
export function createRandom(seed: number, key = '') {
  const [a, b] = mix(seed, key)
  let state = a
  let counter = b | 1

  /** Returns a number in [0, 1): Mulberry32 over a state that the key's hash starts. */
  function next(): number {
    state = (state + 0x6d2b79f5 + counter) | 0
    counter = (counter + 0x9e3779b8) | 1
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))

  return {
    next,
    int,
    chance: (probability: number) => next() < probability,
    pick<Item>(items: readonly Item[]): Item {
      const item = items[int(0, items.length - 1)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
    /** Picks one of the items by their weights. */
    weighted<Item>(items: readonly (readonly [Item, number])[]): Item {
      let left = next() * items.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [item, weight] of items) {
        left -= weight
        if (left < 0) return item
      }
      throw new Error('nothing to pick from')
    },
  }
}

/** Mixes key and seed into two words (as cyrb53 does). */
function mix(seed: number, key: string): [number, number] {
  let h1 = 0xdeadbeef ^ seed
  let h2 = 0x41c6ce57 ^ Math.floor(seed / 4294967296) ^ Math.imul(seed, 0x27d4eb2f)
  for (let index = 0; index < key.length; index++) {
    const code = key.charCodeAt(index)
    h1 = Math.imul(h1 ^ code, 2654435761)
    h2 = Math.imul(h2 ^ code, 1597334677)
  }
  h1 = Math.imul(h1 ^ (h1 >>> 16), 2246822507) ^ Math.imul(h2 ^ (h2 >>> 13), 3266489909)
  h2 = Math.imul(h2 ^ (h2 >>> 16), 2246822507) ^ Math.imul(h1 ^ (h1 >>> 13), 3266489909)
  return [h1, h2]
}
