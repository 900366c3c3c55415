import {
  type AssertionInput,
  assertionInputFields,
  type Contribution,
  type Evidence,
  kinds,
  noSource,
  readAssertionMember,
} from '../kinds/index.ts'
import { evidenceFor, evidenceText, type KnownEvidence } from '../records/evidence.ts'
import { findOption, nearestOption } from './cells.ts'
import { aboutValue, columnOf, type EvidenceCells, evidenceField, type Mapping, type SourceMember } from './mapping.ts'
import type { ReferenceResolver } from './references.ts'
import { type CellFault, columnAbout, type ReadRow } from './rows.ts'

/**
 * Cells about single values: source, type of source, confidence, address and note. Columns such as "condition.confidence" hold them. A
 * value gets a new claim only if its own cell, or a cell about it, was changed.
 */

/** The id of a registered source in a cell. Undefined for a citation in words. */
const registeredId = (text: string): string | undefined =>
  /^#?([0-9a-f]{8}-[0-9a-f-]{27})(?:\s|$)/i.exec(text)?.[1]?.toLowerCase() ?? /^#(\S+)/.exec(text)?.[1]

const sourceField = kinds.assertion.fields.source

/** The faults of the cells about values: unknown choices, and sources that nobody has registered. */
export async function evidenceFaults(
  mapping: Mapping,
  { evidence }: ReadRow,
  sources: ReferenceResolver,
): Promise<CellFault[]> {
  const cells = [...evidence].flatMap(([field, own]) =>
    membersIn(own).map(([member, text]) => ({ field, member, text })),
  )
  const faults = await Promise.all(
    cells.map(async ({ field, member, text }): Promise<CellFault[]> => {
      const message = await faultOf(member, text, sources)
      if (message === undefined) return []
      const choices = assertionInputFields[member]
      const nearest = nearestOption(choices, text)
      return [
        {
          ...{ field: evidenceField(field, member), column: columnAbout(mapping, field, member) },
          ...{ value: text.slice(0, 200).toWellFormed(), message },
          ...(choices.vocabulary && { legal: Object.keys(choices.vocabulary.values) }),
          ...(nearest !== undefined && { nearest }),
        },
      ]
    }),
  )
  return faults.flat()
}

const membersIn = (cells: EvidenceCells) => Object.entries(cells) as [SourceMember, string][]

async function faultOf(member: SourceMember, text: string, sources: ReferenceResolver): Promise<string | undefined> {
  if (text === '') return undefined
  if (!text.isWellFormed()) return 'The text has half of a character. Type it again.'
  const id = member === 'source_citation' ? registeredId(text) : undefined
  if (id !== undefined && sourceField) {
    const resolved = await sources.resolve('source', sourceField, { id })
    return 'fault' in resolved ? resolved.fault : undefined
  }
  const read = readCell(member, text)
  return 'fault' in read ? read.fault : undefined
}

/** A cell as a claim stores it. Choices may be in Nepali, too. */
const readCell = (member: SourceMember, text: string) =>
  readAssertionMember(member, findOption(assertionInputFields[member], text) ?? text)

const readMember = (member: SourceMember, text: string): string => {
  const read = readCell(member, text)
  return 'value' in read ? read.value : text
}

const currentOf = ({ claims, values, revision }: KnownEvidence, field: string): Evidence | undefined =>
  field in values ? evidenceFor(claims, field, values, revision) : undefined

function textOf({ names }: KnownEvidence, current: Evidence | undefined, member: SourceMember): string {
  const column = columnOf[member]
  return column ? evidenceText(current, column, names) : (current?.[member] ?? '')
}

/** Whether a cell says what the record says. Registered sources are compared by id; the name after it does not count. */
function isSameText(member: SourceMember, before: string, after: string): boolean {
  if (before === after) return true
  if (member !== 'source_citation') return before === (after === '' ? noSource[member] : readMember(member, after))
  const id = registeredId(after)
  return id !== undefined && id === registeredId(before)
}

export type EvidenceChange = { field: string; from: string; to: string }

/** The cells about values that differ from what the record says. Cells about a value that the record will not have are ignored. */
export function evidenceChanges(
  known: KnownEvidence,
  evidence: ReadRow['evidence'],
  after: Readonly<Record<string, unknown>>,
): EvidenceChange[] {
  return [...evidence].flatMap(([field, cells]) => {
    const hasValue = field in after ? after[field] !== undefined : field in known.values
    if (!hasValue) return []
    const current = currentOf(known, field)
    return membersIn(cells).flatMap(([member, to]) => {
      const from = textOf(known, current, member)
      return isSameText(member, from, to) ? [] : [{ field: evidenceField(field, member), from, to }]
    })
  })
}

/** Whether the record still has the evidence from which these changes start. */
export const isEvidenceUnchanged = (known: KnownEvidence, changes: readonly EvidenceChange[]): boolean =>
  changes.every(({ field: name, from }) => {
    const about = aboutValue(name)
    return about === undefined || textOf(known, currentOf(known, about.field), about.member) === from
  })

/**
 * The contribution of a row, with the evidence of its values. `fields`: the properties that get a claim. Evidence that no cell changes
 * is taken from the record, as long as value and source stay.
 */
export function withEvidence(
  contribution: Contribution,
  evidence: ReadRow['evidence'],
  fields: ReadonlySet<string>,
  known?: KnownEvidence,
): Contribution {
  const own = [...evidence].flatMap(([field, cells]) => {
    if (!fields.has(field) || contribution.cleared.includes(field)) return []
    const current = known && currentOf(known, field)
    const isKept = !(field in contribution.data)
    return [[field, restate(contribution.assertion, { cells, current, isKept, known })] as const]
  })
  return own.length === 0 ? contribution : { ...contribution, evidence: Object.fromEntries(own) }
}

type Restated = {
  cells: EvidenceCells
  current: Evidence | undefined
  isKept: boolean
  known: KnownEvidence | undefined
}

function restate(shared: AssertionInput, { cells, current, isKept, known }: Restated): Evidence {
  const fresh: Evidence = { ...shared, source: null, supporting_sources: [], confidence_score: null }
  const cited = cells.source_citation
  const before = known ? textOf(known, current, 'source_citation') : ''
  const hasSameSource =
    current !== undefined && (cited === undefined ? isKept : isSameText('source_citation', before, cited))
  const { confidence, confidence_score, data_quality_note } = isKept && current ? current : fresh
  const source = hasSameSource ? sourceOf(current) : citedSource(fresh, cited)
  const stated = membersIn(cells).filter(([member, text]) => member !== 'source_citation' && text !== '')
  const emptied = membersIn(cells).filter(([member, text]) => member !== 'source_citation' && text === '' && current)
  const evidence: Evidence = {
    ...{ ...source, confidence, confidence_score, data_quality_note },
    ...Object.fromEntries(emptied.map(([member]) => [member, noSource[member]])),
    ...Object.fromEntries(stated.map(([member, text]) => [member, readMember(member, text)])),
  }
  return evidence.confidence === confidence ? evidence : { ...evidence, confidence_score: null }
}

type SourceOfValue = Pick<Evidence, 'source' | 'supporting_sources' | 'source_type' | 'source_citation' | 'source_url'>

const sourceOf = ({
  source,
  supporting_sources,
  source_type,
  source_citation,
  source_url,
}: Evidence): SourceOfValue => ({
  ...{ source, supporting_sources, source_type, source_citation, source_url },
})

/** The source that a cell names. Without a cell: the source of the row. */
function citedSource(fresh: Evidence, cited: string | undefined): SourceOfValue {
  if (cited === undefined) return sourceOf(fresh)
  const none = { source: null, supporting_sources: [], source_type: '', source_citation: '', source_url: '' }
  const id = registeredId(cited)
  if (id !== undefined) return { ...none, source: id }
  return /^https?:\/\/\S+$/i.test(cited) ? { ...none, source_url: cited } : { ...none, source_citation: cited }
}
