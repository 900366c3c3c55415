import jsonld from 'jsonld'
import { Parser } from 'n3'
import { describe, expect, test } from 'vitest'
import { type JsonLdNode, rdfTypes, readJsonLd, writeRdf } from '../../../lib/engines/rdf/index.ts'
import { canonical, canonicalOf, parseRdf } from '../../harness/rdf.ts'

const context = {
  id: '@id',
  type: '@type',
  label: 'rdfs:label',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  ex: 'https://example.org/terms/',
}
const document = (members: JsonLdNode): JsonLdNode => ({ '@context': context, id: 'https://example.org/1', ...members })
const written = (it: JsonLdNode, type: (typeof rdfTypes)[number] = 'text/turtle') =>
  writeRdf(readJsonLd(it, context), type, context)

/** Documents with all that is read, and with what is hard to write. */
const documents: Readonly<Record<string, JsonLdNode>> = {
  'a text': document({ label: 'A name' }),
  'texts in languages': document({ label: ['Plain', { '@value': 'मन्दिर', '@language': 'ne' }] }),
  'types, one and several': document({ type: ['ex:A', 'ex:B'], 'ex:of': { id: 'ex:2', type: 'ex:C' } }),
  numbers: document({ 'ex:n': [0, 1, -7, 1.5, 0.1, 123456.789, 1e21, 2 ** 53] }),
  truth: document({ 'ex:is': [true, false] }),
  'a value of a type': document({ 'ex:at': { type: 'xsd:dateTime', '@value': '-0056-01-01T00:00:00Z' } }),
  'things without a name, in each other': document({
    'ex:has': [{ 'ex:has': { label: 'Inner' } }, { label: 'Other' }, {}],
  }),
  'a thing without a name that is named twice': document({
    'ex:has': [{ id: '_:x', label: 'Shared' }, { 'ex:like': { id: '_:x' } }],
  }),
  'things without a name in a circle': document({
    'ex:has': { id: '_:x', 'ex:next': { id: '_:y', 'ex:next': { id: '_:x' } } },
  }),
  'a statement twice': document({
    label: ['Same', 'Same'],
    'ex:by': [
      { id: 'ex:p', label: 'P' },
      { id: 'ex:p', label: 'P' },
    ],
  }),
  'what is left out': document({ label: null, 'ex:a': undefined, 'ex:b': [], 'ex:c': 'kept' }),
  'quotes, lines, tabs and marks of XML': document({
    label: 'a "b" \\ c\nd\te\r\nf <g> & \'h\' ]]> \\u0041 \u007f 𑐣 🛕',
  }),
  'an empty text, and spaces': document({ label: ['', ' ', '  two  '] }),
  'names that need brackets': document({
    'ex:see': [{ id: 'https://example.org/terms/a.b,c' }, { id: 'urn:uuid:1' }, { id: 'ex:9' }],
  }),
}

describe.each(Object.entries(documents))('%s', (_, it) => {
  test.each(rdfTypes)('means as %s what another library reads in the JSON-LD', async (type) => {
    expect(await canonical(await parseRdf(written(it, type), type))).toBe(await canonicalOf(it))
  })
})

test('Turtle is short: prefixes that occur, classes first, things without a name inside', () => {
  const it = document({
    type: 'ex:Temple',
    label: ['A', { '@value': 'अ', '@language': 'ne' }],
    'ex:has': { 'ex:n': 7 },
  })
  expect(written(it)).toBe(`@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix ex: <https://example.org/terms/> .

<https://example.org/1> a ex:Temple ;
  rdfs:label "A", "अ"@ne ;
  ex:has [ ex:n 7 ] .
`)
})

test('TriG and N-Quads keep graphs apart, and the others leave them out', async () => {
  const quads = ['one', 'two'].flatMap((name) =>
    readJsonLd(document({ label: name }), context, { graph: `ex:${name}` }),
  )
  const graphs = (type: 'application/trig' | 'application/n-quads') =>
    new Parser({ format: type }).parse(writeRdf(quads, type, context)).map(({ graph }) => graph.value)
  expect([graphs('application/trig'), graphs('application/n-quads')]).toEqual([
    ['ex:one', 'ex:two'],
    ['ex:one', 'ex:two'],
  ])
  expect(writeRdf(quads, 'application/n-triples', context)).not.toContain('ex:one')
})

test('a member that the context does not explain fails, since its statements would be lost', () => {
  expect(() => readJsonLd(document({ unknown: 'x' }), context)).toThrow('The context does not explain unknown.')
})

test('characters that no name may have are encoded', () => {
  expect(written(document({ 'ex:see': { id: 'https://example.org/a b>c' } }), 'application/n-triples')).toContain(
    '<https://example.org/a%20b%3Ec>',
  )
})

test('a property that XML cannot name fails', () => {
  expect(() => written(document({ 'ex:1': 'x' }), 'application/rdf+xml')).toThrow('No element of XML can be named')
})

test('labels of things without a name begin as is asked, so that documents can be joined', () => {
  const quads = readJsonLd(document({ 'ex:has': {} }), context, { blank: 'doc7n' })
  expect(quads.map(({ object }) => object.value)).toEqual(['doc7n0'])
})

test('the library that the others are compared with knows that two documents differ', async () => {
  expect(await canonicalOf(document({ label: 'A' }))).not.toBe(await canonicalOf(document({ label: 'B' })))
  expect(typeof jsonld.canonize).toBe('function')
})
