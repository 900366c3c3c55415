import type { Request } from './request.ts'
import { seal, unseal } from './seal.ts'

/** Where a page lies: `from` is the sort key beside it, when a followed link carried one. */
export type PageRequest = { limit: number; offset: number; from?: { side: 'after' | 'before'; at: string } | undefined }
/** What a store answers for a page; the sort keys at its edges make the links. */
export type PageResult<T> = { count: number; results: T[]; first?: string | undefined; last?: string | undefined }

/** How many rows a page holds unless the query or the route says otherwise, and how many it may hold. */
export const DEFAULT_SIZE = 20
export const LARGEST_SIZE = 100

/** limit and offset, or page and page_size: clients send any mixture. What is not a number counts as absent. */
export function pageOf(request: Request, size = DEFAULT_SIZE): PageRequest {
  const { query } = request
  request.paged = true
  const limit = Math.min(whole(query.limit) ?? whole(query.page_size) ?? size, LARGEST_SIZE) || size
  const number = whole(query.page)
  const offset = query.offset === undefined && number ? (number - 1) * limit : (whole(query.offset) ?? 0)
  return { limit, offset, from: hintOf(request, offset) }
}

export type ListBody<T> = { count: number; next: string | null; previous: string | null; results: T[] }

/** The contract's list body. Following `next` or `previous` costs one page however deep. */
export function listBody<T>(request: Request, page: PageRequest, listed: PageResult<T>): ListBody<T> {
  const { limit, offset } = page
  const end = offset + listed.results.length
  return {
    count: listed.count,
    next:
      end < listed.count && (listed.results.length > 0 || listed.last !== undefined)
        ? link(request, page, end, 'after', listed.last)
        : null,
    previous: offset > 0 ? link(request, page, Math.max(0, offset - limit), 'before', listed.first) : null,
    results: listed.results,
  }
}

/** What a page shows of a list that is in memory. */
export const sliceOf = <T>(all: readonly T[], { offset, limit }: Pick<PageRequest, 'offset' | 'limit'>): T[] =>
  all.slice(offset, offset + limit)

const noNumber = (sent: string) =>
  whole(sent) === undefined ? 'A whole number is wanted; it has no effect.' : undefined
const noSize = (sent: string) => {
  const size = whole(sent)
  if (size === 0) return 'A whole number from 1 is wanted; it has no effect.'
  return size !== undefined && size > LARGEST_SIZE ? `A page holds at most ${LARGEST_SIZE}.` : noNumber(sent)
}
/** What says where a page lies, with what is told of values that say nothing. */
export const pageMembers: Readonly<Record<string, (sent: string) => string | undefined>> = {
  limit: noSize,
  page_size: noSize,
  offset: noNumber,
  page: (sent) => (whole(sent) === 0 ? 'Pages are counted from 1; it has no effect.' : noNumber(sent)),
  // One that was altered is not followed; the page is the same.
  hint: () => undefined,
}

const whole = (text: string | undefined) => (text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined)

/** A hint belongs to one list: its path and every member of its query but the place. */
const contextOf = ({ path, query }: Request) =>
  JSON.stringify([
    path.replace(/\/$/, ''),
    Object.entries(query)
      .filter(([name]) => !['limit', 'offset', 'page', 'page_size', 'hint'].includes(name))
      .sort(),
  ])

/** Where a list lies, whatever the place in it. */
export function listAddress(request: Request): URL {
  const url = new URL(request.path.replace(/\/?$/, '/'), request.origin)
  for (const [name, value] of Object.entries(request.query)) {
    if (!['limit', 'offset', 'page', 'page_size', 'hint'].includes(name)) url.searchParams.set(name, value)
  }
  return url
}

function link(
  request: Request,
  page: PageRequest,
  offset: number,
  side: 'after' | 'before',
  at: string | undefined,
): string {
  const url = listAddress(request)
  url.searchParams.set('limit', String(page.limit))
  url.searchParams.set('offset', String(offset))
  // A previous page that is cut short by the list's beginning is reached from the beginning.
  const reachable = side === 'after' || page.offset >= page.limit
  if (at !== undefined && reachable)
    url.searchParams.set('hint', seal(JSON.stringify([offset, side, at]), contextOf(request)))
  return url.href
}

function hintOf(request: Request, offset: number): PageRequest['from'] {
  const plain = request.query.hint === undefined ? undefined : unseal(request.query.hint, contextOf(request))
  if (plain === undefined) return undefined
  const [place, side, at] = JSON.parse(plain)
  return place === offset ? { side, at } : undefined
}
