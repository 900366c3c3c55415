import {
  type Blank,
  type Iri,
  iri,
  literal,
  type Prefixes,
  type Quad,
  RDF_TYPE,
  type Term,
  text,
  XSD,
} from './quads.ts'

/** A JSON value in a document. Members that are undefined or null are left out. */
type Value = string | number | boolean | null | undefined | readonly Value[] | { readonly [member: string]: Value }
export type JsonLdNode = { readonly [member: string]: Value }

type Reading = {
  prefixes: Prefixes
  graph: Iri | undefined
  nextBlank: () => Blank
  quads: Quad[]
}

/** `graph`: the IRI of the graph of all statements. `blank`: how labels of blank nodes begin, by default "b". */
export type ReadOptions = { graph?: string; blank?: string }

/**
 * Reads the statements of a compacted JSON-LD document. Supports what README.md lists, and fetches nothing. Throws if the context does not
 * explain the name of a member.
 */
export function readJsonLd(document: JsonLdNode, prefixes: Prefixes, options: ReadOptions = {}): Quad[] {
  let blanks = 0
  const reading: Reading = {
    prefixes,
    graph: options.graph === undefined ? undefined : iri(options.graph),
    nextBlank: () => ({ kind: 'blank', value: `${options.blank ?? 'b'}${blanks++}` }),
    quads: [],
  }
  readNode(document, reading)
  return reading.quads
}

/** Adds the statements of a node and of the nodes inside it. Returns its IRI or blank node. */
function readNode(node: JsonLdNode, reading: Reading): Iri | Blank {
  const subject = typeof node.id === 'string' ? nameOf(node.id, reading) : reading.nextBlank()
  const say = (predicate: string, object: Term) => {
    const graph = reading.graph && { graph: reading.graph }
    reading.quads.push({ subject, predicate: iri(predicate), object, ...graph })
  }
  for (const type of listOf(node.type)) say(RDF_TYPE, nameOf(String(type), reading))
  for (const [name, value] of Object.entries(node)) {
    if (name === '@context' || name === 'id' || name === 'type') continue
    const values = listOf(value)
    if (values.length === 0) continue
    const predicate = propertyOf(name, reading.prefixes)
    for (const each of values) say(predicate, readValue(each, reading))
  }
  return subject
}

const listOf = (value: Value): Value[] =>
  (Array.isArray(value) ? (value as readonly Value[]) : [value as Value]).filter(
    (it) => it !== undefined && it !== null,
  )

function readValue(value: Value, reading: Reading): Term {
  if (typeof value === 'string') return text(value)
  if (typeof value === 'boolean') return literal(String(value), `${XSD}boolean`)
  if (typeof value === 'number') return numberOf(value)
  const node = value as JsonLdNode
  if (node['@value'] === undefined) return readNode(node, reading)
  const given = String(node['@value'])
  if (typeof node.type === 'string') return literal(given, expand(node.type, reading.prefixes))
  return text(given, typeof node['@language'] === 'string' ? node['@language'] : undefined)
}

/** A number as JSON-LD writes it: whole ones as integers, others as doubles in canonical form. */
function numberOf(value: number): Term {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return literal(value.toFixed(0), `${XSD}integer`)
  return literal(value.toExponential(15).replace(/(\d)0*e\+?/, '$1E'), `${XSD}double`)
}

const nameOf = (name: string, { prefixes }: Reading): Iri | Blank =>
  name.startsWith('_:') ? { kind: 'blank', value: name.slice(2) } : iri(expand(name, prefixes))

/** The property that a member stands for: a term of the context, or a name with a prefix. */
function propertyOf(name: string, prefixes: Prefixes): string {
  const found = expand(prefixes[name] ?? name, prefixes)
  if (!found.includes('://')) throw new Error(`The context does not explain ${name}.`)
  return found
}

/** Writes a name such as `crm:E5_Event` out in full. */
function expand(name: string, prefixes: Prefixes): string {
  const [, prefix = '', local = ''] = /^([^:]*):(.*)$/s.exec(name) ?? []
  const base = local.startsWith('//') ? undefined : prefixes[prefix]
  return base === undefined ? name : base + local
}
