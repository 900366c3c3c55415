import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { likenessText } from '../../../lib/domain/imports/likeness-text.ts'
import { type Answer, type Caller, detailOf, type Send, Unsure } from './client.ts'
import type { Fault } from './draft.ts'

/** Sends tables to the service, has them checked, run and decided on, through the public API. */

const Faults = v.array(
  v.looseObject({ field: v.string(), column: v.nullable(v.string()), value: v.string(), message: v.string() }),
)
/** The members of an import that the command reads. */
const Import = v.looseObject({
  id: v.string(),
  file_name: v.string(),
  state: v.string(),
  failed: v.nullable(v.string()),
  progress: v.nullable(v.object({ task: v.string(), done: v.number(), of: v.number() })),
  counts: v.nullable(v.record(v.string(), v.number())),
  made: v.object({ created: v.number(), amended: v.number(), left: v.number(), failed: v.number() }),
  mapping: v.nullable(
    v.looseObject({
      kind: v.string(),
      match: v.string(),
      rules: v.array(v.looseObject({ field: v.string(), column: v.optional(v.string()) })),
    }),
  ),
  columns: v.array(v.looseObject({ name: v.string(), filled: v.number(), guess: v.nullable(v.string()) })),
  told: v.array(v.string()),
  waiting: v.number(),
})
export type Import = v.InferOutput<typeof Import>

const AnsweredRow = v.looseObject({
  row: v.number(),
  outcome: v.string(),
  name: v.string(),
  entity_id: v.nullable(v.string()),
  faults: Faults,
  doubts: Faults,
  alike: v.array(
    v.looseObject({
      name: v.string(),
      row: v.nullable(v.number()),
      how: v.picklist(['same_identity', 'same_name', 'close']),
      likeness: v.number(),
    }),
  ),
  run: v.nullable(v.object({ what: v.string(), reason: v.string() })),
  record: v.nullable(v.looseObject({ kind: v.string(), id: v.number(), status: v.string() })),
})
export type AnsweredRow = v.InferOutput<typeof AnsweredRow>
const Page = v.object({ count: v.number(), results: v.array(AnsweredRow) })
const Announced = v.object({
  import_id: v.string(),
  upload: v.object({ url: v.string(), fields: v.record(v.string(), v.string()) }),
})

/**
 * How many rows of all tables a task has reached: those that are settled, and those of tables on which it goes on. Looking for
 * look-alikes (`check`) brings no row nearer to its end, so it counts none.
 */
export function rowsDone(all: readonly Import[], task: string, settled: number): number {
  if (task !== 'run' && task !== 'decide') return settled
  return all.reduce((sum, { progress }) => sum + (progress?.task === task ? progress.done : 0), settled)
}

/** What the dry run doubts about a row: cells with their values, and look-alikes with the column and the value of the row's name. */
export function doubtsOf({ outcome, name, alike, doubts }: AnsweredRow, { mapping }: Pick<Import, 'mapping'>): Fault[] {
  const cells = doubts.map((it) => ({
    member: `${it.column ?? it.field} ${JSON.stringify(it.value)}`,
    reason: it.message,
  }))
  if (outcome !== 'doubtful') return cells
  const column = mapping?.rules.find(({ field }) => field === 'name')?.column ?? 'name'
  return [
    ...alike.map((each) => ({ member: `${column} ${JSON.stringify(name)}`, reason: likenessText(each) })),
    ...cells,
  ]
}

/** The service refuses a table. The message says why. */
export class NotTaken extends Error {}

export type Table = {
  name: string
  bytes: Uint8Array<ArrayBuffer>
  /** A mapping or the name of a stored one, or the kind for which a mapping is guessed. Without it, kind and mapping are guessed. */
  part?: { mapping: unknown } | { kind: string } | undefined
}

export type Wishes = {
  dryRun: boolean
  doubtful: 'create' | 'skip'
  /** Whether a row that differs from an existing record changes it (`make`) or not (`leave`). */
  changes: 'make' | 'leave'
}

type Means = { contributor: Caller; reviewer: Caller | undefined; send: Send; sleep: (ms: number) => Promise<void> }
export type Desk = ReturnType<typeof deskOf>

const stateAfter = { check: 'checked', run: 'done', decide: 'done' } as const

/** Files of more bytes go straight to the bucket. */
const LARGEST_FORM = 4 * 1024 * 1024
/** The pauses between looks at a task. The first is short, since small tables are done soon. */
const FIRST_LOOK_MS = 40
const LATER_LOOKS_MS = 250

/** Takes tables through the service, and remembers all of them. `watch` is called with each state of an import. */
export function deskOf({ contributor, reviewer, send, sleep }: Means, watch: (it: Import) => void) {
  const all = new Map<string, Import>()
  const note = (it: Import): Import => {
    all.set(it.id, it)
    watch(it)
    return it
  }
  const look = async (id: string) => note(shownIn(await contributor.get(`/data/imports/${id}/`)))
  const settled = async (first: Import): Promise<Import> => {
    let it = note(first)
    for (let pause = FIRST_LOOK_MS; it.progress; pause = Math.min(pause * 1.5, LATER_LOOKS_MS)) {
      await sleep(pause)
      it = await look(it.id)
    }
    if (it.failed) throw new NotTaken(it.failed)
    return it
  }
  /** Starts a task and waits for its end. If the answer to the start was lost, it looks whether the task has begun. */
  const order = async (
    who: Caller,
    { id }: Import,
    task: keyof typeof stateAfter,
    body: object = {},
  ): Promise<Import> => {
    const reply = await who.post(`/data/imports/${id}/${task}/`, body)
    if (reply.status !== 409) return settled(shownIn(reply))
    const it = await settled(await look(id))
    if (it.state !== stateAfter[task]) throw new NotTaken(detailOf(reply.body))
    return it
  }

  return {
    all: () => [...all.values()],
    /** Sends a table, maps it, checks it, and runs it unless `dryRun`. Throws `NotTaken`. */
    take: async ({ name, bytes, part }: Table, { dryRun, doubtful, changes }: Wishes): Promise<Import> => {
      const read = await settled(await sendFile(contributor, send, name, bytes))
      const meant = part ? note(shownIn(await again(() => contributor.patch(`/data/imports/${read.id}/`, part)))) : read
      const tried = await order(contributor, meant, 'check')
      return dryRun ? tried : order(contributor, tried, 'run', { doubtful, changes })
    },
    /** Accepts all waiting records of an import, as the reviewer. */
    accept: async (it: Import): Promise<Import> =>
      reviewer && it.waiting > 0 ? order(reviewer, it, 'decide', { verdict: 'accept' }) : it,
    /** All rows of an import. */
    rows: async ({ id }: Import): Promise<AnsweredRow[]> => {
      const rows: AnsweredRow[] = []
      for (let count = 1; rows.length < count; ) {
        const query = { limit: '100', offset: String(rows.length) }
        const page = parseAnswer(Page, await contributor.get(`/data/imports/${id}/rows/`, query))
        rows.push(...page.results)
        count = page.results.length === 0 ? 0 : page.count
      }
      return rows
    },
  }
}

async function sendFile(
  contributor: Caller,
  send: Send,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Import> {
  if (bytes.length <= LARGEST_FORM) return shownIn(await contributor.post('/data/imports/', formOf({}, name, bytes)))
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const body = { file_name: name, size: bytes.length, sha256 }
  const { import_id, upload } = parseAnswer(Announced, await contributor.post('/data/imports/uploads/', body))
  const put = await send(upload.url, { method: 'POST', headers: {}, body: formOf(upload.fields, name, bytes) })
  if (!put.ok) throw new NotTaken(`The bucket answered ${put.status}.`)
  return shownIn(await contributor.post(`/data/imports/uploads/${import_id}/complete/`, {}))
}

function formOf(fields: Readonly<Record<string, string>>, name: string, bytes: Uint8Array<ArrayBuffer>): FormData {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  form.set('file', new File([bytes], name))
  return form
}

/** Repeats a call whose answer was lost. Only for calls that may be made twice, such as setting a mapping. */
async function again(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof Unsure) return call()
    throw error
  }
}

const shownIn = (answer: Answer): Import => parseAnswer(Import, answer)

function parseAnswer<S extends v.GenericSchema>(schema: S, { status, body }: Answer): v.InferOutput<S> {
  if (status >= 300) throw new NotTaken(`${status} ${detailOf(body)}`)
  return v.parse(schema, body)
}
