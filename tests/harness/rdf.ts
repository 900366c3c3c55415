import jsonld from 'jsonld'
import type { Quad } from 'n3'
import { Parser, Writer } from 'n3'
import { RdfXmlParser } from 'rdfxml-streaming-parser'

/** Nothing may be fetched to read an answer. */
const documentLoader = async (url: string): Promise<never> => {
  throw new Error(`asked for ${url}`)
}

/** The statements of a text of any media type of RDF, as libraries of others read it. */
export async function parseRdf(text: string, type: string): Promise<Quad[]> {
  if (type !== 'application/rdf+xml') return new Parser({ format: type }).parse(text)
  const parser = new RdfXmlParser()
  const found: Quad[] = []
  const end = new Promise<void>((done, fail) => {
    parser.on('data', (quad: Quad) => found.push(quad))
    parser.on('error', fail)
    parser.on('end', () => done())
  })
  parser.write(text)
  parser.end()
  await end
  return found
}

/** The statements in their canonical form (RDFC-1.0): two sets are isomorphic if and only if these are equal. */
export async function canonical(quads: readonly Quad[]): Promise<string> {
  const input = new Writer({ format: 'application/n-quads' }).quadsToString([...quads])
  return String(
    await jsonld.canonize(
      input as never,
      { algorithm: 'RDFC-1.0', inputFormat: 'application/n-quads', format: 'application/n-quads' } as never,
    ),
  )
}

/** The statements of JSON-LD in their canonical form, as the library of JSON-LD reads it. */
export async function canonicalOf(document: object): Promise<string> {
  const options = { format: 'application/n-quads' as const, safe: true, documentLoader }
  const nQuads = String(await jsonld.toRDF(document, options))
  return canonical(await parseRdf(nQuads, 'application/n-quads'))
}
