import { isDeepStrictEqual } from 'node:util'
import type { Comparison } from '../../matching/compare.ts'
import { textOf } from '../../names/text.ts'
import type { History } from '../history.ts'
import type { RecordItem } from '../items.ts'
import { labelOf, verdictOn } from './explain.ts'
import { namesInOrder } from './order.ts'

export type Change = {
  field: string
  label: string
  /** As a reader sees it: lists and links as text; null where there is none. */
  old: unknown
  new: unknown
  change: 'added' | 'removed' | 'changed'
  /** What the comparator says of the two; null where one is missing. */
  verdict: Comparison | null
}

/** What differs between two sets of values of a record, field by field. */
export function differenceOf(it: History, before: RecordItem['data'], after: RecordItem['data']): Change[] {
  const names = namesInOrder(it.kind, [...Object.keys(before), ...Object.keys(after)])
  return names
    .filter((name) => !isDeepStrictEqual(before[name], after[name]))
    .map((field) => {
      const [old, next] = [before[field], after[field]]
      return {
        field,
        label: labelOf(it, field),
        old: shown(old),
        new: shown(next),
        change: old === undefined ? 'added' : next === undefined ? 'removed' : 'changed',
        verdict: verdictOn(it, field, { value: old }, { value: next }),
      }
    })
}

const shown = (value: unknown) => (Array.isArray(value) ? textOf(value) : (value ?? null))
