import * as v from 'valibot'
import { invalid } from '../lib/base/errors.ts'
import { convertDate, isFault, readDateOrFault } from '../lib/engines/calendars/index.ts'
import { ok } from '../lib/platform/http/answer.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { CalendarName, MISSING } from '../lib/platform/http/params.ts'
import { publicRoute, type Routes } from '../lib/platform/http/route.ts'
import { ConvertedDateView } from '../lib/platform/http/shown-dates.ts'

const ConvertQuery = v.object(
  {
    date: v.pipe(v.string(), v.trim(), v.nonEmpty(MISSING), v.maxLength(200, 'At most 200 characters are read.')),
    from: CalendarName,
    to: CalendarName,
  },
  MISSING,
)

/** Dates in the calendars of Nepal. Nothing is read or stored. */
export const routes = {
  'GET /data/calendars/convert/': publicRoute({
    permission: 'calendar.convert',
    summary: 'Convert a date between calendars',
    description:
      'The date is written as in records: `BS 2081-01-01`, `१ वैशाख २०८१`, `NS 1145 Kachhala thwa 1`, `15 January 1934`, `BS 2031/2033`. A date that its calendar does not have is refused with the reason.',
    answer: ok(ConvertedDateView),
    query: ConvertQuery,
    cache: { control: 'public, max-age=86400' },
    translatedPaths: [],
    handle: async ({ query: { date, from, to }, request: { language } }) => {
      const found = readDateOrFault(date, from)
      if (isFault(found)) throw invalid({ date: [found.fault] })
      return convertDate(date, found, { into: to && [to], language })
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)
