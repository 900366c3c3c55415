import { type DocumentChange, isGone, type SearchDocument } from '../document.ts'
import { type Postings, VoicedLists, type VoicedPostings } from '../index/codec.ts'
import {
  ALIVE,
  appendRow,
  type Columns,
  type ColumnTally,
  columnTallies,
  type Labels,
  labelsFrom,
  numberFromId,
  tallyFlags,
} from '../index/columns.ts'
import { type Contents, contentsOf } from '../index/contents.ts'
import { piecesOf, termGramsOf } from '../index/grams.ts'
import { nameKey, type PlainName, packNames, unpackNames } from '../index/header.ts'
import type { Lexicon, SnapshotFile, WordCounts } from '../index/snapshot-file.ts'
import { ANY_VOICE, soundsApart, type Voice } from '../index/voice.ts'

/**
 * A snapshot with the changes since it was made. The file stays as it is. Changed documents are held in memory, with numbers after the
 * last document of the file. The documents that they replace lose the flag `ALIVE`.
 */
export class Corpus {
  readonly #file: SnapshotFile
  readonly columns: Columns
  readonly labels: Labels
  readonly terms: Words
  readonly words: Words
  /** The number of documents that everyone may see. Weights of words depend on these documents alone, so hidden ones change no weight. */
  anonymous: number
  /** The number of documents that are not replaced or removed. */
  alive: number
  /** The number of changes applied to the snapshot. */
  changes = 0
  readonly #first: number
  readonly #fresh: SearchDocument[] = []
  readonly #plain: PlainName[][] = []
  readonly #numbers = new Map<string, number>()
  readonly #gone: Map<string, number>
  readonly #lists = new Map<string, VoicedLists>()
  readonly #contributors = new Map<string, number>()

  constructor(file: SnapshotFile) {
    this.#file = file
    this.columns = file.columns()
    this.labels = labelsFrom(file.facts.labels)
    this.terms = new Words(file.terms, termGramsOf)
    this.words = new Words(file.words, piecesOf)
    this.anonymous = file.facts.anonymous
    this.alive = file.facts.documents
    this.#first = file.facts.documents
    this.#gone = new Map(file.gone().map(({ id, version }) => [id, version]))
  }

  /** The last entry of the change log that the snapshot contains. */
  get position(): number {
    return this.#file.facts.position
  }

  /** Applies a change, unless the corpus has this version or a newer one. Returns whether it did. */
  apply(change: DocumentChange): boolean {
    const old = this.find(change.id)
    const version = old === undefined ? this.#gone.get(change.id) : this.document(old).version
    if (version !== undefined && version >= change.version) return false
    if (old !== undefined) this.#drop(old)
    this.#gone.delete(change.id)
    if (isGone(change)) this.#gone.set(change.id, change.version)
    else this.#add(change)
    this.changes += 1
    return true
  }

  /** The number of the document with this id. Undefined if absent. */
  find(id: string): number | undefined {
    const fresh = this.#numbers.get(id)
    const candidates = fresh === undefined ? this.#file.numbersAt(numberFromId(id)) : [fresh]
    return candidates.find((number) => this.isAlive(number) && (fresh !== undefined || this.document(number).id === id))
  }

  isAlive(number: number): boolean {
    return ((this.columns.flags[number] ?? 0) & ALIVE) !== 0
  }

  document(number: number): SearchDocument {
    return (number < this.#first ? undefined : this.#fresh[number - this.#first]) ?? this.#file.document(number)
  }

  /** All names of a document in plain words, the title first. */
  names(number: number): PlainName[] {
    return number < this.#first ? this.#file.names(number) : (this.#plain[number - this.#first] ?? [])
  }

  /** The postings of a term in words of a voice, each list ascending. Some of their documents may be replaced or removed. */
  postings(term: string, voice: Voice = ANY_VOICE): Postings[] {
    const hasVoice = ({ voice: other }: VoicedPostings) => !soundsApart(voice, other)
    const lists = [...(this.#file.postings(term) ?? []), ...(this.#lists.get(term)?.voiced ?? [])]
    return lists.filter(hasVoice).map(({ postings }) => postings)
  }

  /** The number of a contributor in the columns. Undefined if the contributor has no document. */
  contributor(id: string): number | undefined {
    return this.#contributors.get(id) ?? this.#file.contributor(id)
  }

  /** Compares the titles of two documents of equal rank. Returns 0 if one is in the snapshot: its rank belongs to one title only. */
  compareNames(a: number, b: number): number {
    if (a < this.#first || b < this.#first) return 0
    const [x, y] = [nameKey(this.document(a).title), nameKey(this.document(b).title)]
    return x < y ? -1 : x > y ? 1 : 0
  }

  /** All current documents, for the next snapshot. */
  *documents(): Iterable<SearchDocument> {
    let number = 0
    for (const document of this.#file.documents()) if (this.isAlive(number++)) yield document
    for (const [i, document] of this.#fresh.entries()) if (this.isAlive(this.#first + i)) yield document
  }

  /** Removed documents with their versions, so that an older change does not restore one. */
  *gone(): Iterable<{ id: string; gone: true; version: number }> {
    for (const [id, version] of this.#gone) yield { id, gone: true, version }
  }

  close(): void {
    this.#file.close()
  }

  #add(document: SearchDocument): void {
    const number = appendRow(this.columns, this.labels, document, {
      contributor: this.#contributorNumber(document.contributor_id),
      name: this.#file.rank(document.title),
    })
    this.#fresh[number - this.#first] = document
    this.#plain[number - this.#first] = unpackNames(packNames([document.title, ...document.names]))
    this.#numbers.set(document.id, number)
    const contents = contentsOf(document)
    for (const impact of contents.impacts) {
      const lists = this.#lists.get(impact.term) ?? new VoicedLists()
      this.#lists.set(impact.term, lists)
      lists.push(number, impact)
    }
    this.#count(contents, this.columns.flags[number] ?? 0, 1)
  }

  #drop(number: number): void {
    const flags = this.columns.flags[number] ?? 0
    const document = this.document(number)
    this.#count(contentsOf(document), flags, -1)
    this.columns.flags[number] = flags & ~ALIVE
    this.#numbers.delete(document.id)
  }

  #count(contents: Contents, flags: number, by: 1 | -1): void {
    const tallies = tallyFlags(flags)
    this.anonymous += by * tallies.anon
    this.alive += by
    for (const term of contents.terms) this.terms.add(term, tallies, by)
    for (const raw of contents.raws) this.words.add(raw, tallies, by)
  }

  #contributorNumber(id: string | null): number {
    if (id === null) return 0
    const number = this.contributor(id)
    if (number !== undefined) return number
    this.#nextContributor ??= this.columns.contributor.subarray(0, this.#first).reduce((a, b) => Math.max(a, b), 0) + 1
    this.#contributors.set(id, this.#nextContributor)
    return this.#nextContributor++
  }
  #nextContributor: number | undefined
}

/** A vocabulary of the snapshot, with the words of the changes since it was made. */
export class Words {
  readonly #stored: Lexicon
  readonly #grams: (word: string) => string[]
  readonly #changed = new Map<string, WordCounts>()
  /** Words that are not in the snapshot, by their grams. */
  readonly #fresh = new Map<string, string[]>()
  readonly #added: string[] = []

  constructor(stored: Lexicon, grams: (word: string) => string[]) {
    this.#stored = stored
    this.#grams = grams
  }

  /** The number of documents of this tally that contain a word. */
  count(word: string, tally: ColumnTally): number {
    const changed = this.#changed.size > 0 ? this.#changed.get(word) : undefined
    return (changed ?? this.#stored.counts(word))?.[tally] ?? 0
  }

  /** Words of documents of this tally that begin with a text: at most `most` words of the snapshot, and all newer words. */
  beginning(text: string, most: number, tally: ColumnTally): string[] {
    const isVisible = (word: string) => this.count(word, tally) > 0
    const added = this.#added.filter((word) => word.startsWith(text) && isVisible(word))
    return [...this.#stored.beginning(text, most, isVisible), ...added]
  }

  /** Words of documents of this tally that share at least `least` of these grams. */
  sharing(grams: readonly string[], least: number, most: number, tally: ColumnTally): string[] {
    const isVisible = (word: string) => this.count(word, tally) > 0
    const shared = new Map<string, number>()
    if (this.#added.length > 0)
      for (const gram of grams)
        for (const word of this.#fresh.get(gram) ?? []) shared.set(word, (shared.get(word) ?? 0) + 1)
    const added = [...shared].flatMap(([word, n]) => (n >= least && isVisible(word) ? [word] : []))
    return [...this.#stored.sharing(grams, least, most, isVisible), ...added]
  }

  /** Sets the counts of a word, for a corpus that holds only some of the documents. Ignores a word that no document of the corpus holds. */
  know(word: string, counts: WordCounts): void {
    if (this.count(word, 'total') > 0) this.#changed.set(word, counts)
  }

  /** Adds (`by` 1) or takes away (-1) one document that contains the word. */
  add(word: string, tallies: WordCounts, by: 1 | -1): void {
    const stored = this.#changed.get(word) ?? this.#stored.counts(word)
    if (!stored) {
      this.#added.push(word)
      for (const gram of this.#grams(word)) {
        const list = this.#fresh.get(gram)
        if (list) list.push(word)
        else this.#fresh.set(gram, [word])
      }
    }
    const counts = { anon: 0, total: 0, ...stored }
    for (const tally of columnTallies) counts[tally] += by * tallies[tally]
    this.#changed.set(word, counts)
  }
}
