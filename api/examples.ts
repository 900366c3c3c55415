import { readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { isJson } from './json.ts'

/**
 * What was once sent to an operation and what it answered, by operationId: JSON by its status, and what a 200 was in other
 * media types.
 */
export type Examples = Record<
  string,
  { request?: unknown; answers: Record<string, unknown>; others?: Record<string, unknown> }
>

/** Recorded, not written: packed, so that no change of the code is hidden among them. */
const EXAMPLES = new URL('examples.json.br', import.meta.url)
export const examples: Examples = JSON.parse(brotliDecompressSync(readFileSync(EXAMPLES)).toString())

/** Keeps examples for all who build the document from here on, in this process too. */
export function keepExamples(next: Examples): void {
  writeFileSync(EXAMPLES, brotliCompressSync(JSON.stringify(next)))
  Object.assign(examples, next)
}

type Exchange = { id: string; status: number; type: string; sent?: unknown; body: unknown }

/**
 * Examples out of what a test run has recorded, one line of JSON for each exchange: of each operation and status the one
 * that says most, as long as it is short enough to be read. Those that are known stay, but for `again`.
 */
export function gatherExamples(lines: string, known: Examples, again = false): Examples {
  const made: Examples = structuredClone(known)
  const exchanges = lines
    .split('\n')
    .filter(Boolean)
    .map((line): Exchange => JSON.parse(line))
    // Those with a path for a name belong to operations that have no row yet.
    .filter(({ id }) => !id.includes(' '))
  const best = new Map<string, Exchange>()
  for (const one of exchanges.map(trimmed)) {
    const at = `${one.id} ${one.status} ${one.type}`
    if (worth(one) > worth(best.get(at))) best.set(at, one)
  }
  for (const { id, status, type, sent, body } of best.values()) {
    const own = made[id] ?? { answers: {} }
    made[id] = own
    if (type === 'application/json') own.answers[status] = again ? body : (own.answers[status] ?? body)
    else if (status === 200) own.others = again ? { ...own.others, [type]: body } : { [type]: body, ...own.others }
    if (isJson(sent)) own.request ??= sent
  }
  return Object.fromEntries(Object.entries(made).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** How many characters are read at a glance. */
const LONG = 2500
const LONGEST = 12_000

function worth(it: Exchange | undefined): number {
  if (!it) return -LONGEST
  const size = JSON.stringify([it.sent, it.body]).length
  return size <= LONG ? size : -size
}

const trimmed = ({ sent, body, ...rest }: Exchange): Exchange => ({
  ...rest,
  sent: shown(sent),
  body: shown(body),
})

/** The first of each list but for coordinates, long texts cut, and no token or seal that was good for a moment. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return isPosition(value) ? value : value.slice(0, 1).map(shown)
  if (typeof value === 'string') return secretless(value)
  if (!isJson(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, name === 'password' ? 'a long passphrase' : shown(each)]),
  )
}

const isPosition = (list: readonly unknown[]) => list.length === 2 && list.every((it) => typeof it === 'number')

const secretless = (text: string) =>
  /^eyJ[\w-]+\./.test(text) ? 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln' : text.replace(/&hint=[\w-]+/, '').slice(0, 300)
