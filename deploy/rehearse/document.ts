import { readFileSync } from 'node:fs'
import { kinds } from '../../lib/domain/kinds/index.ts'
import { buildDocument } from '../packages/built-document.ts'
import { root } from '../root.ts'
import type { Speaker } from './speaker.ts'

/** The members of an operation in the API document that the rehearsal reads. */
export type Operation = {
  parameters?: readonly { name?: string; in?: string; required?: boolean }[]
  responses?: { readonly [status: string]: { content?: object } }
}
export type Document = { paths: { readonly [path: string]: { readonly [method: string]: Operation } } }

export const apiDocument = async (): Promise<Document> => JSON.parse(readFileSync(await buildDocument(root), 'utf8'))

const segments = Object.values(kinds).map(({ segment }) => segment)
/** The route of a path. All kinds share theirs: `/cidoc/structures/` is `/cidoc/{kind}/`. */
export const routeOf = (path: string): string =>
  path.replace(new RegExp(`/cidoc/(${segments.join('|')})/`), '/cidoc/{kind}/')

/** An id that no item has. */
export const NOBODY = '00000000-0000-4000-8000-000000000000'

/** What searches ask for (`q`). */
const WORD = 'stupa'

/** Parameters whose values the list above them does not hold, and the list that does. Some are required query members. */
const elsewhere: Readonly<Record<string, { list: string; member: string }>> = {
  entity_id: { list: '/data/comments/?username=other', member: 'entity_id' },
  entity: { list: '/data/comments/?username=other', member: 'entity_id' },
  reviewer: { list: '/data/platform-admin/users/', member: 'id' },
}

/**
 * Makes an address of a path of the document. A parameter gets the id of the first row of the list above it, or `NOBODY` if that is
 * empty. Example: `/data/projects/{slug}/` gets the first project. Required query members and `q` are added.
 */
export function addressMaker({ paths }: Document, who: Speaker): (path: string) => Promise<string> {
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
    // The first member of a row is its id or name.
    const found = own ?? slug ?? entity_id ?? id ?? Object.values(Object(row))[0]
    return found === undefined ? undefined : String(found)
  }
  const named = async (name: string) => {
    const place = elsewhere[name]
    return (place && (await first(place.list, place.member))) ?? NOBODY
  }
  /** The address with its query members. `path` is how the document spells it. */
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
