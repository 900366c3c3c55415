import { readFile, writeFile } from 'node:fs/promises'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'

/**
 * `node generate.mjs DOCUMENT FILE`: the types of the API document, as narrow as a compiler can check. What the service
 * takes out of indulgence for forms is left out of bodies: members that are dropped, and blank text that is not empty.
 */
const FORM = { type: 'string', contentMediaType: 'multipart/form-data' }
const [from = '', to = ''] = process.argv.slice(2)
const document = JSON.parse(await readFile(from, 'utf8'))
document.components.schemas['value.blank'] = { anyOf: [{ type: 'null' }, { const: '' }] }
for (const [name, schema] of Object.entries(document.components.schemas))
  if (/(Create|Change)$/.test(name)) delete schema.additionalProperties

/** A form may be sent as its members, or as a FormData that holds them. */
for (const methods of Object.values(document.paths))
  for (const { requestBody } of Object.values(methods)) {
    const form = requestBody?.content?.['multipart/form-data']
    if (form) form.schema = { anyOf: [form.schema, FORM] }
  }

/** Texts that can only be numbers, points or days; of all other patterns no type says anything. */
const texts = [
  { fits: ['1', '0'], unfit: 'soon', written: ['{n}'] },
  { fits: ['27.6, 85.4'], unfit: 'here', written: ['{n},{n}', '{n}, {n}'] },
  { fits: ['POINT(85.4 27.6)'], unfit: 'here', written: ['POINT({n} {n})'] },
]
const number = ts.factory.createKeywordTypeNode(ts.SyntaxKind.NumberKeyword)

/** A template literal type: `{n}` stands for a number. */
function templateOf(written) {
  const [head = '', ...rest] = written.split('{n}')
  const spans = rest.map((text, i) => {
    const end = i === rest.length - 1 ? ts.factory.createTemplateTail(text) : ts.factory.createTemplateMiddle(text)
    return ts.factory.createTemplateLiteralTypeSpan(number, end)
  })
  return ts.factory.createTemplateLiteralType(ts.factory.createTemplateHead(head), spans)
}

/** The types of browsers and Node that stand for a whole form, and for a file in it. */
const platformTypes = { 'multipart/form-data': 'FormData', 'application/octet-stream': 'File' }

function transform({ type, pattern, format, contentMediaType }) {
  if (type !== 'string') return undefined
  const name = platformTypes[contentMediaType]
  if (name) return ts.factory.createTypeReferenceNode(name)
  if (format === 'date') return templateOf('{n}-{n}-{n}')
  if (pattern === undefined) return undefined
  const form = new RegExp(pattern, 'u')
  const found = texts.find(
    ({ fits, unfit }) => fits.some((it) => form.test(it)) && !form.test(unfit) && !form.test('x'),
  )
  return found && ts.factory.createUnionTypeNode(found.written.map(templateOf))
}

// A member that has a default may be left out of what is sent.
const types = await openapiTS(document, { defaultNonNullable: false, transform })
await writeFile(to, astToString(types))
