import '../search-words/name-words.ts'
import { withCalendar } from '../../engines/calendars/index.ts'
import { type Comparator, type Comparison, compareClaims } from '../../engines/matching/index.ts'
import { comparatorOf, kinds } from '../kinds/index.ts'
import type { Assertion, LoadedRecord } from './items.ts'
import { rungOf, sortOfProperty } from './rules/evidence.ts'

/** Compares values of one property, and decides whether a claim corrects what its own author said before. */

type Compared = Pick<LoadedRecord, 'kind' | 'data'>
type Judged = Compared & Pick<LoadedRecord, 'assertions'>

/** Returns the comparator of a field. Undefined if the kind has no such field. */
function comparatorIn({ kind }: Pick<LoadedRecord, 'kind'>, property: string): Comparator | undefined {
  const field = kinds[kind].fields[property]
  return field && comparatorOf(field)
}

/** Compares two values. Null if one is missing, or if the kind has no such field. Bare years are read in the record's calendar. */
export function compareValues(
  record: Compared,
  property: string,
  a: Pick<Assertion, 'value'> | undefined,
  b: Pick<Assertion, 'value'> | undefined,
): Comparison | null {
  const comparator = comparatorIn(record, property)
  if (!comparator || a?.value === undefined || b?.value === undefined) return null
  const comparable = <T>(value: T) => (comparator === 'date' ? withCalendar(value, record.data.calendar_system) : value)
  return compareClaims(comparator, comparable(a.value), comparable(b.value))
}

/**
 * Whether a claim corrects a standing claim. Both have the same author: a person by hand, or the same machine. The new source is the same
 * or a better one. No living claim of another person supports the standing value. Two claims without a source both rest on the author's
 * word, which is the same source.
 */
export const isCorrection = (record: Judged, standing: Assertion, claim: Assertion): boolean =>
  standing.contributor_id === claim.contributor_id &&
  standing.software === claim.software &&
  (isSameSource(standing, claim) || hasBetterSource(record, standing, claim)) &&
  !isSupported(record, standing)

const isSameSource = (a: Assertion, b: Assertion): boolean =>
  a.source_type === b.source_type &&
  a.source === b.source &&
  a.source_citation === b.source_citation &&
  a.source_url === b.source_url

/** Whether the type of the new claim's source knows this sort of property better. A named source without a type is not compared. */
function hasBetterSource({ kind }: Compared, standing: Assertion, claim: Assertion): boolean {
  const sort = sortOfProperty(kinds[kind], claim.asserted_property)
  const isKnown = standing.source_type !== '' || !namesSource(standing)
  return isKnown && rungOf(claim.source_type, sort) < rungOf(standing.source_type, sort)
}

const namesSource = ({ source, source_citation, source_url }: Assertion): boolean =>
  source !== null || source_citation !== '' || source_url !== ''

/** Whether a living claim of another person says what this claim says, or says it more exactly. */
const isSupported = (record: Judged, standing: Assertion): boolean =>
  record.assertions.some(
    (other) =>
      other.contributor_id !== standing.contributor_id &&
      other.asserted_property === standing.asserted_property &&
      other.reconciliation_status !== 'superseded' &&
      ['same', 'refines'].includes(compareValues(record, other.asserted_property, standing, other) ?? ''),
  )
