import { type JsonLdNode, type Prefixes, type RdfType, readJsonLd, writeRdf } from '../../engines/rdf/index.ts'
import { findPrefix, readLines } from '../../engines/sorted-lines/index.ts'
import { context } from '../linked/context.ts'
import type { FragmentIndex } from './stored.ts'
import { askedTerm, beginningOf, statementOf } from './terms.ts'

/** What a client asks for: each part of a pattern is a term or left open. */
export type Asked = {
  subject?: string | undefined
  predicate?: string | undefined
  object?: string | undefined
  page: number
}

/** Statements of a page. */
const PAGE = 100

const prefixes = {
  ...context,
  void: 'http://rdfs.org/ns/void#',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
} as unknown as Prefixes

/**
 * A page of the statements that fit a pattern, with their number and the controls to ask further, as Triple Pattern Fragments have it. The
 * controls are in a graph of their own. Without an index there are no statements yet.
 */
export async function writeFragment(
  index: FragmentIndex | undefined,
  asked: Asked,
  at: At & { type: RdfType },
): Promise<string> {
  const { origin, type } = at
  const pattern = {
    subject: askedTerm(asked.subject, origin),
    predicate: askedTerm(asked.predicate, origin),
    object: askedTerm(asked.object, origin),
  }
  const named = Object.fromEntries(Object.entries(pattern).filter(([, term]) => term !== undefined))
  const { order, beginning } = beginningOf(named)
  const lines = index?.[order]
  const { from, to } = lines ? await findPrefix(lines, beginning) : { from: 0, to: 0 }
  const first = Math.min(to, from + (asked.page - 1) * PAGE)
  const last = Math.min(to, first + PAGE)
  const data = (lines ? await readLines(lines, first, last) : []).map((line) => statementOf(order, line, origin))
  const graph = `${at.address}#metadata`
  const about = readJsonLd(controlsOf(asked, to - from, at), prefixes, { graph, blank: 'control' })
  return writeRdf([...data, ...about], type, prefixes)
}

/** `address` is the one that was asked: clients find the controls of a page by it. */
type At = { origin: string; address: string }

/** The address of a page. The first page is the one without a number. */
function addressOf(asked: Asked, page: number, origin: string): string {
  const query = new URLSearchParams()
  for (const name of ['subject', 'predicate', 'object'] as const) if (asked[name]) query.set(name, asked[name])
  if (page > 1) query.set('page', String(page))
  const search = query.toString()
  return `${origin}/fragments/${search === '' ? '' : `?${search}`}`
}

function controlsOf(asked: Asked, count: number, { origin, address }: At): JsonLdNode {
  const link = (page: number, is: boolean) => (is ? { id: addressOf(asked, page, origin) } : undefined)
  const page = {
    id: address,
    type: ['hydra:PartialCollectionView', 'void:Dataset'],
    'dcterms:source': { id: datasetOf(origin) },
    'void:triples': count,
    'hydra:totalItems': count,
    'hydra:itemsPerPage': PAGE,
    'hydra:first': link(1, true),
    'hydra:previous': link(asked.page - 1, asked.page > 1),
    'hydra:next': link(asked.page + 1, asked.page * PAGE < count),
    'hydra:last': link(Math.max(1, Math.ceil(count / PAGE)), true),
  }
  const dataset = {
    id: datasetOf(origin),
    type: ['void:Dataset', 'hydra:Collection'],
    'void:subset': page,
    'hydra:search': {
      'hydra:template': `${origin}/fragments/{?subject,predicate,object}`,
      'hydra:variableRepresentation': { id: 'hydra:ExplicitRepresentation' },
      'hydra:mapping': ['subject', 'predicate', 'object'].map((name) => ({
        'hydra:variable': name,
        'hydra:property': { id: `rdf:${name}` },
      })),
    },
  }
  return { id: `${address}#metadata`, 'foaf:primaryTopic': dataset }
}

/** The name of all public statements together. */
export const datasetOf = (origin: string): string => `${origin}/.well-known/void/#dataset`
