import { MOST_KM, whereEntries } from '../../engines/search/index.ts'
import { documentAs, toldWhen } from './known.ts'

const blank = (sent: string) => (sent.trim() === '' ? 'It is blank; it has no effect.' : undefined)

/** Members that narrow a query to a place and a time. */
export const placeAndTime = {
  bbox: toldWhen(whereEntries.bbox, blank),
  near: toldWhen(whereEntries.near, blank),
  within: documentAs(toldWhen(whereEntries.within, blank), {
    type: 'number',
    exclusiveMinimum: 0,
    maximum: MOST_KM,
  }),
  from: toldWhen(whereEntries.from, blank),
  to: toldWhen(whereEntries.to, blank),
}
