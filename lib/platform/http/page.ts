import type { PageRequest, PageResult } from '../../engines/table/index.ts'
import type { Request } from './request.ts'
import type { FaultOf } from './schema-notes.ts'
import { sealText, unsealText } from './seal.ts'

/** The rows of a page, unless the route or the query gives another number. */
export const DEFAULT_SIZE = 20
/** The most rows of a page. */
export const LARGEST_SIZE = 100

/**
 * Reads the page that a query names: by `limit` and `offset`, by `page` and `page_size`, or by a mixture of them. A text that is not a
 * number is ignored. `size` is the number of rows if the query names none.
 */
export function pageOf(request: Request, size = DEFAULT_SIZE): PageRequest {
  const { query } = request
  request.isPageRead = true
  const limit = Math.min(wholeNumberIn(query.limit) ?? wholeNumberIn(query.page_size) ?? size, LARGEST_SIZE) || size
  const number = wholeNumberIn(query.page)
  const offset = query.offset === undefined && number ? (number - 1) * limit : (wholeNumberIn(query.offset) ?? 0)
  return { limit, offset, from: hintOf(request, offset) }
}

export type ListBody<T> = { count: number; next: string | null; previous: string | null; results: T[] }

/** Makes the body of a list from one page of it. Following `next` or `previous` costs one page at any depth. */
export function listBody<T>(request: Request, page: PageRequest, result: PageResult<T>): ListBody<T> {
  const { limit, offset } = page
  const { count, results, first, last } = result
  const end = offset + results.length
  const hasNext = end < count && (results.length > 0 || last !== undefined)
  return {
    count,
    next: hasNext ? link(request, page, end, 'after', last) : null,
    previous: offset > 0 ? link(request, page, Math.max(0, offset - limit), 'before', first) : null,
    results,
  }
}

/** Cuts a page out of a list that is in memory. */
export const sliceOf = <T>(list: readonly T[], { offset, limit }: Pick<PageRequest, 'offset' | 'limit'>): T[] =>
  list.slice(offset, offset + limit)

const numberFault: FaultOf = (sent) =>
  wholeNumberIn(sent) === undefined ? 'A whole number is wanted; it has no effect.' : undefined
const sizeFault: FaultOf = (sent) => {
  const size = wholeNumberIn(sent)
  if (size === 0) return 'A whole number from 1 is wanted; it has no effect.'
  return size !== undefined && size > LARGEST_SIZE ? `A page holds at most ${LARGEST_SIZE}.` : numberFault(sent)
}
/** The query members that name a page, each with a check for values that have no effect. */
export const pageMembers: Readonly<Record<string, FaultOf>> = {
  limit: sizeFault,
  page_size: sizeFault,
  offset: numberFault,
  page: (sent) => (wholeNumberIn(sent) === 0 ? 'Pages are counted from 1; it has no effect.' : numberFault(sent)),
  // An altered hint is ignored. The page is the same without it.
  hint: () => undefined,
}

const wholeNumberIn = (text: string | undefined) =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined

/** The members of a query without those that name a page. */
const listMembersOf = ({ query }: Request) =>
  Object.entries(query).filter(([name]) => !Object.hasOwn(pageMembers, name))

/** The list to which a hint belongs: its path and its query without the page. A hint of another list cannot be unsealed. */
const contextOf = (request: Request) => JSON.stringify([request.path.replace(/\/$/, ''), listMembersOf(request).sort()])

/** The address of a list, without the page. */
export function listAddress(request: Request): URL {
  const url = new URL(request.path.replace(/\/?$/, '/'), request.origin)
  for (const [name, value] of listMembersOf(request)) url.searchParams.set(name, value)
  return url
}

function link(
  request: Request,
  page: PageRequest,
  offset: number,
  side: 'after' | 'before',
  sortKey: string | undefined,
): string {
  const url = listAddress(request)
  url.searchParams.set('limit', String(page.limit))
  url.searchParams.set('offset', String(offset))
  // A previous page that begins at the start of the list is read from there, since it may have fewer rows than `limit`.
  const isFull = side === 'after' || page.offset >= page.limit
  if (sortKey !== undefined && isFull)
    url.searchParams.set('hint', sealText(JSON.stringify([offset, side, sortKey]), contextOf(request)))
  return url.href
}

/** Reads the sort key next to the page from the hint of a followed link. Undefined if the hint belongs to another offset. */
function hintOf(request: Request, offset: number): PageRequest['from'] {
  const plain = request.query.hint === undefined ? undefined : unsealText(request.query.hint, contextOf(request))
  if (plain === undefined) return undefined
  const [hintedOffset, side, at] = JSON.parse(plain)
  return hintedOffset === offset ? { side, at } : undefined
}
