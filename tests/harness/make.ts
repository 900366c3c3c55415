import { AsyncLocalStorage } from 'node:async_hooks'
import { expect } from 'vitest'
import type { Answer, App, Persona } from './app.ts'

/** Records, verdicts and submissions that tests start from, and functions that observe the calls of a request. */

type Made = { id: number; cultural_entity_id: string }

/** Sends a contribution of a kind. Returns the record, which waits for review. */
export async function contribute(who: Persona, segment: string, body: object) {
  return sure(201, await who.post(`/cidoc/${segment}/`, { body }))
}

/** Gives a verdict on a record that waits for review. */
export const decide = (who: Persona, it: Pick<Made, 'cultural_entity_id'>, body: object): Promise<Answer> =>
  who.post(`/data/review-workspace/${it.cultural_entity_id}/decide/`, { body })

/** Sends a contribution, which the curator accepts. Returns the record as it was before the verdict. */
export async function publish(app: App, segment: string, body: object, by: Persona = app.contributor) {
  const made = await contribute(by, segment, body)
  sure(201, await decide(app.curator, made, { verdict: 'accept' }))
  return made
}

/** Returns the body of an answer. Fails the test if the answer has another status. */
export function sure(status: number, answer: Answer) {
  expect(answer.status, answer.text).toBe(status)
  return answer.body
}

export const states = ['published', 'restricted', 'pending', 'rejected', 'revising', 'deleted'] as const
export type State = (typeof states)[number]

/** Makes one record of the contributor in each state that decides who reads it. Its name is "Sight <state>". */
export async function everyState(app: App, segment: string): Promise<Record<State, Made>> {
  const named = (state: State) => ({ name: `Sight ${state}`, note: `A note that is ${state}` })
  const published = await publish(app, segment, named('published'))
  const restricted = await publish(app, segment, { ...named('restricted'), access_tier: 'restricted' })
  const pending = await contribute(app.contributor, segment, named('pending'))
  const rejected = await contribute(app.contributor, segment, named('rejected'))
  sure(201, await decide(app.curator, rejected, { verdict: 'reject', feedback: 'Not heritage.' }))
  const revising = await contribute(app.contributor, segment, named('revising'))
  sure(201, await decide(app.curator, revising, { verdict: 'request_changes', feedback: 'Name a source.' }))
  const deleted = await publish(app, segment, named('deleted'))
  sure(204, await app.staff.delete(`/cidoc/${segment}/${deleted.id}/`))
  return { published, restricted, pending, rejected, revising, deleted }
}

let alike = 0
/** Contributes two records that look alike. Returns the question whether they are one, which the projector would ask. */
export async function lookAlikes(app: App, by: Persona = app.contributor) {
  const { pairId } = await import('../../lib/domain/records/likeness/refused-pairs.ts')
  const { proposeCandidate } = await import('../../lib/domain/identity/propose.ts')
  const body = { name: `Twin Krishna of lane ${++alike}`, coordinates: `27.${6000 + alike}, 85.3` }
  const records = [await contribute(by, 'structures', body), await contribute(by, 'structures', body)]
  const [left, right] = records.map((it) => String(it.cultural_entity_id))
  const flags = await flagsOf({ cultural_entity_id: right ?? '' })
  for (const flag of flags) await proposeCandidate(flag)
  return { id: pairId(left ?? '', right ?? ''), records: records as [Made, Made] }
}

/** Loads the flags of a record. */
export async function flagsOf(it: Pick<Made, 'cultural_entity_id'>) {
  const { loadHistory } = await import('../../lib/domain/records/history.ts')
  return (await loadHistory(it.cultural_entity_id))?.flags ?? []
}

/** A value of `same_as` for `alertOn`. */
export const LINKED = 'https://example.org/moved'

/** Puts in place what projector and sweeper would have made of a record with `same_as: [LINKED]`. Returns the ids. */
export async function alertOn({ cultural_entity_id: entity_id }: Pick<Made, 'cultural_entity_id'>) {
  const { alertIdOf, curatorAlert, targetOf } = await import('../../lib/domain/alerts/items.ts')
  const { followLinks } = await import('../../lib/domain/alerts/follow.ts')
  const { loadRecordById } = await import('../../lib/domain/records/load.ts')
  const { commitWrites } = await import('../../lib/engines/table/immediate.ts')
  const { put } = await import('../../lib/engines/table/index.ts')
  const { now } = await import('../../lib/base/clock.ts')
  await followLinks(undefined, await loadRecordById(entity_id))
  const link = targetOf(entity_id, LINKED)?.id ?? ''
  const alert = alertIdOf(link, 'stale_link')
  const open = { status: 'open' as const, resolved_at: null, resolved_by: null, suggested_replacement_uri: null }
  const about = {
    id: alert,
    link_id: link,
    entity_id,
    issue_type: 'stale_link' as const,
    detail: 'The address is gone.',
  }
  const item = { ...about, ...open, detected_at: now(), created_at: now(), version: 1 }
  await commitWrites([put(curatorAlert, item, undefined)])
  return { link, alert }
}

let submitted = 0
/** Imports a new submission of the old form, by this person. */
export async function submit(contributor: string, more: object = {}): Promise<{ id: number; submission_id: string }> {
  const { importSubmissions } = await import('../../local/commands/import/submissions.ts')
  const row = { contributor, title: `Submitted ${++submitted}`, description: 'As it was sent in.', ...more }
  const report = await importSubmissions([{ file: 'rows', line: 1, row }])
  const [result] = report.rows
  expect(result?.outcome, JSON.stringify(result)).toBe('created')
  return { id: Number(result?.record?.id), submission_id: String(result?.id) }
}

/** Stores `many` copies of a record, each one second older than the one before. They have its revision, no claims and no flags, and pass no review. */
export async function copies(it: Made, many: number, also: object = {}): Promise<void> {
  const { loadHistory } = await import('../../lib/domain/records/history.ts')
  const { recordItem, recordItemOf, revision } = await import('../../lib/domain/records/items.ts')
  const { addressOf, recordId } = await import('../../lib/base/ids/address.ts')
  const { put } = await import('../../lib/engines/table/item.ts')
  const { transact } = await import('../../lib/engines/table/transact.ts')
  const found = await loadHistory(it.cultural_entity_id)
  const current = found?.revisions.find(({ revision_id }) => revision_id === found.current_revision_id)
  if (!found || !current) throw new Error('nothing to copy')
  const code = addressOf(found.entity_id)?.kindCode ?? 0
  const writes = Array.from({ length: many }, (_, i) => i).flatMap((i) => {
    const id = found.id * 1_000_000 + i
    const created_at = new Date(Date.parse(found.created_at) - (i + 1) * 1000).toISOString()
    const own = { id, entity_id: recordId(code, id), name: `Copy ${i}`, created_at, claim_count: 0, open_flags: 0 }
    const copy = { ...recordItemOf(found), ...own, ...also }
    return [put(recordItem, copy, undefined), put(revision, { ...current, entity_id: own.entity_id }, undefined)]
  })
  for (let start = 0; start < writes.length; start += 80) await transact(writes.slice(start, start + 80))
}

/** Whose commands are counted: a projector may run in the same process at the same time. */
const counted = new AsyncLocalStorage<string[]>()

/** Returns the names of the commands that `work` sends to the table. Those of others that run at the same time are not among them. */
export async function commandsOf(work: () => Promise<unknown>): Promise<string[]> {
  const { db } = await import('../../lib/engines/table/client.ts')
  const { refreshKeptState } = await import('../../lib/platform/kept-state.ts')
  // Else a request may read it, as one does every ten seconds.
  await refreshKeptState()
  const seen: string[] = []
  db.middlewareStack.add(
    (next, context) => (args) => {
      counted.getStore()?.push(String(context.commandName))
      return next(args)
    },
    { step: 'initialize', name: 'tally' },
  )
  try {
    await counted.run(seen, work)
    return seen
  } finally {
    db.middlewareStack.remove('tally')
  }
}

/** Runs requests at once. None commits before each has reached its transaction, which is the closest race possible. */
export async function atOnce<T>(requests: readonly (() => Promise<T>)[]): Promise<T[]> {
  const { db } = await import('../../lib/engines/table/client.ts')
  const gate = Promise.withResolvers<void>()
  // A request that fails before its transaction must not block the others forever.
  const giveUp = setTimeout(gate.resolve, 3000)
  let waiting = 0
  db.middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName === 'TransactWriteItemsCommand') {
        waiting += 1
        if (waiting === requests.length) gate.resolve()
        await gate.promise
      }
      return next(args)
    },
    { step: 'initialize', name: 'gate' },
  )
  try {
    return await Promise.all(requests.map((request) => request()))
  } finally {
    clearTimeout(giveUp)
    db.middlewareStack.remove('gate')
  }
}

export type Reader = 'anon' | 'other' | 'contributor' | 'community' | 'staff'
export const people: readonly Reader[] = ['anon', 'other', 'contributor', 'community', 'staff']
/** The people who may read a record of `contributor`, by its state. */
const readers: Record<State, readonly Reader[]> = {
  published: people,
  restricted: ['other', 'contributor', 'community', 'staff'],
  pending: ['contributor', 'staff'],
  rejected: ['contributor', 'staff'],
  revising: ['contributor', 'staff'],
  deleted: ['staff'],
}

/** Each pair of state and person. `sees`: the person may read a record in that state. */
export const sightings = states.flatMap((state) =>
  people.map((who) => ({ state, who, sees: readers[state].includes(who) })),
)
