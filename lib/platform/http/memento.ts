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

/** The headers of an answer of the past (Memento, RFC 7089). `isTimeGate`: the address of today is also the TimeGate. */
export function mementoHeaders(request: Request, at: string, isTimeGate: boolean): Record<string, string> {
  const rel = isTimeGate ? 'original timegate' : 'original'
  return { 'memento-datetime': httpDate(at), link: `<${addressOfToday(request)}>; rel="${rel}"` }
}

/** A state of the past: when it began, and the header `Link` that leads to its original and the other states. */
export type PastState = { at: string; link: string }

/**
 * Redirects a client of Memento from the address of today to the state that `find` returns. Without `find` it redirects to the wanted
 * moment, at most to now. Undefined without `Accept-Datetime`, or if the query has `at`.
 */
export async function leadToPast(
  request: Request,
  find: ((wanted: string) => Promise<PastState>) | undefined,
): Promise<Reply | undefined> {
  const wanted = request.query.at ? undefined : readAcceptDatetime(request.headers['accept-datetime'])
  if (wanted === undefined) return undefined
  const address = addressOfToday(request)
  const moment = new Date(Math.min(Date.parse(wanted), clock.now().getTime())).toISOString()
  const { at, link } = (await find?.(wanted)) ?? { at: moment, link: `<${address}>; rel="original timegate"` }
  address.searchParams.set('at', at)
  return new Reply(302, undefined, { location: address.href, link })
}
