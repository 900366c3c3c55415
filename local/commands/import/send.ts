import * as v from 'valibot'
import { type Answer, detailOf, Gone, Unsure } from './client.ts'
import { type Draft, type Fault, pathOf } from './draft.ts'
import { fieldOf } from './mappings.ts'
import { accept, type Callers, createdOf, type Known, lookUp } from './records.ts'
import { type Ready, without } from './resolve.ts'

/** Who sends rows, whether values outside a controlled list go into the note (`lenient`), and how to wait. */
export type Sending = { callers: Callers; lenient: boolean; sleep: (ms: number) => Promise<void> }

const MOST_TRIES = 6
/** Milliseconds before the next try. */
const delay = (tries: number) => 100 * 2 ** tries

/**
 * Creates the record of a row. Tries again after a conflict. If no answer came, it first looks whether the record exists. Returns faults
 * if the row is refused; throws if the outcome is unknown.
 */
export async function sendRecord(
  draft: Draft,
  ready: Ready,
  sending: Sending,
  tries = 1,
): Promise<{ known: Known; ready: Ready } | Fault[]> {
  const { callers, lenient, sleep } = sending
  const reply = await callers.contributor.post(pathOf(draft.kind.key), ready.body).catch((error: unknown) => {
    if (error instanceof Unsure && !(error instanceof Gone) && tries < MOST_TRIES) return error
    throw error
  })
  if (reply instanceof Unsure || (reply.status === 409 && tries < MOST_TRIES)) {
    await sleep(delay(tries))
    const known = await lookUp(draft, ready, callers)
    return known ? { known, ready } : sendRecord(draft, ready, sending, tries + 1)
  }
  if (reply.status < 300) return { known: createdOf(draft.kind, reply), ready }
  if (![400, 413, 422].includes(reply.status)) throw new Error(`${reply.status} ${detailOf(reply.body)}`)
  const milder = lenient ? withoutOptions(draft, ready, reply) : undefined
  return milder ? sendRecord(draft, milder, sending, tries) : refusedMembers(draft, ready, reply)
}

/** Accepts a record as the reviewer. Tries again after a conflict. Returns why it failed, or undefined. */
export async function acceptRecord(known: Known, sending: Sending, tries = 1): Promise<string | undefined> {
  const reason = await accept(known, sending.callers).catch((error: unknown) => {
    if (error instanceof Gone) throw error
    if (error instanceof Unsure) return `409 ${error.message}`
    return error instanceof Error ? error.message : String(error)
  })
  if (reason === undefined || !reason.startsWith('409') || tries >= MOST_TRIES) return reason
  await sending.sleep(delay(tries))
  return acceptRecord(known, sending, tries + 1)
}

const FieldErrors = v.record(v.string(), v.union([v.array(v.string()), v.string()]))

/** The row with values outside a controlled list moved into the note; undefined if something else was refused too. */
export function withoutOptions(draft: Draft, ready: Ready, reply: Answer): Ready | undefined {
  const errors = v.safeParse(FieldErrors, reply.body)
  if (!errors.success) return undefined
  const fields = Object.entries(errors.output)
  if (fields.length === 0 || !fields.every(([member]) => fieldOf(draft.kind, member)?.type === 'select'))
    return undefined
  return fields.reduce((it, [member, said]) => without(it, member, draft, String(said)), ready)
}

export function refusedMembers(draft: Draft, { body }: Ready, reply: Answer): Fault[] {
  const errors = v.safeParse(FieldErrors, reply.body)
  if (!errors.success) return [{ member: '', reason: `${reply.status} ${detailOf(reply.body)}` }]
  return Object.entries(errors.output).map(([field, said]) => {
    const value = body[field]
    const sent = typeof value === 'string' && value.length <= 80 ? ` ${JSON.stringify(value)}` : ''
    return { member: `${draft.origins.get(field) ?? field}${sent}`, reason: [said].flat().join(' ') }
  })
}
