import * as v from 'valibot'
import { type Kind, kinds } from '../../../lib/kinds/index.ts'
import { type Answer, type Caller, detailOf } from './client.ts'
import { type Draft, pathOf, rowMark } from './draft.ts'
import type { Ready } from './resolve.ts'

/** What the service answers about anything that it stores, as far as an import looks at it. */
const Stored = v.looseObject({
  id: v.optional(v.union([v.number(), v.string()])),
  entity_id: v.optional(v.unknown()),
  cultural_entity_id: v.optional(v.nullable(v.string())),
  name: v.optional(v.string()),
  status: v.optional(v.string()),
  identifier: v.optional(v.string()),
  reconciliation_status: v.optional(v.string()),
  data_quality_note: v.optional(v.string()),
  object_entity_type: v.optional(v.nullable(v.string())),
  object_entity_id: v.optional(v.nullable(v.union([v.number(), v.string()]))),
})
type Stored = v.InferOutput<typeof Stored>
const Listed = v.object({ results: v.array(Stored), next: v.optional(v.nullable(v.string()), null) })

/** A record as the rest of a run needs it. `review` is the id under which it is reviewed, where it is. */
export type Known = { kind: Kind; id: number | string; name: string; review: string | undefined; waits: boolean }

/** How reports name a record. */
export const named = ({ kind, id, review }: Known) => ({ kind: kind.key, id, ...(review && { entity_id: review }) })

export type Callers = { contributor: Caller; reviewer: Caller | undefined }

/**
 * The record that a row was made into by an earlier run, or that stands for the same source id; undefined without one. `fresh` where
 * this run may have made it.
 */
export async function lookUp(
  draft: Draft,
  { body }: Ready,
  callers: Callers,
  fresh = false,
): Promise<Known | undefined> {
  const { kind, row } = draft
  const path = pathOf(kind.key)
  if (kind.key === 'assertion') {
    const found = draft.ends ? await sameRelation(body, callers) : await sameClaim(row.id, callers, fresh)
    return found && knownOf(kind, found)
  }
  if (kind.fields.identifier) return lookUpId(kind, row.id, callers)
  const name = String(body.name ?? '').normalize('NFC')
  for (const query of byName(kind, name)) {
    const found = listOf(await callers.contributor.get(path, { ...query, limit: '100' })).results
    const same = found.find((it) => it.name === name)
    if (same) return knownOf(kind, same)
  }
  return undefined
}

/** Sources are found by their exact name; others are searched for, and may be too new to be found so. */
const byName = ({ key }: Kind, name: string): Record<string, string>[] => {
  const text = [...name].slice(0, 200).join('')
  return key === 'data_source' ? [{ name: text }] : [{ search: text }, {}]
}

/** The record of a kind that carries a source's id. */
export async function lookUpId(kind: Kind, identifier: string, { contributor }: Callers): Promise<Known | undefined> {
  if (!kind.fields.identifier) return undefined
  const listed = listOf(await contributor.get(pathOf(kind.key), { identifier }))
  const found = listed.results.find((it) => it.identifier === identifier)
  return found && knownOf(kind, found)
}

/** What the service answered to a create. */
export const createdOf = (kind: Kind, reply: Answer): Known => knownOf(kind, v.parse(Stored, reply.body))

/** Accepts what waits for review; what has no review stands already. Answers why it could not, or undefined. */
export async function accept(
  { kind, id, review }: Known,
  { contributor, reviewer }: Callers,
): Promise<string | undefined> {
  if (kind.key === 'data_source') return undefined
  if (!reviewer) return 'Nobody was named who reviews.'
  const reply =
    kind.key === 'assertion'
      ? await reviewer.patch(`/cidoc/assertions/${id}/`, { reconciliation_status: 'accepted' })
      : await reviewer.post(`/data/review-workspace/${review}/decide/`, { verdict: 'accept' })
  if (reply.status < 300) return undefined
  // An answer that got lost the first time looks like a conflict the second time.
  if (reply.status === 409 && kind.record) {
    const now = v.safeParse(Stored, (await contributor.get(`${pathOf(kind.key)}${id}/`)).body)
    if (now.success && now.output.status === 'accepted') return undefined
  }
  return `${reply.status} ${detailOf(reply.body)}`
}

async function sameRelation(body: Ready['body'], { contributor }: Callers): Promise<Stored | undefined> {
  const { entity_type, entity_id, asserted_property, object_entity_type, object_entity_id } = body
  const listed = listOf(
    await contributor.get('/cidoc/assertions/', {
      entity_type: String(entity_type),
      entity_id: String(entity_id),
      asserted_property: String(asserted_property),
      limit: '100',
    }),
  )
  return listed.results.find(
    (it) => it.object_entity_type === object_entity_type && String(it.object_entity_id) === String(object_entity_id),
  )
}

/** What rows of claims about no record were made into, by their marks, as a run has found it. */
const walked = new WeakMap<Callers, Promise<Map<string, Stored>>>()

async function sameClaim(row: string, callers: Callers, fresh: boolean): Promise<Stored | undefined> {
  const found = (fresh ? undefined : walked.get(callers)) ?? markedClaims(callers)
  walked.set(callers, found)
  // What has failed is asked for again.
  found.catch(() => walked.delete(callers))
  return (await found).get(rowMark(row))
}

/** No list holds claims about no record alone, and their author is shown them only once they stand: a reviewer walks all claims. */
async function markedClaims({ contributor, reviewer }: Callers): Promise<Map<string, Stored>> {
  const reader = reviewer ?? contributor
  const marked = new Map<string, Stored>()
  for (const status of ['accepted', 'pending', 'disputed', 'superseded']) {
    let query: Record<string, string> | undefined = { status, limit: '100' }
    while (query) {
      const listed: v.InferOutput<typeof Listed> = listOf(await reader.get('/cidoc/assertions/', query))
      for (const it of listed.results)
        for (const line of it.data_quality_note?.split('\n') ?? []) if (!marked.has(line)) marked.set(line, it)
      query = listed.next ? Object.fromEntries(new URL(listed.next).searchParams) : undefined
    }
  }
  return marked
}

function listOf({ status, body }: Answer): v.InferOutput<typeof Listed> {
  const listed = v.safeParse(Listed, body)
  if (status !== 200 || !listed.success) throw new Error(`A look-up was answered ${status}: ${detailOf(body)}`)
  return listed.output
}

function knownOf(kind: Kind, it: Stored): Known {
  const review = kind.key === 'entity' ? it.entity_id : kind.record ? it.cultural_entity_id : undefined
  return {
    kind: kinds[kind.key],
    id: it.id ?? String(it.entity_id),
    name: it.name ?? '',
    review: typeof review === 'string' ? review : undefined,
    waits: (it.status ?? it.reconciliation_status ?? '').startsWith('pending'),
  }
}
