import { isJson, type Json } from '../json.ts'

/**
 * Reduces an API document to the parts that clients rely on: operations and schemas, without descriptions and examples. Lists of
 * required members are sorted, since their order has no meaning.
 */
export function canonical(document: Json): Json {
  const { paths, components } = document
  const { schemas, responses } = isJson(components) ? components : {}
  return {
    paths: mapMembers(paths, (methods) => mapMembers(methods, operation)),
    components: { schemas: mapMembers(schemas, schema), responses: mapMembers(responses, response) },
  }
}

function operation(it: unknown): unknown {
  if (!isJson(it)) return it
  const { summary: _, description: __, tags: ___, parameters, requestBody, responses, ...rest } = it
  return {
    ...rest,
    parameters: Array.isArray(parameters) ? parameters.map(parameter) : [],
    ...(requestBody === undefined ? {} : { requestBody: bodyOf(requestBody) }),
    responses: mapMembers(responses, response),
  }
}

const parameter = (it: unknown) => (isJson(it) ? { ...wordless(it), schema: schema(it.schema) } : it)
const header = parameter

function response(it: unknown): unknown {
  if (!isJson(it)) return it
  const { headers } = it
  return { ...bodyOf(it), ...(headers === undefined ? {} : { headers: mapMembers(headers, header) }) }
}

function bodyOf(it: unknown): Json {
  if (!isJson(it)) return {}
  const { content } = it
  const typed = (each: unknown) => (isJson(each) ? { ...wordless(each), schema: schema(each.schema) } : each)
  return { ...wordless(it), ...(content === undefined ? {} : { content: mapMembers(content, typed) }) }
}

/** Reduces a schema and its inner schemas. An `allOf` is compared as it is written, so it is left unchanged. */
function schema(it: unknown): unknown {
  if (Array.isArray(it)) return it.map(schema)
  if (!isJson(it)) return it
  const members = Object.entries(wordless(it)).map(([name, each]): [string, unknown] => {
    if (name === 'properties') return [name, mapMembers(each, schema)]
    if (name === 'required' && Array.isArray(each)) return [name, each.toSorted()]
    return [name, nested.has(name) ? schema(each) : each]
  })
  return Object.fromEntries(members)
}

const nested = new Set(['items', 'prefixItems', 'anyOf', 'oneOf', 'not', 'additionalProperties'])

function wordless({ title: _, description: __, example: ___, ...rest }: Json): Json {
  return rest
}

const mapMembers = (it: unknown, change: (each: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(isJson(it) ? it : {}).map(([name, each]) => [name, change(each)]))
