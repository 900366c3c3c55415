// To make: lines are sorted within bounds of memory, then stored.

export { type LineSorter, startSort } from './sort.ts'
export { type SortedLines, storeSorted } from './write.ts'

// To read: lines with a beginning are counted, and some of them read.

export { findPrefix, readLines } from './read.ts'
