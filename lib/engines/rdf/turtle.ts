import { escapeText } from './n-quads.ts'
import {
  type Blank,
  type Iri,
  keyOf,
  type Literal,
  type Prefixes,
  type Quad,
  RDF_TYPE,
  type Term,
  XSD,
} from './quads.ts'

/** Statements as Turtle, or as TriG if some are in a graph with a name. Only prefixes that occur are declared. */
export function writeTurtle(quads: readonly Quad[], prefixes: Prefixes): string {
  const names = new Names(prefixes)
  const graphs = Map.groupBy(quads, ({ graph }) => graph?.value)
  const blocks = [...graphs].map(([graph, own]) => {
    const body = writeSubjects(own, names, graphs.size === 1)
    return graph === undefined ? body : `${names.write(graph)} {\n${body}}\n`
  })
  return `${names.declarations()}${blocks.join('\n')}`
}

/** Writes names, short where a prefix fits, and remembers which prefixes it used. */
class Names {
  private readonly bases: readonly (readonly [prefix: string, base: string])[]
  private readonly used = new Set<string>()

  constructor(prefixes: Prefixes) {
    this.bases = Object.entries(prefixes).filter(([, base]) => /[/#:]$/.test(base))
  }

  write(value: string): string {
    for (const [prefix, base] of this.bases) {
      const local = value.startsWith(base) ? value.slice(base.length) : undefined
      if (local === undefined || !PLAIN.test(local)) continue
      this.used.add(prefix)
      return `${prefix}:${local}`
    }
    return `<${value}>`
  }

  declarations(): string {
    const lines = this.bases
      .filter(([prefix]) => this.used.has(prefix))
      .map(([prefix, base]) => `@prefix ${prefix}: <${base}> .\n`)
    return lines.length > 0 ? `${lines.join('')}\n` : ''
  }
}
/** Names that need no escape behind a prefix. */
const PLAIN = /^[A-Za-z][\w-]*$/

/**
 * Writes the statements of one graph, subject by subject. If it is the only graph, a blank node that one statement names is written inside
 * that statement.
 */
function writeSubjects(quads: readonly Quad[], names: Names, nests: boolean): string {
  const bySubject = Map.groupBy(quads, ({ subject }) => keyOf(subject))
  const nested = nests ? nestedIn(quads) : new Set<string>()
  const writer = { names, bySubject, nested }
  return [...bySubject]
    .filter(([key]) => !nested.has(key))
    .map(([, own]) => {
      const subject = own[0]?.subject as Iri | Blank
      return `${nameOf(subject, names)}${writeProperties(own, writer, 1)} .\n`
    })
    .join('\n')
}

type Writer = { names: Names; bySubject: ReadonlyMap<string, readonly Quad[]>; nested: ReadonlySet<string> }

/** The keys of blank nodes that exactly one statement names as its object. Blank nodes that name each other in a circle are left out. */
function nestedIn(quads: readonly Quad[]): Set<string> {
  const namedBy = new Map<string, string | undefined>()
  for (const { subject, object } of quads) {
    if (object.kind !== 'blank') continue
    const key = keyOf(object)
    namedBy.set(key, namedBy.has(key) ? undefined : keyOf(subject))
  }
  const leadsBack = (key: string, passed: Set<string>): boolean => {
    if (passed.has(key)) return false
    const above = namedBy.get(key)
    return above === undefined || leadsBack(above, passed.add(key))
  }
  return new Set([...namedBy].flatMap(([key, by]) => (by !== undefined && leadsBack(key, new Set()) ? [key] : [])))
}

function writeProperties(quads: readonly Quad[], writer: Writer, depth: number): string {
  const indent = '  '.repeat(depth)
  const byPredicate = Map.groupBy(quads, ({ predicate }) => predicate.value)
  const written = [...byPredicate].map(([predicate, own]) => {
    const property = predicate === RDF_TYPE ? 'a' : writer.names.write(predicate)
    return `${property} ${own.map(({ object }) => writeObject(object, writer, depth)).join(', ')}`
  })
  return ` ${written.join(` ;\n${indent}`)}`
}

function writeObject(term: Term, writer: Writer, depth: number): string {
  if (term.kind === 'literal') return writeLiteral(term, writer.names)
  const key = keyOf(term)
  if (!writer.nested.has(key)) return nameOf(term, writer.names)
  const own = writer.bySubject.get(key) ?? []
  return own.length === 0 ? '[]' : `[${writeProperties(own, writer, depth + 1)} ]`
}

const nameOf = (term: Iri | Blank, names: Names) => (term.kind === 'iri' ? names.write(term.value) : `_:${term.value}`)

function writeLiteral({ value, datatype, language }: Literal, names: Names): string {
  if (datatype === `${XSD}integer` && /^[+-]?\d+$/.test(value)) return value
  if (datatype === `${XSD}boolean` && /^(true|false)$/.test(value)) return value
  const quoted = `"${escapeText(value)}"`
  if (language) return `${quoted}@${language}`
  return datatype === `${XSD}string` ? quoted : `${quoted}^^${names.write(datatype)}`
}
