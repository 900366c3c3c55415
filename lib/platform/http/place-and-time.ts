import * as v from 'valibot'
import { MOST_KM, whereEntries } from '../../engines/search/index.ts'
import { documentAs, warnIf } from './schema-notes.ts'

const blankFault = (sent: string) => (sent.trim() === '' ? 'It is blank; it has no effect.' : undefined)

/** Query members that narrow a list or a search to a place and a time. */
export const placeAndTime = {
  bbox: v.pipe(whereEntries.bbox, warnIf(blankFault)),
  near: v.pipe(whereEntries.near, warnIf(blankFault)),
  within: v.pipe(
    whereEntries.within,
    warnIf(blankFault),
    documentAs({ type: 'number', exclusiveMinimum: 0, maximum: MOST_KM }),
  ),
  from: v.pipe(whereEntries.from, warnIf(blankFault)),
  to: v.pipe(whereEntries.to, warnIf(blankFault)),
}
