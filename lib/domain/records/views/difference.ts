import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import type { Comparison } from '../../../engines/matching/index.ts'
import { textOf } from '../../names/text.ts'
import { compareValues } from '../corrections.ts'
import type { History } from '../history.ts'
import type { RecordItem } from '../items.ts'
import { comparisonSchema, fieldLabel } from './explain.ts'
import { namesInOrder } from './order.ts'

export type FieldChange = {
  field: string
  label: string
  /** The value as a reader sees it, with lists and links as text. Null if it is absent. */
  old: unknown
  new: unknown
  change: 'added' | 'removed' | 'changed'
  /** The comparator's result for both values. Null if one is missing, or if the kind has no such field. */
  verdict: Comparison | null
}

/** The shape of a value of any kind. */
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

/** Lists the members that differ, in the order of the kind's fields. */
export function differenceOf(record: History, before: RecordItem['data'], after: RecordItem['data']): FieldChange[] {
  const names = namesInOrder(record.kind, [...Object.keys(before), ...Object.keys(after)])
  return names
    .filter((name) => !isDeepStrictEqual(before[name], after[name]))
    .map((field) => {
      const [old, next] = [before[field], after[field]]
      return {
        field,
        label: fieldLabel(record, field),
        old: shownValue(old),
        new: shownValue(next),
        change: old === undefined ? 'added' : next === undefined ? 'removed' : 'changed',
        verdict: compareValues(record, field, { value: old }, { value: next }),
      }
    })
}

const shownValue = (value: unknown) => (Array.isArray(value) ? textOf(value) : (value ?? null))
