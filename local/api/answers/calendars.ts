import type { routes } from '../../../functions/calendars.ts'
import { type Answers, ok } from '../answer.ts'
import { ConvertedDate } from '../shapes/dates.ts'

export const calendars: Answers<typeof routes> = {
  'GET /data/calendars/convert/': {
    says: 'Convert a date between calendars',
    more: 'The date is written as in records: `BS 2081-01-01`, `१ वैशाख २०८१`, `NS 1145 Kachhala thwa 1`, `15 January 1934`, `BS 2031/2033`. A date that its calendar does not have is refused with the reason.',
    gives: ok(ConvertedDate),
  },
}
