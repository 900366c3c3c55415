import { type Declared, declarationOf } from '../../platform/http/endpoint.ts'
import { JSON_LD, type RdfType, rdfTypes } from '../../platform/http/media.ts'
import type { Route } from '../../platform/http/route.ts'
import type { Node } from './context.ts'

/**
 * Returns a route with RDF added: if it has JSON-LD, it answers the same statements as Turtle, N-Triples, N-Quads and RDF/XML. The
 * writers are loaded with the first question.
 */
export function withRdfTypes(route: Route): Route {
  const spec = declarationOf(route)
  const makeNode = spec.representations?.[JSON_LD]
  if (!makeNode) return route
  // A route may write them itself, such as that of addresses that stay.
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

/** Writes a document of JSON-LD, which has its `@context`, as another media type. */
async function writeLinked(document: Node, type: RdfType): Promise<string> {
  const { writeDocument } = await import('./rdf-text.ts')
  return writeDocument(document, type)
}
