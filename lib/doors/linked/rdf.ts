import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { type Declared, declarationOf } from '../../platform/http/endpoint.ts'
import { JSON_LD, rdfTypes } from '../../platform/http/media.ts'
import { replyContent } from '../../platform/http/reply.ts'
import type { Route } from '../../platform/http/route.ts'
import type { Node } from './context.ts'

/**
 * Returns a route with RDF added: if it has JSON-LD, it answers the same statements as Turtle, N-Triples, N-Quads and RDF/XML. The
 * writers are loaded with the first such request.
 */
export function withRdfTypes(route: Route): Route {
  const spec = declarationOf(route)
  const makeNode = spec.representations?.[JSON_LD]
  if (!makeNode) return route
  // A route that writes RDF itself stays as it is. Example: the route of addresses that stay.
  if (spec.representations?.[rdfTypes[0]]) return route
  const written = rdfTypes.map((type) => [
    type,
    async (given: object) => writeLinked((await makeNode(given)) as Node, type),
  ])
  const made: Declared = {
    ...spec,
    // A bundle has no documentation.
    ...(spec.answer && { answer: withMoreTypes(spec.answer) }),
    representations: { ...spec.representations, ...Object.fromEntries(written) },
  }
  // The types of the declaration are dropped again, as in the functions that make routes.
  return made as unknown as Route
}

const withMoreTypes = (answer: Declared['answer']): Declared['answer'] => ({
  ...answer,
  200: { ...answer[200], types: [...(answer[200]?.types ?? []), ...rdfTypes] },
})

/** A document of JSON-LD: its `@context`, and members that follow from it. */
const LinkedDocumentView = s.shape('LinkedDocument', () => v.record(v.string(), v.unknown()))
/** The answer of a document that is linked data and nothing else. */
export const linkedAnswer = { 200: { types: rdfTypes, also: { [JSON_LD]: LinkedDocumentView } } } as const

/** Writes a document of JSON-LD, which has its `@context`, as another media type of linked data. */
async function writeLinked(document: Node, type: (typeof rdfTypes)[number]): Promise<string> {
  const { writeDocument } = await import('./rdf-text.ts')
  return writeDocument(document, type)
}

type Make = (origin: string) => Promise<Node>
// Any route may have these handlers, whatever else it gives to them.
const originOf = (call: object) => (call as { request: { origin: string } }).request.origin

/** The handlers of a document that is linked data and nothing else: Turtle, unless another media type is asked for. */
export function linkedHandlers(make: Make) {
  const as = (type: (typeof rdfTypes)[number]) => async (call: object) => writeLinked(await make(originOf(call)), type)
  return {
    handle: async (call: object) => replyContent(await as('text/turtle')(call), 'text/turtle'),
    representations: {
      'text/turtle': as('text/turtle'),
      'application/n-triples': as('application/n-triples'),
      'application/n-quads': as('application/n-quads'),
      'application/rdf+xml': as('application/rdf+xml'),
      [JSON_LD]: (call: object): Promise<Readonly<Record<string, unknown>>> => make(originOf(call)),
    },
  }
}
