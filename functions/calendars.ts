import * as v from 'valibot'
import { converted, dateIn } from '../lib/calendars/conversion.ts'
import { isFault } from '../lib/calendars/systems.ts'
import { invalid } from '../lib/errors.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { CalendarName, MISSING } from '../lib/http/params.ts'
import { publicRoute, type Routes } from '../lib/http/route.ts'

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
    query: ConvertQuery,
    cache: { control: 'public, max-age=86400' },
    says: [],
    handle: async ({ query: { date, from, to }, request: { language } }) => {
      const found = dateIn(date, from)
      if (isFault(found)) throw invalid({ date: [found.fault] })
      return converted(date, found, { into: to && [to], language })
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)
