// Names: one form for all spellings, and what in a name tells things apart.

export { asciiLowerCase } from './ascii.ts'
export { swapSyllables } from './devanagari.ts'
export * as wordSets from './fold.ts'
export { fold, foldAlike, genericWords, isGeneric, plainWords, respell, respellBeginning, sortWords } from './fold.ts'
export { findPhrases } from './phrases.ts'
export { likenessKeys } from './reading.ts'
export { sortGroups } from './sorts.ts'

// Likeness: how near two texts or two things are.

export { countEdits, countEditsToPrefix } from './edits.ts'
export { looksAlike, similarity, type Thing } from './likeness.ts'
export { didYouMean, nearestName } from './nearest.ts'

// Values: whether two claims of one property can both hold.

export { type Comparator, type Comparison, compare, type Value, widenDoubt } from './compare.ts'

// Places, and the beginnings of texts.

export { cut, cutAtWord, shorten } from './cut.ts'
export { distanceInMetres, gridCell, gridCellsNear, type Point, roundPoint } from './geo.ts'
