/** Postings: which documents hold a term, ascending, and how much it says of each. */
export type Postings = { numbers: Uint32Array; impacts: Uint8Array }

/** A list of ascending numbers that grows, each written as the distance from the last in as few bytes as it needs; an impact may follow each. */
export type Packed = { bytes: Uint8Array; length: number; last: number; count: number }

export const packed = (): Packed => ({ bytes: new Uint8Array(8), length: 0, last: -1, count: 0 })

/** Appends a number greater than all before it. */
export function push(list: Packed, number: number, impact?: number): void {
  if (list.length + 6 > list.bytes.length) {
    const grown = new Uint8Array(list.bytes.length * 2)
    grown.set(list.bytes)
    list.bytes = grown
  }
  let left = number - list.last - 1
  while (left > 127) {
    list.bytes[list.length++] = (left & 127) | 128
    left >>>= 7
  }
  list.bytes[list.length++] = left
  if (impact !== undefined) list.bytes[list.length++] = impact
  list.last = number
  list.count += 1
}

export const bytesOf = (list: Packed): Uint8Array => list.bytes.subarray(0, list.length)

/** Reads what `push` wrote with impacts; `count` is how many there are. */
export function unpackPostings(bytes: Uint8Array, count: number): Postings {
  const numbers = new Uint32Array(count)
  const impacts = new Uint8Array(count)
  let [last, at] = [-1, 0]
  for (let i = 0; i < count; i += 1) {
    let byte = bytes[at++] ?? 0
    let step = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++] ?? 0
      step |= (byte & 127) << shift
    }
    last += step + 1
    numbers[i] = last
    impacts[i] = bytes[at++] ?? 0
  }
  return { numbers, impacts }
}

/** Calls `each` with every number that `push` wrote without impacts. */
export function eachNumber(bytes: Uint8Array, each: (number: number) => void): void {
  let last = -1
  for (let at = 0; at < bytes.length; ) {
    let byte = bytes[at++] ?? 0
    let step = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++] ?? 0
      step |= (byte & 127) << shift
    }
    last += step + 1
    each(last)
  }
}
