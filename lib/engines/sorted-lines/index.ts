// To make: lines are sorted within bounds of memory, then stored.

export { type LineSorter, startSort } from './sort.ts'
export { type SortedLines, storeSorted } from './write.ts'

// To read: the lines with a given beginning are counted, and some of them are read.

export { findPrefix, readLines } from './read.ts'
