import * as v from 'valibot'
import { defineItem, parse, queryBetween } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'

/** The item types of citations: what was asked and when, and which records the answer had, in parts. */

/** A question as it is kept: the path of a list or search, and its query in order of names. */
export const Question = v.object({
  path: v.string(),
  query: v.array(v.tuple([v.string(), v.string()])),
})
export type Question = v.InferOutput<typeof Question>

/** A citation. It holds ids of contributors and no names, so it stays true when a contributor leaves. */
export const Citation = v.object({
  id: v.string(),
  question: Question,
  at: v.string(),
  count: v.number(),
  /** SHA-256 over a line for each record, in order of their review identities. */
  digest: v.string(),
  /** How many records there are of each kind. */
  kinds: v.record(v.string(), v.number()),
  licences: v.array(v.string()),
  /** Ids of users, those with the most values first, `MOST_NAMED` at most. */
  contributors: v.array(v.string()),
  contributor_count: v.number(),
  /** The first review identity of each part. */
  starts: v.array(v.string()),
  version: v.number(),
})
export type Citation = v.InferOutput<typeof Citation>
export const citation = defineItem({
  type: 'citation',
  schema: Citation,
  key: (it: { id: string }) => key.citation(it.id),
})

export const RECORDS_IN_PART = 100
const CitationPart = v.object({ id: v.string(), number: v.number(), lines: v.array(v.string()), version: v.number() })
export const citationPart = defineItem({
  type: 'citation_part',
  schema: CitationPart,
  key: (it: { id: string; number: number }) => key.citationPart(it.id, it.number),
})

/**
 * One record of a citation. `accepted` is when its revision was published, in milliseconds; 0 if that is unknown. `links` are the ends of
 * its links that were public when it was cited: `kind/id`.
 */
export type CitedEntry = {
  entity_id: string
  revision: number
  accepted: number
  digest: string
  links: readonly string[]
}

/** An entry as it is stored: about 100 bytes. */
export const lineOf = ({ entity_id, revision, accepted, digest, links }: CitedEntry): string =>
  [entity_id, revision, accepted, digest, ...links].join(' ')
function entryOf(line: string): CitedEntry {
  const [entity_id = '', revision = '', accepted = '', digest = '', ...links] = line.split(' ')
  return { entity_id, revision: Number(revision), accepted: Number(accepted), digest, links }
}

/** Loads the entries of some parts, in order. One call. */
export async function loadEntries(id: string, first: number, last: number): Promise<CitedEntry[]> {
  const [from, to] = [key.citationPart(id, first), key.citationPart(id, last)]
  const items = await queryBetween(from.pk, from.sk, to.sk, last - first + 1)
  return items.flatMap((item) => parse(citationPart, item).lines.map(entryOf))
}
