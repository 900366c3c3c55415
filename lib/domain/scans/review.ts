import * as v from 'valibot'
import { now } from '../../base/clock.ts'
import { conflict, forbidden, impossible, invalid, notFound } from '../../base/errors.ts'
import { get, put, type UnitOfWork } from '../../engines/table/index.ts'
import { type Actor, maySee, maySeeAll } from '../../platform/permissions.ts'
import { type AssertionInput, type Field, type Kind, kindOfScope, kinds, schemaOf } from '../kinds/index.ts'
import { loadRecordById } from '../records/load.ts'
import { amendRecord, createRecord } from '../records/write.ts'
import { boxAround, extractFields } from './extract.ts'
import { type Found, type Page, type Reading, type Scan, scanReview } from './items.ts'
import { amendScan, loadReading, putReading } from './scans.ts'

/** A person's review of a scan: which values hold, which lines were misread, and the contribution that follows. */

const Linked = v.object({ resource_key: v.string(), id: v.number() })
/** What was decided on one value. `block` gives the place of a value that the service did not find: page and line from 0, as `0_3`. */
const Decision = v.object({
  edited_value: v.optional(v.nullable(v.string()), null),
  uncertain: v.optional(v.boolean(), false),
  linked: v.optional(v.nullable(Linked), null),
  block: v.optional(v.nullable(v.string()), null),
})
const State = v.object({
  field_decisions: v.optional(v.record(v.string(), Decision), {}),
  block_corrections: v.optional(v.record(v.string(), v.object({ corrected_text: v.string() })), {}),
  ontology_handoff_key: v.optional(v.nullable(v.string()), null),
})
export type ReviewState = v.InferOutput<typeof State>
const EMPTY: ReviewState = { field_decisions: {}, block_corrections: {}, ontology_handoff_key: null }

type Review = { id: string; state: string; version: number }
const loadReview = async (id: string): Promise<Review> =>
  (await get(scanReview, { id })) ?? { id, state: JSON.stringify(EMPTY), version: 0 }

/** Loads the decisions and corrections on a document. One call. */
export const loadState = async (id: string): Promise<ReviewState> =>
  v.parse(State, JSON.parse((await loadReview(id)).state))

/** Changes of a review. Null removes a member. */
export type ReviewChanges = {
  field_decisions?: Readonly<Record<string, unknown>> | undefined
  block_corrections?: Readonly<Record<string, unknown>> | undefined
  ontology_handoff_key?: string | null | undefined
}

/** The most characters of the stored review of one document. */
const MOST_STATE = 150_000

/** Merges changes into the review of a document, also inside nested objects. Fails with `conflict` once the document is finalized. */
export async function amendState(unit: UnitOfWork, about: Scan, changes: ReviewChanges): Promise<ReviewState> {
  if (about.finalized_at !== null) throw conflict('This document has been finalized.')
  const old = await loadReview(about.id)
  const merged = mergeDeep(JSON.parse(old.state), changes)
  const parsed = v.safeParse(State, merged)
  if (!parsed.success) throw invalid({ field_decisions: ['Give edited_value, uncertain and linked as the page does.'] })
  const state = JSON.stringify(parsed.output)
  if (state.length > MOST_STATE) throw impossible('This is too much for one document.')
  unit.add([put(scanReview, { id: about.id, state, version: old.version + 1 }, old.version === 0 ? undefined : old)])
  return parsed.output
}

/** Merges changes into a value, member by member; null removes a member. */
function mergeDeep(old: unknown, changes: unknown): unknown {
  if (!isObject(changes)) return changes
  const merged: Record<string, unknown> = { ...(isObject(old) ? old : {}) }
  for (const [name, change] of Object.entries(changes)) {
    if (change === undefined) continue
    if (change === null) delete merged[name]
    else merged[name] = mergeDeep(merged[name], change)
  }
  return merged
}
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The pages with corrected lines. Each word of a corrected line gets the box of the whole line. */
const correctPages = ({ pages }: Pick<Reading, 'pages'>, { block_corrections }: ReviewState): Page[] =>
  pages.map((page, i) => ({
    ...page,
    lines: page.lines.map((line, k) => {
      const corrected = block_corrections[`${i}_${k}`]?.corrected_text
      if (corrected === undefined) return line
      const box = line.length > 0 ? boxAround(line) : ([0, 0, 0, 0] as Found['box'])
      const words = corrected.split(/\s+/).filter(Boolean)
      return words.map((text) => ({ text, confidence: 1, box }))
    }),
  }))

/** Finds the values of a document anew, in the corrected text. They get new ids, so decisions on the former values have no effect any more. */
export async function findAnew(unit: UnitOfWork, about: Scan): Promise<Scan> {
  if (about.status !== 'completed') throw impossible('The text of this document has not been read yet.')
  const [reading, state] = await Promise.all([loadReading(about), loadState(about.id)])
  const fields = await extractFields(correctPages(reading, state))
  unit.afterCommit(() => putReading(about.id, { pages: reading.pages, fields }))
  return amendScan(unit, about, { found_at: now() })
}

/** A value that somebody has decided on, with its place. */
type Decided = {
  name: string
  value: string
  linked: v.InferOutput<typeof Linked> | null
  uncertain: boolean
  place: string
}

/** The values that were decided on, each with page and box. What nobody has decided on is left out. */
function decidedOf({ pages, fields }: Reading, { field_decisions }: ReviewState): Decided[] {
  return Object.entries(field_decisions).flatMap(([id, { edited_value, uncertain, linked, block }]) => {
    const field = fields.find((it) => it.id === id)
    const [page = -1, line = -1] = (block ?? '').split('_').map(Number)
    const words = pages[page]?.lines[line] ?? []
    const value = (edited_value ?? field?.field_value ?? '').trim()
    if (value === '' && !linked) return []
    const at = field
      ? { page: field.page_number, box: field.box }
      : { page: page + 1, box: words.length > 0 ? boxAround(words) : undefined }
    const box = at.box?.some((side) => side > 0) ? `, box ${at.box.join(',')}` : ''
    return [
      { name: field?.field_name ?? id, value, linked, uncertain, place: at.page > 0 ? `page ${at.page}${box}` : '' },
    ]
  })
}

export type Finalized = {
  scan: Scan
  state: ReviewState
  record: { kind: string; id: number; entity_id: string } | null
}

/**
 * Finalizes a document: the values that were decided on become a contribution, which waits for review like any other. The contribution
 * changes the record that the document is about, else makes a record of the kind `ontology_handoff_key`. Without record or kind, no
 * contribution is made. The contribution cites the document, with page and box of each value. Fails with `conflict` if the document is
 * finalized already, and with `invalid` if the values make no contribution.
 */
export async function finalizeScan(unit: UnitOfWork, about: Scan, actor: Actor, origin: string): Promise<Finalized> {
  if (about.finalized_at !== null) throw conflict('This document has been finalized.')
  if (about.status !== 'completed') throw impossible('The text of this document has not been read yet.')
  const [reading, state] = await Promise.all([loadReading(about), loadState(about.id)])
  const handed = state.ontology_handoff_key ? kindOfScope(state.ontology_handoff_key) : undefined
  if (state.ontology_handoff_key && !handed?.fields.name)
    throw impossible('There is no kind to hand this document over to.')
  const decided = decidedOf(reading, state)
  const record = await contribute({ unit, about, actor, origin }, handed, decided)
  const at = now()
  return { scan: amendScan(unit, about, { finalized_at: at, made: record?.entity_id ?? null }), state, record }
}

type Handing = { unit: UnitOfWork; about: Scan; actor: Actor; origin: string }

async function contribute(handing: Handing, handed: Kind | undefined, decided: readonly Decided[]) {
  const { unit, about, actor } = handing
  if (about.entity_id === null) {
    if (!handed) return null
    const made = await createRecord(unit, handed, actor, contributionOf(handing, handed, decided, 'create'))
    return { kind: made.kind, id: made.id, entity_id: made.entity_id }
  }
  if (decided.length === 0) return null
  const old = await loadOwnRecord(about.entity_id, actor)
  const kind = kinds[old.kind]
  await amendRecord(unit, old, actor, contributionOf(handing, kind, decided, 'change'))
  return { kind: old.kind, id: old.id, entity_id: old.entity_id }
}

/** Loads a record to which a person may add a document: their own, or any for staff. Fails with `not_found` or `refused`. */
export async function loadOwnRecord(entity_id: string, actor: Actor) {
  const found = await loadRecordById(entity_id)
  if (!found || !maySee(actor, found)) throw notFound()
  if (found.contributor_id !== actor.id && !maySeeAll(actor)) throw forbidden()
  return found
}

function contributionOf(handing: Handing, kind: Kind, decided: readonly Decided[], mode: 'create' | 'change') {
  const used = decided.flatMap((it) => {
    const field = fieldFor(kind, it)
    return field ? [{ ...it, field }] : []
  })
  const body = {
    ...Object.fromEntries(used.map(({ field, value, linked }) => [field, linked ? linked.id : value])),
    assertion: evidenceOf(handing, used),
  }
  const parsed = v.safeParse(schemaOf(kind, mode), body)
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  throw impossible(`${String(issue?.path?.at(-1)?.key ?? '')}: ${issue?.message ?? ''}`)
}

/**
 * The field of a kind that a value fills: the field of that name. A linked record fills a field that links to its kind, of that name or
 * else the first.
 */
function fieldFor(kind: Kind, { name, linked }: Decided): string | undefined {
  const target = linked ? kindOfScope(linked.resource_key) : undefined
  const fits = ([own, field]: readonly [string, Field]) => own === name || field.aliases.includes(name)
  const named = Object.entries(kind.fields).find(fits)
  if (!target) return named?.[0]
  const links = Object.entries(kind.fields).filter(([, { relation }]) => relation === target.key)
  return (links.find(fits) ?? links[0])?.[0]
}

/** The document as the source of values, with page and box of each. */
function evidenceOf({ about, origin }: Handing, used: readonly (Decided & { field: string })[]): AssertionInput {
  const { collection_name = '', source_institution = '' } = about.provenance
  const places = used.filter(({ place }) => place !== '').map(({ field, place }) => `${field}: ${place}`)
  return {
    source_type: about.media_type === 'document' ? 'pdf' : 'image',
    source_citation: [
      [collection_name, source_institution, about.file_name].filter(Boolean).join(', '),
      ...places,
    ].join('; '),
    source_url: `${origin}/data/ocr-documents/${about.id}/asset/`,
    confidence: used.some(({ uncertain }) => uncertain) ? 'uncertain' : 'likely',
    data_quality_note: '',
  }
}
