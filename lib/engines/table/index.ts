// Reads, writes as values, and the unit of work that a handler gets. Functions that write without a request's unit are in immediate.ts.

export { sendUnprocessed } from './batch.ts'
export { type CountPlace, countKeys, provideCountLayout, type Size, sizeOf, sizesIn, sumOf } from './counters.ts'
export {
  addCounted,
  addNumbers,
  checkVersion,
  countedTypes,
  defineItem,
  listsWith,
  parse,
  put,
  putAlways,
  putEntry,
  read,
  remove,
  removeCounted,
  removeEntry,
  replaceDerived,
  says,
  type Write,
  withNextVersion,
} from './item.ts'
export { type IndexName, type Key, key as engineKeys, keyOf, padNumber, padPlace, place } from './keys.ts'
export {
  acquireLease,
  heldFor,
  holdItem,
  isHeld,
  type LeaseHolder,
  newHolder,
  releaseItem,
  releaseLease,
} from './lease.ts'
export { DEEPEST_OFFSET, type List, type Listing, type PageRequest, type PageResult, readList } from './pages.ts'
export { reading } from './pending.ts'
export {
  get,
  getMany,
  getManyOnce,
  itemAt,
  itemIn,
  nthKey,
  onceRead,
  ping as pingTable,
  queryAll,
  queryAllBetween,
  queryBetween,
  queryBeyond,
  type Stored,
  sizesOfGroup,
  sizesOfParts,
  walk,
  walkTable,
} from './read.ts'
export { closeRegister, enter, isFull, openRegister, readRegister } from './register.ts'
export { scan, scanCounters } from './scan.ts'
export { pickMembers, shapeOf } from './shape.ts'
export { blankOf, sparse } from './sparse.ts'
export { changesBehind, changesOf, type Images, rawImagesOf, type StreamRecord } from './stream.ts'
export { nextTake, Takes, workOnJobs } from './takes.ts'
export { actionsOf, MOST_ACTIONS } from './transact.ts'
export { beginStaging, switchOrCallOff } from './two-phase/commit.ts'
export { checkTime, isThrottle, LONGEST_REPEATED_MS, TimeOver } from './two-phase/patience.ts'
export type { Commit, Plan, UnitOfWork } from './unit-of-work.ts'
export { untilWhole } from './until-whole.ts'
