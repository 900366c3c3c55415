import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { newId } from '../../../base/clock.ts'
import type { Scope } from '../../../base/visibility.ts'
import { cut, plainWords } from '../../matching/index.ts'
import type { SearchDocument } from '../document.ts'
import { buildSnapshot } from '../index/build.ts'
import { gramsOf, skeletonOf } from '../index/grams.ts'
import { identifierTerm } from '../index/identifiers.ts'
import { nameTerm } from '../index/names.ts'
import { openSnapshotFile, type SnapshotFile } from '../index/snapshot-file.ts'
import { findMentions, nearbyTags, tagOf } from '../index/tags.ts'
import { genericTerms, sortTerms, splitWords, toTerm, townTerms, type Word } from '../index/words.ts'
import { Corpus } from '../model/corpus.ts'
import { otherSpellingsOf } from '../model/spellings.ts'
import type { SearchQuery } from '../query.ts'
import { synonymsOf } from '../synonyms.ts'
import { loadVocabulary } from '../vocabulary.ts'
import type { Behind } from './behind.ts'
import { askServer, type Json } from './client.ts'
import { all, any, bestFirst, filtersOf, none, scopeFilter } from './filters.ts'
import { featureOf } from './layout.ts'

// Our engine reads a question over a small corpus. It holds the documents that the server finds for the words, in any spelling, and those
// that the question may name. The server counts the documents of each word, so that weights do not depend on the candidates.

/** The most words of a question that candidates are asked for. */
const MOST_WORDS = 24
/** The most words of a name. */
const MOST_NAME_WORDS = 4
/** The most candidates that each query to the server brings. */
const SIZES = { named: 80, filtered: 80, called: 60, near: 60 }

// prove: memory
let empty: Promise<SnapshotFile> | undefined

/** A corpus without documents. All such corpora share one empty file. */
async function emptyCorpus(): Promise<Corpus> {
  empty ??= makeEmptyFile()
  return new Corpus(await empty)
}
async function makeEmptyFile(): Promise<SnapshotFile> {
  await loadVocabulary()
  const path = join(tmpdir(), `search-${newId()}.sqlite`)
  await buildSnapshot(path, [], 0)
  const file = openSnapshotFile(path)
  rmSync(path)
  return file
}

type Filters = Omit<SearchQuery, 'limit' | 'text'>

/** A corpus of these documents, with the changes that the server lacks. */
export async function corpusOf(documents: Iterable<SearchDocument>, { changes }: Behind): Promise<Corpus> {
  const corpus = await emptyCorpus()
  const unknown = new Set(changes.map(({ id }) => id))
  for (const document of documents) if (!unknown.has(document.id)) corpus.apply(document)
  for (const change of changes) corpus.apply(change)
  return corpus
}

/** The candidates of a question, with the counts of its words. One call. */
export async function gatherCandidates(text: string, filters: Filters, behind: Behind): Promise<Corpus> {
  await loadVocabulary()
  const words = [...new Map(splitWords(cut(text, 300)).map((word) => [word.raw, word])).values()].slice(0, MOST_WORDS)
  if (words.length === 0) return corpusOf([], behind)
  const withheld = behind.changes.map(({ id }) => id)
  const seen = all(scopeFilter(filters.scope), none([{ ids: { values: withheld } }]))
  const counted = countedTerms(words)
  const asked = any([...words.flatMap(exactClauses), ...tagClauses(words)])
  const [counts, ...pages] = await askServer([
    { size: 0, query: none([{ ids: { values: withheld } }]), aggs: countsOf(counted) },
    { size: SIZES.named, query: scoreWithin(asked, seen), sort: bestFirst },
    { size: SIZES.filtered, query: scoreWithin(asked, filtersOf(filters, withheld)), sort: bestFirst },
    { size: SIZES.called, query: all(seen, { terms: { terms: calledTerms(text, words) } }), sort: [{ order: 'asc' }] },
    { size: SIZES.near, query: scoreWithin(any(words.flatMap(nearClauses)), seen), sort: bestFirst },
  ])
  const corpus = await corpusOf(
    pages.flatMap(({ found }) => found.map(({ document }) => document)),
    behind,
  )
  knowCounts(corpus, counted, counts?.counts ?? {})
  return corpus
}
const scoreWithin = (query: Json, filter: Json): Json => ({ bool: { must: [query], filter: [filter] } })

/** Clauses for documents of each concept that the question names. Our engine reads a concept only if its corpus has such documents. */
const tagClauses = (words: readonly Word[]): Json[] =>
  findMentions(words).map(({ concept }) => ({
    rank_feature: { field: `by_name.${featureOf(tagOf(concept))}`, linear: {}, boost: 2 / 255 },
  }))

/** Clauses for a word as it stands, its spellings, synonyms and completions. Words for sorts of things, towns and generic words weigh less. */
function exactClauses(word: Word, at: number, words: readonly Word[]): Json[] {
  if (word.aside && words.length > 1) return []
  const weight =
    sortTerms().has(word.term) || townTerms().has(word.term) ? 0.4 : genericTerms().has(word.term) ? 0.8 : 1
  const feature = (term: string, boost: number): Json => ({
    rank_feature: { field: `by_name.${featureOf(term)}`, linear: {}, boost: boost / 255 },
  })
  const next = words[at + 1]
  const others = [...otherSpellingsOf(word.sound)].map(toTerm)
  const isLast = at === words.length - 1
  return [
    feature(word.term, weight),
    ...others.map((term) => feature(term, weight * 0.9)),
    ...[...synonymsOf(word.term)].map((term) => feature(term, weight * 0.3)),
    ...(next ? [feature(toTerm(word.raw + next.raw), 1)] : []),
    ...(isLast
      ? [
          constant({ prefix: { words: word.raw } }, weight * 0.3),
          constant({ prefix: { terms: word.term } }, weight * 0.2),
        ]
      : []),
  ]
}
const constant = (filter: Json, boost: number): Json => ({ constant_score: { filter, boost } })

/** The most expansions of a spelling. The number is high, so that words of hidden documents crowd out no others. */
const MOST_EXPANSIONS = 1000

/** Spellings that are near a word, by edits, by pieces of its letters, and by its consonants. */
function nearClauses({ raw, term, aside }: Word): Json[] {
  if (aside || raw.length < 3) return []
  const fuzziness = raw.length < 8 ? 1 : 2
  const skeleton = skeletonOf(term)
  const grams = [...new Set(gramsOf(raw))]
  const near = (field: string, value: string): Json =>
    constant(
      { fuzzy: { [field]: { value, fuzziness, max_expansions: MOST_EXPANSIONS, rewrite: 'constant_score' } } },
      2,
    )
  return [
    near('words', raw),
    ...(term.length > 3 ? [near('terms', term)] : []),
    ...(skeleton ? [constant({ term: { skeletons: skeleton } }, 1)] : []),
    ...(raw.length > 3
      ? [
          {
            bool: {
              should: grams.map((gram) => constant({ term: { grams: gram } }, 1 / grams.length)),
              minimum_should_match: Math.max(2, grams.length - 3 * fuzziness),
            },
          },
        ]
      : []),
    ...splitPlaces(raw).map(([first, second]) => constant(all(is(first), is(second)), 1)),
  ]
}
const is = (raw: string): Json => ({ term: { terms: toTerm(raw) } })
/** The ways to split a word that documents may write as two. */
const splitPlaces = (raw: string): [string, string][] =>
  raw.length < 5 ? [] : Array.from({ length: raw.length - 3 }, (_, i) => [raw.slice(0, i + 2), raw.slice(i + 2)])

/** The terms of documents that the question may name as a whole: by a name of up to four words, or by an identifier. */
function calledTerms(text: string, words: readonly Word[]): string[] {
  const terms = words.map(({ term }) => term)
  const runs = terms.flatMap((_, from) =>
    Array.from({ length: MOST_NAME_WORDS }, (__, i) => nameTerm(terms.slice(from, from + i + 1).join(' '))),
  )
  return [...new Set([...runs, identifierTerm(plainWords(text).join(''))])]
}

/** Terms and words whose documents the server counts. */
type Counted = { field: 'terms' | 'words'; value: string }[]
function countedTerms(words: readonly Word[]): Counted {
  const tags = findMentions(words).flatMap(({ concept }) => [tagOf(concept), ...nearbyTags(concept)])
  const joined = words.slice(1).map((word, i) => toTerm(`${words[i]?.raw ?? ''}${word.raw}`))
  const terms = [...words.map(({ term }) => term), ...tags, ...joined]
  return [
    ...[...new Set(terms)].map((value) => ({ field: 'terms' as const, value })),
    ...[...new Set(words.map(({ raw }) => raw))].map((value) => ({ field: 'words' as const, value })),
  ]
}

const anonymous: Scope = { signedIn: false, everything: false, own: null }
const tallies: Readonly<Record<'anon' | 'total', Json>> = {
  anon: scopeFilter(anonymous),
  total: scopeFilter({ signedIn: true, everything: true, own: null }),
}

/** Counts over the documents that everyone may read, and over all. Deleted documents are not in them. */
const countsOf = (counted: Counted): Json =>
  Object.fromEntries(
    Object.entries(tallies).map(([tally, filter]) => [
      tally,
      {
        filter,
        aggs: { each: { filters: { filters: counted.map(({ field, value }) => ({ term: { [field]: value } })) } } },
      },
    ]),
  )
const Counts = v.object({
  doc_count: v.number(),
  each: v.object({ buckets: v.array(v.object({ doc_count: v.number() })) }),
})

function knowCounts(corpus: Corpus, counted: Counted, counts: Json): void {
  const [anon, total] = [v.parse(Counts, counts.anon), v.parse(Counts, counts.total)]
  for (const [i, { field, value }] of counted.entries()) {
    const numbers = { anon: anon.each.buckets[i]?.doc_count ?? 0, total: total.each.buckets[i]?.doc_count ?? 0 }
    corpus[field].know(value, numbers)
  }
  corpus.anonymous = Math.max(corpus.anonymous, anon.doc_count)
  corpus.alive = Math.max(corpus.alive, total.doc_count)
}
