/**
 * The vocabulary by which names are compared: data that the application hands in. Words are singular, with a space between them.
 *
 * - `sorts`: words for sorts of things, parts of places and honours. `titles`: of people, and of parts and classes of things.
 * - `towns`: towns with many records. A town alone does not distinguish a name: many temples are "Patan temple".
 * - `beings`: those after whom a thing is named in nearly every town.
 * - `sameBeings`: several names of one being: Ganesh, Vinayak.
 * - `groups`: words, and phrases of several words, for one sort of thing in several languages. A group of `honours` honours a being, and is no sort of building or place.
 * - `broad`: a sort whose word people also use for other sorts: for those of `anywhere`, and for those of `nearby` if both are in one place.
 */
export type Lexicon = {
  readonly sorts: string
  readonly titles: string
  readonly towns: string
  readonly beings: string
  readonly sameBeings: readonly (readonly string[])[]
  readonly groups: readonly {
    readonly words: readonly string[]
    readonly phrases: readonly string[]
    readonly honours: boolean
  }[]
  /** Phrases of one meaning: two names of one town, two words for one material. */
  readonly same: readonly (readonly string[])[]
  /** Words that tell two things of one name apart: old and new, big and small. Words of one meaning are one row. */
  readonly apart: readonly (readonly string[])[]
  /** Words for numbers, by the number in digits. */
  readonly numbers: Readonly<Record<string, readonly string[]>>
  /** Units. `of`: what they measure. `is`: how much one unit is. Only units with the same `of` are compared. */
  readonly units: readonly { readonly of: string; readonly is: number; readonly words: readonly string[] }[]
  readonly broad: { readonly word: string; readonly anywhere: string; readonly nearby: string }
}

let make: (() => Lexicon) | undefined
let made: Lexicon | undefined

/** Registers the words, once in a process. `make` is called by the first comparison. */
export function provideLexicon(provided: () => Lexicon): void {
  make = provided
}

/** The words. Throws if there are none, which is an error of the program. */
export function lexicon(): Lexicon {
  if (!make) throw new Error('matching has no words: call provideLexicon first')
  made ??= make()
  return made
}
