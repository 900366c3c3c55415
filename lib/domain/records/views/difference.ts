import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import type { Comparison } from '../../../engines/matching/index.ts'
import { textOf } from '../../names/text.ts'
import type { History } from '../history.ts'
import type { RecordItem } from '../items.ts'
import { compareValues, comparisonSchema, fieldLabel } from './explain.ts'
import { namesInOrder } from './order.ts'

export type FieldChange = {
  field: string
  label: string
  /** As a reader sees it, with lists and links as text. Null where there is no value. */
  old: unknown
  new: unknown
  change: 'added' | 'removed' | 'changed'
  /** What the comparator says of both values. Null where one is missing, or the kind has no such field. */
  verdict: Comparison | null
}

export const anyValue = () => v.unknown()
export const ChangeView = s.shape('Change', () =>
  v.object({
    field: s.text,
    label: s.text,
    old: anyValue(),
    new: anyValue(),
    change: s.oneOf(['added', 'removed', 'changed']),
    verdict: comparisonSchema(),
  }),
)

/** In the order of the kind's fields. */
export function differenceOf(it: History, before: RecordItem['data'], after: RecordItem['data']): FieldChange[] {
  const names = namesInOrder(it.kind, [...Object.keys(before), ...Object.keys(after)])
  return names
    .filter((name) => !isDeepStrictEqual(before[name], after[name]))
    .map((field) => {
      const [old, next] = [before[field], after[field]]
      return {
        field,
        label: fieldLabel(it, field),
        old: shownValue(old),
        new: shownValue(next),
        change: old === undefined ? 'added' : next === undefined ? 'removed' : 'changed',
        verdict: compareValues(it, field, { value: old }, { value: next }),
      }
    })
}

const shownValue = (value: unknown) => (Array.isArray(value) ? textOf(value) : (value ?? null))
