import { english, sayIn } from '../../base/language/say.ts'
import { kindKeys, kinds } from '../../domain/kinds/index.ts'
import { context, type Node } from '../linked/context.ts'
import { BR_TPF, datasetOf } from './answer.ts'

/** What the last run of the export made, as far as the description uses it. */
export type ExportedDataset = {
  made_at: string
  licence: string | null
  triples: number
  files: readonly {
    name: string
    kind: string
    format: string
    holds: string
    rows: number
    bytes: number
    type: string
  }[]
}

const vocabularies = ['crm', 'crminf', 'prov', 'skos', 'dcterms', 'foaf', 'geo'] as const

/** Describes the public statements as a whole, for machines that look for data: VoID and DCAT. Undefined `of`: no run has ended yet. */
export async function describeDataset(of: ExportedDataset | undefined, origin: string): Promise<Node> {
  const say = await sayIn('ne')
  const both = (text: string) => [
    { '@value': english(text), '@language': 'en' },
    { '@value': say(text), '@language': 'ne' },
  ]
  const files = of?.files ?? []
  const nQuads = files.filter(({ format }) => format === 'nq')
  const addressOf = (name: string) => `${origin}/data/exports/${name}/`
  const rowsOf = new Map(files.filter(({ format }) => format === 'jsonl').map(({ kind, rows }) => [kind, rows]))
  return {
    '@context': { ...context, void: 'http://rdfs.org/ns/void#', dcat: 'http://www.w3.org/ns/dcat#' },
    id: datasetOf(origin),
    type: ['void:Dataset', 'dcat:Dataset'],
    'dcterms:title': both('Public heritage records'),
    'dcterms:description': both('All that everyone may read: records with their values, places, dates and links.'),
    'dcterms:modified': of && { type: 'xsd:dateTime', '@value': of.made_at },
    'dcterms:license': of?.licence
      ? /^https?:\/\/\S+$/.test(of.licence)
        ? { id: of.licence }
        : of.licence
      : undefined,
    'dcterms:publisher': { id: `${origin}/` },
    'foaf:homepage': { id: `${origin}/` },
    'void:triples': of?.triples ?? 0,
    'void:entities': [...rowsOf.values()].reduce((sum, rows) => sum + rows, 0),
    'void:uriSpace': `${origin}/cidoc/`,
    'void:vocabulary': vocabularies.map((name) => ({ id: String(context[name]) })),
    'void:feature': ['N-Quads', 'Turtle', 'N-Triples', 'RDF_XML', 'JSON-LD'].map((name) => ({
      id: `http://www.w3.org/ns/formats/${name}`,
    })),
    'void:dataDump': nQuads.map(({ name }) => ({ id: addressOf(name) })),
    'void:uriLookupEndpoint': { id: `${origin}/fragments/?subject=` },
    'void:classPartition': kindKeys
      .filter((key) => rowsOf.has(key))
      .map((key) => ({
        'void:class': { id: kinds[key].classUri },
        'void:entities': rowsOf.get(key),
        label: both(kinds[key].labelPlural),
      })),
    'dcat:accessService': {
      id: `${origin}/fragments/`,
      type: 'dcat:DataService',
      'dcat:endpointURL': { id: `${origin}/fragments/` },
      // The second address says that bindings of variables are accepted, too (brTPF).
      'dcterms:conformsTo': [{ id: 'http://www.w3.org/ns/hydra/spec/latest/triple-pattern-fragments' }, { id: BR_TPF }],
    },
    'dcat:distribution': files.map((file) => ({
      id: addressOf(file.name),
      type: 'dcat:Distribution',
      'dcterms:title': file.name,
      'dcat:accessURL': { id: `${origin}/data/exports/` },
      'dcat:downloadURL': { id: addressOf(file.name) },
      'dcat:mediaType': file.type,
      'dcat:byteSize': file.bytes,
    })),
  }
}
