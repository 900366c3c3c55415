import { keyOf, type Prefixes, type Quad, RDF, type Term, XSD } from './quads.ts'

/** Statements as RDF/XML. Graphs are left out. Throws if the name of a property cannot be an element of XML. */
export function writeRdfXml(quads: readonly Quad[], prefixes: Prefixes): string {
  const namespaces = new Map<string, string>([[RDF, 'rdf']])
  const subjects = [...Map.groupBy(quads, ({ subject }) => keyOf(subject)).values()].map((own) => {
    const about = own[0]?.subject
    const lines = own.map(({ predicate, object }) => {
      const name = elementOf(predicate.value, prefixes, namespaces)
      return `    <${name}${writeObject(object, name)}\n`
    })
    const named = about?.kind === 'iri' ? 'rdf:about' : 'rdf:nodeID'
    return `  <rdf:Description ${named}="${escapeXml(about?.value ?? '')}">\n${lines.join('')}  </rdf:Description>\n`
  })
  const declared = [...namespaces].map(([base, prefix]) => ` xmlns:${prefix}="${escapeXml(base)}"`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF${declared.join('\n  ')}>\n${subjects.join('')}</rdf:RDF>\n`
}

/** The element of a property: its last part is the name, the part before it the namespace. */
function elementOf(property: string, prefixes: Prefixes, namespaces: Map<string, string>): string {
  const [, base = '', local = ''] = /^(.*?)([A-Za-z_][\w.-]*)$/s.exec(property) ?? []
  if (local === '') throw new Error(`No element of XML can be named ${property}.`)
  const known = namespaces.get(base)
  const prefix = known ?? Object.entries(prefixes).find(([, it]) => it === base)?.[0] ?? `ns${namespaces.size}`
  namespaces.set(base, prefix)
  return `${prefix}:${local}`
}

/** The rest of a property's element: its value. */
function writeObject(term: Term, name: string): string {
  if (term.kind === 'iri') return ` rdf:resource="${escapeXml(term.value)}"/>`
  if (term.kind === 'blank') return ` rdf:nodeID="${escapeXml(term.value)}"/>`
  const of = term.language
    ? ` xml:lang="${escapeXml(term.language)}"`
    : term.datatype === `${XSD}string`
      ? ''
      : ` rdf:datatype="${escapeXml(term.datatype)}"`
  return `${of}>${escapeXml(term.value)}</${name}>`
}

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' }
const NOT_IN_XML = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g
const escapeXml = (value: string) => value.replace(NOT_IN_XML, '\uFFFD').replace(/[&<>"\r]/g, (it) => marks[it] ?? it)
