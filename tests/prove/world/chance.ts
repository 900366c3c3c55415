/** Chance from one seed: the same seed gives the same numbers in the same order (mulberry32). */
export type Dice = {
  /** From 0 up to, but not, 1. */
  next: () => number
  /** A whole number from 0 up to, but not, `limit`. */
  below: (limit: number) => number
  /** Whether something that happens so often happens now. */
  happens: (share: number) => boolean
  /** One of these. */
  pick: <T>(all: readonly T[]) => T
}

export function dice(seed: number): Dice {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    happens: (share) => next() < share,
    pick: (all) => {
      const one = all[below(all.length)]
      if (one === undefined) throw new Error('nothing to pick from')
      return one
    },
  }
}

/** A version 4 UUID of these dice. */
export function uuidOf(it: Dice): string {
  const hex = Array.from({ length: 32 }, () => it.below(16).toString(16))
  hex[12] = '4'
  hex[16] = '89ab'.charAt(it.below(4))
  const text = hex.join('')
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`
}
