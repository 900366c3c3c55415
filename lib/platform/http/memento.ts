import { clock } from '../../base/clock.ts'
import { invalid } from '../../base/errors.ts'
import { httpDate } from './moment.ts'
import { listAddress } from './page.ts'
import { Reply } from './reply.ts'
import type { Request } from './request.ts'

/** Clients of Memento (RFC 7089): they name a moment by a header, and are led to the address of the past. */

/** Reads `Accept-Datetime`, as the last moment of its second. Undefined without the header. Fails with `invalid` if it is no date of HTTP. */
export function readAcceptDatetime(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const time = /^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(header.trim()) ? Date.parse(header) : Number.NaN
  if (Number.isNaN(time)) throw invalid({ 'Accept-Datetime': ['Give a date such as "Thu, 31 May 2007 20:35:00 GMT".'] })
  return new Date(time + 999).toISOString()
}

/** The address of a request as it answers today. */
function addressOfToday(request: Request): URL {
  const address = listAddress(request)
  address.searchParams.delete('at')
  return address
}

/** The headers of an answer of the past (Memento, RFC 7089). `isTimeGate`: the address of today leads to the past itself. */
export function mementoHeaders(request: Request, at: string, isTimeGate: boolean): Record<string, string> {
  const rel = isTimeGate ? 'original timegate' : 'original'
  return { 'memento-datetime': httpDate(at), link: `<${addressOfToday(request)}>; rel="${rel}"` }
}

/** Leads a client of Memento from an address of today to the past. Undefined without `Accept-Datetime`. What is to come leads to now. */
export function leadToPast(request: Request): Reply | undefined {
  const wanted = request.query.at ? undefined : readAcceptDatetime(request.headers['accept-datetime'])
  if (wanted === undefined) return undefined
  const address = addressOfToday(request)
  const link = `<${address}>; rel="original timegate"`
  const at = Math.min(Date.parse(wanted), clock.now().getTime())
  address.searchParams.set('at', new Date(at).toISOString())
  return new Reply(302, undefined, { location: address.href, link })
}
