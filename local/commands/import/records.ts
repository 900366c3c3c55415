import * as v from 'valibot'
import { type Kind, kinds } from '../../../lib/domain/kinds/index.ts'
import { type Answer, type Caller, detailOf } from './client.ts'
import { type Draft, pathOf } from './draft.ts'
import type { Ready } from './resolve.ts'

/** The members of the service's answers that an import reads. */
const Stored = v.looseObject({
  id: v.optional(v.union([v.number(), v.string()])),
  entity_id: v.optional(v.unknown()),
  cultural_entity_id: v.optional(v.nullable(v.string())),
  name: v.optional(v.string()),
  status: v.optional(v.string()),
  identifier: v.optional(v.string()),
  reconciliation_status: v.optional(v.string()),
  object_entity_type: v.optional(v.nullable(v.string())),
  object_entity_id: v.optional(v.nullable(v.union([v.number(), v.string()]))),
})
type Stored = v.InferOutput<typeof Stored>
const Listed = v.object({ results: v.array(Stored) })

/** A record as a run needs it. `review` is its review identity, if it is reviewed; `waits` says that it waits for review. */
export type Known = { kind: Kind; id: number | string; name: string; review: string | undefined; waits: boolean }

/** A record as reports name it. */
export const reportName = ({ kind, id, review }: Known) => ({
  kind: kind.key,
  id,
  ...(review && { entity_id: review }),
})

export type Callers = { contributor: Caller; reviewer: Caller | undefined }

/**
 * The record that an earlier run made from a row, or that has the row's source id; undefined if there is none.
 */
export async function lookUp(draft: Draft, { body }: Ready, callers: Callers): Promise<Known | undefined> {
  const { kind, row } = draft
  const path = pathOf(kind.key)
  if (kind.key === 'assertion') {
    if (!draft.ends) return lookUpId(kind, row.id, callers)
    const found = await sameRelation(body, callers)
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

/** Queries that find a record by name. Sources match exactly. Search may miss a new record, so the whole list follows. */
const byName = ({ key }: Kind, name: string): Record<string, string>[] => {
  const text = [...name].slice(0, 200).join('')
  return key === 'data_source' ? [{ name: text }] : [{ search: text }, {}]
}

/** The record of a kind that has this identifier. */
export async function lookUpId(kind: Kind, identifier: string, { contributor }: Callers): Promise<Known | undefined> {
  if (!kind.fields.identifier) return undefined
  const listed = listOf(await contributor.get(pathOf(kind.key), { identifier }))
  const found = listed.results.find((it) => it.identifier === identifier)
  return found && knownOf(kind, found)
}

/** The record in the service's answer to a create. */
export const createdOf = (kind: Kind, reply: Answer): Known => knownOf(kind, v.parse(Stored, reply.body))

/** Accepts a record as the reviewer. Sources need no review. Returns why it failed, or undefined. */
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
  // If the answer to a first try was lost, the second one gets 409: then the record may be accepted already.
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
