import { beforeAll, describe, expect, test } from 'vitest'
import type { PageRequest } from '../../../lib/engines/table/index.ts'
import type { Request } from '../../../lib/platform/http/request.ts'

let http: typeof import('../../../lib/platform/http/page.ts')
let seals: typeof import('../../../lib/platform/http/seal.ts')
beforeAll(async () => {
  http = await import('../../../lib/platform/http/page.ts')
  seals = await import('../../../lib/platform/http/seal.ts')
})

const request = (query: string, path = '/cidoc/persons/'): Request => ({
  id: 'r',
  method: 'GET',
  path,
  query: Object.fromEntries(new URLSearchParams(query)),
  rawQuery: query,
  headers: {},
  cookies: {},
  body: Buffer.alloc(0),
  address: '192.0.2.1',
  origin: 'https://api.example.org',
  version: 'v1',
  language: 'en',
  say: (text) => text,
})
const page = (query: string, size?: number) => http.pageOf(request(query), size)

describe('where a page lies', () => {
  test.each([
    ['', 20, 0],
    ['limit=5', 5, 0],
    ['page_size=5', 5, 0],
    ['limit=5&page_size=7', 5, 0],
    ['page=3', 20, 40],
    ['page=3&limit=5', 5, 10],
    ['page=3&page_size=5', 5, 10],
    ['page=3&limit=5&page_size=9', 5, 10],
    ['offset=7', 20, 7],
    ['offset=7&page=3', 20, 7],
    ['offset=0&page=3', 20, 0],
    ['offset=x&page=3', 20, 0],
    ['limit=100', 100, 0],
    ['limit=101', 100, 0],
    ['limit=0', 20, 0],
    ['limit=', 20, 0],
    ['limit=1e1', 20, 0],
    ['limit=5.5', 20, 0],
    ['limit=-1', 20, 0],
    ['limit=9999999999', 20, 0],
    ['page=0', 20, 0],
    ['page=-2', 20, 0],
    ['page=1', 20, 0],
    ['limit=१०', 20, 0],
  ])('?%s is %i from %i', (query, limit, offset) => {
    expect(page(query)).toEqual({ limit, offset, from: undefined })
  })

  test('a list may have another size of its own', () => {
    expect(page('', 10)).toMatchObject({ limit: 10 })
    expect(page('page=2', 10)).toMatchObject({ limit: 10, offset: 10 })
  })
})

describe('the links of a page', () => {
  const rows = (many: number) => Array.from({ length: many }, (_, i) => i)
  const body = (query: string, listed: object, path?: string) =>
    http.listBody(request(query, path), http.pageOf(request(query, path)), {
      count: 50,
      results: rows(20),
      ...listed,
    }) as {
      next: string | null
      previous: string | null
    }
  const parts = (link: string | null) => Object.fromEntries(new URL(link ?? 'x:').searchParams)

  test('lead on while there is more, and back while there was something', () => {
    expect(body('', {})).toMatchObject({ previous: null, next: expect.any(String) })
    expect(body('offset=40', { results: rows(10) })).toMatchObject({ previous: expect.any(String), next: null })
    expect(body('offset=60', { results: [] })).toMatchObject({ previous: expect.any(String), next: null })
    expect(body('', { count: 20 })).toMatchObject({ previous: null, next: null })
    expect(body('', { count: 0, results: [] })).toMatchObject({ previous: null, next: null })
  })

  test('are absolute and keep the rest of the query', () => {
    const { next } = body('status=accepted&page=1&page_size=20&search=a+b%26c', {}, '/api/v1/cidoc/persons')
    expect(next?.startsWith('https://api.example.org/api/v1/cidoc/persons/?')).toBe(true)
    expect(parts(next)).toEqual({ status: 'accepted', search: 'a b&c', limit: '20', offset: '20' })
  })

  test('carry a hint where the list knows its edges, but for a first page that is cut short', () => {
    expect(parts(body('', { last: 'z' }).next)).toHaveProperty('hint')
    expect(parts(body('', {}).next)).not.toHaveProperty('hint')
    expect(parts(body('offset=20', { first: 'a' }).previous)).toHaveProperty('hint')
    expect(parts(body('offset=10', { first: 'a' }).previous)).not.toHaveProperty('hint')
  })

  test('are read again where they were made, and nowhere else', () => {
    const from = { side: 'after', at: '2025#1' }
    const { next } = body('status=accepted', { last: '2025#1' })
    const { search, searchParams } = new URL(next ?? '')
    expect(page(search.slice(1))).toEqual({ limit: 20, offset: 20, from })
    // The slash at the end and the order of members do not matter.
    const turned = new URLSearchParams([...searchParams].reverse()).toString()
    expect(http.pageOf(request(turned, '/cidoc/persons'))).toMatchObject({ from })
    const elsewhere: [string, string?][] = [
      [search.slice(1), '/cidoc/locations/'],
      [search.slice(1).replace('accepted', 'rejected')],
      [search.slice(1).replace('status=accepted&', '')],
      [`${search.slice(1)}&mine=1`],
      [search.slice(1).replace('offset=20', 'offset=40')],
    ]
    for (const [query, path] of elsewhere) {
      const read: PageRequest = http.pageOf(request(query, path))
      expect(read.from).toBeUndefined()
    }
  })
})

describe('a seal', () => {
  test('is opened in its context only', () => {
    const sealed = seals.sealText('secret', 'here')
    expect(seals.unsealText(sealed, 'here')).toBe('secret')
    expect(seals.unsealText(sealed, 'there')).toBeUndefined()
    // A page that links on keeps its ETag; what differs in anything has nothing in common.
    expect(seals.sealText('secret', 'here')).toBe(sealed)
    const beginnings = [sealed, seals.sealText('secrets', 'here'), seals.sealText('secret', 'there')].map((it) =>
      it.slice(0, 16),
    )
    expect(new Set(beginnings).size).toBe(3)
  })

  test('is not opened when any part of it was altered', () => {
    const sealed = Buffer.from(seals.sealText('secret', 'here'), 'base64url')
    for (let i = 0; i < sealed.length; i += 1) {
      const altered = Buffer.from(sealed)
      altered[i] = (altered[i] ?? 0) ^ 1
      expect(seals.unsealText(altered.toString('base64url'), 'here')).toBeUndefined()
    }
    for (const text of ['', 'x', '%%%', sealed.subarray(0, 27).toString('base64url')])
      expect(seals.unsealText(text, 'here')).toBeUndefined()
  })
})
