// Names: one form for all spellings, and the parts of a name.

export { asciiLowerCase } from './ascii.ts'
export { swapSyllables } from './devanagari.ts'
export * as wordSets from './fold.ts'
export { fold, foldAlike, genericWords, isGeneric, plainWords, respell, respellBeginning, sortWords } from './fold.ts'
export { type Lexicon, provideLexicon } from './lexicon.ts'
export { findPhrases, type Phrase } from './phrases.ts'
export { likenessKeys } from './reading.ts'
export { sortGroups } from './sorts.ts'

// Likeness of two texts or two records.

export { countEdits, countEditsToPrefix } from './edits.ts'
export { looksAlike, type NamedPlace, similarity } from './likeness.ts'
export { didYouMean, nearestName } from './nearest.ts'

// Values: whether two claims of one property can both be true.

export { type Comparator, type Comparison, compareClaims, type Value, widenDoubt } from './compare.ts'

// Points on the map, and cutting of texts.

export { cut, cutAtWord, shorten } from './cut.ts'
export { distanceInMetres, gridCell, gridCellsNear, type Point, readAngle, roundPoint } from './geo.ts'
