import { isJson, type Json } from '../json.ts'
import { atLength, inShort } from './notation.ts'

/**
 * The short form of an operation. `who` holds the roles that pass. Parameters are grouped by place; `?` marks optional ones. The body
 * and each answer are grouped by media type. Refusals that all operations share are left out.
 */
export function operationInShort(it: Json): Json {
  const { operationId, 'x-permission': permission, 'x-roles': roles, security, parameters, requestBody, ...more } = it
  const { responses, ...rest } = more
  const all = Object.entries(object(responses))
  const answers = all.filter(([status, each]) => !isRefusal(status, each))
  const places = Map.groupBy(list(parameters), ({ in: place }) => String(place))
  return {
    operationId,
    permission,
    ...(roles !== undefined && { roles }),
    ...(isSame(security, signedIn) ? { signedIn: true } : isSame(security, [{}, ...signedIn]) ? {} : { security }),
    ...Object.fromEntries([...places].map(([place, each]) => [place, Object.fromEntries(each.map(parameterInShort))])),
    ...(isJson(requestBody) && { [requestBody.required === true ? 'body' : 'body?']: contentInShort(requestBody) }),
    answers: Object.fromEntries(answers.map(([status, each]) => [status, answerInShort(object(each))])),
    refuses: all.filter(([status, each]) => isRefusal(status, each)).map(([status]) => Number(status)),
    ...rest,
  }
}

/** Restores an operation from the form that `operationInShort` has written. */
export function operationAtLength(it: Json): Json {
  const { operationId, permission, roles, signedIn: isSignedIn, security, answers, refuses, ...rest } = it
  const { path, query, header, cookie, body, 'body?': maybeBody, ...more } = rest
  const places = Object.entries({ path, query, header, cookie })
  const sent = body ?? maybeBody
  const refusals = list(refuses, isStatus).map((status) => [status, refusal(status)])
  const answered = Object.entries(object(answers)).map(([status, each]) => [status, answerAtLength(object(each))])
  return {
    operationId,
    'x-permission': permission,
    ...(roles !== undefined && { 'x-roles': roles }),
    security: security ?? (isSignedIn ? signedIn : [{}, ...signedIn]),
    parameters: places.flatMap(([place, each]) =>
      Object.entries(object(each)).map(([name, schema]) => parameterAtLength(place, name, schema)),
    ),
    ...(isJson(sent) && { requestBody: { required: body !== undefined, ...contentAtLength(sent) } }),
    responses: Object.fromEntries([...answered, ...refusals]),
    ...more,
  }
}

const signedIn = [{ bearer: [] }, { devUser: [] }]

const refusal = (status: string | number) => ({ $ref: `#/components/responses/R${status}` })
const isRefusal = (status: string, it: unknown) => isSame(it, refusal(status))
const isStatus = (it: unknown): it is number => typeof it === 'number'

const parameterInShort = ({ name, required, schema }: Json): [string, unknown] => [
  required === true ? String(name) : `${name}?`,
  inShort(schema),
]
const parameterAtLength = (place: string, name: string, schema: unknown): Json => ({
  name: name.replace(/\?$/, ''),
  in: place,
  required: !name.endsWith('?'),
  schema: atLength(schema),
})

/** Writes an answer with content only as its content. No media type is called `headers`. */
export function answerInShort(it: Json): Json {
  const { headers } = it
  return {
    ...contentInShort(it),
    ...(isJson(headers) && { headers: mapMembers(headers, ({ schema }) => inShort(schema)) }),
  }
}

/** Restores an answer from the form that `answerInShort` has written. */
export function answerAtLength({ headers, ...content }: Json): Json {
  const schemas = (it: Json) => Object.entries(it).map(([name, each]) => [name, { schema: atLength(each) }])
  return { ...contentAtLength(content), ...(isJson(headers) && { headers: Object.fromEntries(schemas(headers)) }) }
}

const contentInShort = ({ content }: Json): Json => mapMembers(object(content), ({ schema }) => inShort(schema))
function contentAtLength(it: Json): Json {
  const types = Object.entries(it).map(([type, each]) => [type, { schema: atLength(each) }])
  return types.length > 0 ? { content: Object.fromEntries(types) } : {}
}

const mapMembers = (it: Json, change: (each: Json) => unknown): Json =>
  Object.fromEntries(Object.entries(it).map(([name, each]) => [name, change(object(each))]))
const object = (it: unknown): Json => (isJson(it) ? it : {})
function list(it: unknown): Json[]
function list<T>(it: unknown, is: (each: unknown) => each is T): T[]
function list(it: unknown, is: (each: unknown) => boolean = isJson): unknown[] {
  return Array.isArray(it) ? it.filter(is) : []
}
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
