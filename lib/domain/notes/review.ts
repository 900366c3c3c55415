import * as v from 'valibot'
import { now } from '../../base/clock.ts'
import { conflict, impossible, invalid, Problem } from '../../base/errors.ts'
import { put, type UnitOfWork, withNextVersion } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { type AssertionInput, type Kind, kinds, schemaOf } from '../kinds/index.ts'
import { createClaim } from '../records/assertions.ts'
import { kindOfRecord } from '../records/review-state.ts'
import { createRecord } from '../records/write.ts'
import { type Note, note, noteAddress, type verdicts, visitorIn } from './items.ts'
import { loadNote, type WholeNote } from './notes.ts'
import { visitorActor } from './visitor.ts'

/** The kinds that a note may become, by the names that the dashboard has for them. */
export const targets = {
  Monument: kinds.monument,
  ArchitecturalStructure: kinds.structure,
  Location: kinds.location,
  Person: kinds.person,
  Deity: kinds.deity,
  Event: kinds.event,
  Festival: kinds.festival,
  RitualEvent: kinds.ritual,
  Tradition: kinds.tradition,
  Guthi: kinds.guthi,
  IconographicObject: kinds.iconography,
  CasteGroup: kinds.caste_group,
} as const satisfies Record<string, Kind>
export const targetNames = Object.keys(targets) as (keyof typeof targets)[]

export type Verdict = {
  status: (typeof verdicts)[number]
  review_notes: string
  /** The record that the note becomes a claim of. */
  link_to_entity_id: string | null
  /** The kind of the record that is made of the note. */
  target_type: keyof typeof targets | null
}

/** Days after the decision for which reviewers can still answer a visitor. Then contacts are erased. */
const CONTACT_DAYS = 90

/**
 * Decides on a note. What becomes of it waits for review, and is one transaction with the decision. `target_type` makes a record.
 * `link_to_entity_id` makes a claim of that record, and so does `incorporated` for a note about a record. The author of both is the
 * visitor. Fails with `invalid` if the note is decided on already, and with `conflict` if somebody else was faster.
 */
export async function decideOnNote(
  unit: UnitOfWork,
  whole: WholeNote,
  actor: Actor,
  verdict: Verdict,
  origin: string,
): Promise<Note> {
  const { about: old } = whole
  // A claim lets the unit run again after a conflict. If the conflict was about the note, no further run can store it.
  if (unit.attempt > 1 && (await loadNote(old.id))?.about.version !== old.version) throw conflict()
  if (old.state !== 'pending') throw impossible('This note has been decided on already.')
  const made = await promoteNote(unit, whole, verdict, origin)
  const at = now()
  const hasContacts = old.email !== '' || old.phone !== ''
  const next = withNextVersion<Note>(old, {
    state: verdict.status,
    reviewed_by: actor.id,
    reviewed_at: at,
    review_notes: verdict.review_notes,
    ...made,
    contacts_until: hasContacts ? new Date(Date.parse(at) + CONTACT_DAYS * 86_400_000).toISOString() : null,
    updated_at: at,
  })
  unit.add([put(note, next, old)])
  return next
}

type Promotion = Partial<Pick<Note, 'promoted_entity' | 'promoted_claim'>>

async function promoteNote(unit: UnitOfWork, whole: WholeNote, verdict: Verdict, origin: string): Promise<Promotion> {
  const { status, target_type, link_to_entity_id } = verdict
  const linked = link_to_entity_id ?? (status === 'incorporated' && !target_type ? whole.about.entity_id : null)
  if (status === 'rejected') return {}
  if (target_type && link_to_entity_id)
    throw invalid({ target_type: ['Give target_type or link_to_entity_id, one of them.'] })
  if (target_type) return makeRecord(unit, whole, targets[target_type], origin)
  return linked === null ? {} : makeClaim(unit, whole, linked, origin)
}

/** The note as the source of what it says. */
function evidenceOf({ id, name, way, source_description, created_at }: Note, origin: string): AssertionInput {
  const heard = source_description === '' ? '' : ` ${source_description}`
  const { citation, remark } = visitorIn(name)
  return {
    source_type: 'oral_history',
    source_citation: `${citation}${created_at.slice(0, 10)}.${heard}`,
    source_url: `${origin}${noteAddress(id)}`,
    confidence: 'uncertain',
    data_quality_note: `${remark}${way}`,
  }
}

async function makeRecord(unit: UnitOfWork, { about, content }: WholeNote, kind: Kind, origin: string) {
  const { entity_name, latitude, longitude } = about
  const hasPoint = latitude !== null && longitude !== null && kind.fields.coordinates?.type === 'coordinates'
  const body = {
    [kind.nameField]: entity_name,
    description: content,
    ...(hasPoint && { coordinates: { lat: latitude, lng: longitude } }),
    assertion: evidenceOf(about, origin),
  }
  const parsed = v.safeParse(schemaOf(kind, 'create'), body)
  if (!parsed.success) throw invalid({ target_type: parsed.issues.map(({ message }) => message) })
  const record = await createRecord(unit, kind, await visitorActor(unit), parsed.output)
  return { promoted_entity: record.entity_id }
}

async function makeClaim(unit: UnitOfWork, { about, content }: WholeNote, entity_id: string, origin: string) {
  const { fields } = kindOfRecord(entity_id)
  const data = {
    cultural_entity_id: entity_id,
    asserted_property: 'description' in fields ? 'description' : 'note',
    asserted_value: content,
  }
  const claimed = await createClaim(unit, await visitorActor(unit), {
    data,
    cleared: [],
    assertion: evidenceOf(about, origin),
  }).catch((error: unknown) => {
    if (error instanceof Problem && error.fields?.cultural_entity_id)
      throw invalid({ link_to_entity_id: ['There is no record with this id.'] })
    throw error
  })
  return { promoted_entity: entity_id, promoted_claim: claimed.claim.id }
}
