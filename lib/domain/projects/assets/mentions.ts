import '../../search-words/name-words.ts'
import { mapAtOnce } from '../../../base/concurrency.ts'
import { findPhrases, type Phrase } from '../../../engines/matching/index.ts'
import { getMany, itemIn, queryBetween } from '../../../engines/table/index.ts'
import { foldedName, readEntry } from '../../../platform/name-index/entries.ts'
import { maySee } from '../../../platform/permissions.ts'
import { key } from '../../../platform/table/keys.ts'
import { kinds } from '../../kinds/index.ts'
import type { KindKey } from '../../kinds/keys.ts'
import { type RecordItem, recordItem } from '../../records/items.ts'
import type { Asset } from '../items.ts'

type Suggestion = Asset['entity_suggestions'][number]
type Word = { text: string; confidence: number }

/** The kinds whose names are searched in texts. */
const namedKinds: readonly KindKey[] = [
  'structure',
  'monument',
  'location',
  'person',
  'deity',
  'festival',
  'event',
  'guthi',
]
/** The most phrases of a text that are looked up. A printed page costs about 320 small reads. */
const MAX_PHRASES = 40
/** Phrases that are looked up in parallel. */
const PHRASES_AT_ONCE = 5
/** The most suggestions of one text. */
const MAX_SUGGESTIONS = 20

/** A phrase of a text, and a public record of that name. */
export type NamedRecord = { phrase: Phrase; record: RecordItem }

/** Finds the records that a text names and that everyone may read. A printed page costs some 320 small reads, and one call for each 100 records found. */
export async function findNamedRecords(text: string): Promise<NamedRecord[]> {
  const phrases = findPhrases(text, MAX_PHRASES)
  const hits = await mapAtOnce(phrases, PHRASES_AT_ONCE, async (phrase) => {
    const ids = await recordsNamed(phrase.text)
    return ids.map((entity_id) => ({ entity_id, phrase }))
  })
  const heads = await getMany([...new Set(hits.flat().map(({ entity_id }) => entity_id))].map(key.head))
  return hits.flat().flatMap(({ entity_id, phrase }) => {
    const record = itemIn(heads, recordItem, { entity_id })
    // Anyone may see these names, so they are only of records that everyone may read.
    return record && maySee(null, record) ? [{ phrase, record }] : []
  })
}

/** Finds the public records that a text names. The mean confidence of the OCR in the words of a name orders them, highest first. */
export async function findMentions(text: string, words: readonly Word[]): Promise<Suggestion[]> {
  const best = new Map<string, { record: RecordItem; sure: number }>()
  for (const { phrase, record } of await findNamedRecords(text)) {
    const confidences = phrase.words.map((at) => words[at]?.confidence ?? 0)
    const sure = confidences.reduce((sum, n) => sum + n, 0) / confidences.length
    best.set(record.entity_id, { record, sure: Math.max(best.get(record.entity_id)?.sure ?? 0, sure) })
  }
  return [...best.values()]
    .map(({ record, sure }) => {
      const { className, label } = kinds[record.kind]
      return { label: record.name, ontology_class: className, confidence: Math.round(sure * 100) / 100, hint: label }
    })
    .sort((a, b) => b.confidence - a.confidence || (a.label < b.label ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS)
}

async function recordsNamed(text: string): Promise<string[]> {
  const name = foldedName(text)
  const entries = await Promise.all(
    namedKinds.map((kind) => queryBetween(key.name(kind, name, '').pk, `${name}#`, `${name}#~`, 3)),
  )
  return entries.flat().map((entry) => readEntry(entry).entity_id)
}
