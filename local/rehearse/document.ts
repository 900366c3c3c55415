import { readFileSync } from 'node:fs'
import { kinds } from '../../lib/kinds/index.ts'
import { buildDocument } from '../deploy/built-document.ts'
import { root } from '../service/paths.ts'
import type { Speaker } from './speaker.ts'

/** What the rehearsal reads of the API document. */
export type Operation = {
  parameters?: readonly { name?: string; in?: string; required?: boolean }[]
  responses?: { readonly [status: string]: { content?: object } }
}
export type Document = { paths: { readonly [path: string]: { readonly [method: string]: Operation } } }

export const apiDocument = async (): Promise<Document> => JSON.parse(readFileSync(await buildDocument(root), 'utf8'))

const segments = Object.values(kinds).map(({ segment }) => segment)
/** The route that serves a path of the document: kinds share theirs. */
export const routeOf = (path: string): string =>
  path.replace(new RegExp(`/cidoc/(${segments.join('|')})/`), '/cidoc/{kind}/')

/** Stands for what nobody has made. */
export const NOBODY = '00000000-0000-4000-8000-000000000000'

/** Is looked for where a search may be asked for something. */
const WORD = 'stupa'

/** Which list names what no list before it does, and what a question cannot do without. */
const elsewhere: Readonly<Record<string, { list: string; member: string }>> = {
  entity_id: { list: '/data/comments/?username=other', member: 'entity_id' },
  entity: { list: '/data/comments/?username=other', member: 'entity_id' },
  reviewer: { list: '/data/platform-admin/users/', member: 'id' },
}

/**
 * Makes addresses of the document's paths: each parameter is what the list before it names first, and the question says what it
 * must, and what is looked for. What nobody has made is `NOBODY`.
 */
export function filling({ paths }: Document, who: Speaker): (path: string) => Promise<string> {
  const known = new Map<string, Promise<string | undefined>>()
  const first = (list: string, member: string) => {
    const name = `${list} ${member}`
    const found = known.get(name) ?? firstIn(list, member)
    known.set(name, found)
    return found
  }
  const firstIn = async (list: string, member: string): Promise<string | undefined> => {
    const { body } = await who('GET', await questioned(list, list))
    const [row] = Array.isArray(body.results) ? body.results : []
    const { [member]: own, slug, entity_id, id } = Object(row)
    // Rows begin with what they are called by.
    const found = own ?? slug ?? entity_id ?? id ?? Object.values(Object(row))[0]
    return found === undefined ? undefined : String(found)
  }
  const named = async (name: string) => {
    const place = elsewhere[name]
    return (place && (await first(place.list, place.member))) ?? NOBODY
  }
  /** An address with what its question must say; `path` is how the document writes it. */
  const questioned = async (path: string, address: string): Promise<string> => {
    const query = new URLSearchParams()
    for (const { name = '', in: place, required } of paths[path]?.get?.parameters ?? [])
      if (place === 'query' && (required || name === 'q')) query.set(name, name === 'q' ? WORD : await named(name))
    return query.size > 0 ? `${address}?${query}` : address
  }
  const filled = async (address: string): Promise<string> => {
    const param = /\{(\w+)\}/.exec(address)
    if (!param) return address
    const [whole, name = ''] = param
    const before = address.slice(0, param.index)
    const found = (await first(before, name)) ?? (await named(name))
    return filled(`${before}${found}${address.slice(param.index + whole.length)}`)
  }
  return async (path) => questioned(path, await filled(path))
}
