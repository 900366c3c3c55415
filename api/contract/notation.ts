import { isDeepStrictEqual } from 'node:util'
import { isJson, type Json } from '../json.ts'

/**
 * Short forms of schemas. A text is a type (`integer`), a format (`string(uuid)`) or a component (`Link`).
 *
 * - `Link[]` is a list; `Link | null` is one of two; `bytes` is a file.
 * - `page of Link` is a page of a list; `Link with warnings` is an answer that may carry `warnings`.
 * - `members` are those of an object. A name that ends in `?` need not be there.
 *
 * Any other schema stays JSON Schema.
 */
export type Notation = string | Json

const COMPONENTS = '#/components/schemas/'
const types = ['string', 'integer', 'number', 'boolean', 'null']
const BYTES = { type: 'string', contentMediaType: 'application/octet-stream' }
const PAGE = 'page of '
const WARNED = ' with warnings'

/** Writes the short form of a canonical schema. */
export function inShort(schema: unknown): Notation {
  if (!isJson(schema)) return {}
  const text = asText(schema)
  // A text that would be read back as another form is not used.
  return text !== undefined && isDeepStrictEqual(ofText(text), schema) ? text : asMembers(schema)
}

/** Restores a schema from the form that `inShort` has written. */
export function atLength(it: unknown): Json {
  if (typeof it === 'string') return ofText(it)
  if (!isJson(it)) return {}
  const { members, ...rest } = it
  const own = Object.fromEntries(Object.entries(rest).map(([name, each]) => [name, inside(name, each, atLength)]))
  if (!isJson(members)) return own
  const required = Object.keys(members).filter((name) => !name.endsWith('?'))
  const properties = Object.entries(members).map(([name, each]) => [name.replace(/\?$/, ''), atLength(each)])
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required: required.toSorted() }),
    ...own,
  }
}

function asText(schema: Json): string | undefined {
  const { type, $ref, format, items, anyOf, properties } = schema
  const has = (...names: string[]) => Object.keys(schema).toSorted().join() === names.join()
  if (has('$ref') && typeof $ref === 'string' && $ref.startsWith(COMPONENTS)) return $ref.slice(COMPONENTS.length)
  if (has('type') && typeof type === 'string' && types.includes(type)) return type
  if (has('format', 'type') && type === 'string') return `string(${format})`
  if (has('items', 'type') && type === 'array') return asList(items)
  if (has('anyOf') && Array.isArray(anyOf)) return asUnion(anyOf)
  if (has('contentMediaType', 'type')) return 'bytes'
  if (has('allOf') && Array.isArray(schema.allOf)) return asWarned(schema.allOf)
  return isJson(properties) && isJson(properties.results) ? asPage(properties.results) : undefined
}

function asList(items: unknown): string | undefined {
  const item = isJson(items) ? asText(items) : undefined
  return item === undefined || item.includes(' | ') ? undefined : `${item}[]`
}

function asPage({ items }: Json): string | undefined {
  const item = isJson(items) ? asText(items) : undefined
  return item === undefined ? undefined : `${PAGE}${item}`
}

/** Writes an answer that may carry warnings. Any other `allOf` is left unchanged. */
function asWarned([first]: readonly unknown[]): string | undefined {
  const text = isJson(first) ? asText(first) : undefined
  return text === undefined ? undefined : `${text}${WARNED}`
}

function asUnion(options: readonly unknown[]): string | undefined {
  const texts = options.map((each) => (isJson(each) ? asText(each) : undefined))
  return texts.length > 1 && texts.every((each) => each !== undefined && !each.includes(' | '))
    ? texts.join(' | ')
    : undefined
}

function ofText(text: string): Json {
  if (text.endsWith(WARNED)) return { allOf: [ofText(text.slice(0, -WARNED.length)), warnings] }
  const options = text.split(' | ')
  if (options.length > 1) return { anyOf: options.map(ofText) }
  if (text === 'bytes') return BYTES
  if (text.startsWith(PAGE)) return pageOf(text.slice(PAGE.length))
  if (text.endsWith('[]')) return { type: 'array', items: ofText(text.slice(0, -2)) }
  const [, format] = /^string\((.*)\)$/.exec(text) ?? []
  if (format !== undefined) return { type: 'string', format }
  return types.includes(text) ? { type: text } : { $ref: `${COMPONENTS}${text}` }
}

const warnings = { properties: { warnings: { type: 'array', items: { $ref: `${COMPONENTS}Warning` } } } }

/** The members of a page, the same for every list. */
function pageOf(item: string): Json {
  const links = { next: 'string | null', previous: 'string | null' }
  return atLength({ members: { count: 'number', ...links, results: `${item}[]`, 'warnings?': 'Warning[]' } })
}

function asMembers(schema: Json): Json {
  const { type, properties, required = [], ...rest } = schema
  const must = Array.isArray(required) ? required.map(String) : []
  const isPlain =
    type === 'object' &&
    isJson(properties) &&
    must.every((name) => name in properties) &&
    !Object.keys(properties).some((name) => name.endsWith('?'))
  const own = Object.entries(isPlain ? rest : schema).map(([name, each]) => [name, inside(name, each, inShort)])
  const members = Object.entries(isPlain ? properties : {}).map(([name, each]) => [
    must.includes(name) ? name : `${name}?`,
    inShort(each),
  ])
  return { ...(isPlain && { members: Object.fromEntries(members) }), ...Object.fromEntries(own) }
}

/** Changes the schemas inside the value of a JSON Schema keyword. */
function inside(keyword: string, value: unknown, change: (schema: unknown) => unknown): unknown {
  if (['anyOf', 'oneOf', 'prefixItems'].includes(keyword) && Array.isArray(value)) return value.map(change)
  if (['items', 'not'].includes(keyword)) return change(value)
  if (keyword === 'additionalProperties') return typeof value === 'boolean' ? value : change(value)
  if (keyword !== 'properties' || !isJson(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, change(each)]))
}
