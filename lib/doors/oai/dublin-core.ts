import { config } from '../../base/config.ts'
import { type Kind, kinds, proseFields } from '../../domain/kinds/index.ts'
import { labelLines, labelsView } from '../../domain/labels/labels.ts'
import { isLink, textOf } from '../../domain/names/text.ts'
import { iriOf, recordIri, sameThingIri } from '../../domain/records/iri.ts'
import type { RecordRow } from '../../domain/records/items.ts'
import type { Visible } from '../../domain/records/shown.ts'
import { visibleValuesAndPoint } from '../../domain/records/views/record.ts'
import { pageAddress } from '../pages/address.ts'
import { element, textElement, type Xml } from './xml.ts'

type Said = { element: string; text: string; language?: string }

const namespaces = {
  'xmlns:oai_dc': 'http://www.openarchives.org/OAI/2.0/oai_dc/',
  'xmlns:dc': 'http://purl.org/dc/elements/1.1/',
  'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
  'xsi:schemaLocation': 'http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd',
}

/** A record as unqualified Dublin Core, as everyone may read it. */
export function dublinCoreOf(it: Visible<RecordRow>, origin: string): Xml {
  const attributeText = [
    ...namesIn(it),
    ...valuesIn(it, origin),
    { element: 'type', text: kinds[it.kind].label },
    // Catalogues lead readers to the first address, so the page comes first. The second address is the one in relations.
    ...[...new Set([pageAddress(origin, it), recordIri(origin, it), `urn:uuid:${it.entity_id}`])].map((text) => ({
      element: 'identifier',
      text,
    })),
    ...placeOf(it),
    { element: 'rights', text: config.EXPORT_LICENCE },
    ...rightsOf(it),
  ]
  const children = attributeText
    .filter(({ text }) => text.trim() !== '')
    .map(({ element: name, text, language }: Said) =>
      textElement(`dc:${name}`, text, language ? { 'xml:lang': language } : {}),
    )
  return element('oai_dc:dc', namespaces, children)
}

const namesIn = ({ name, data }: Pick<RecordRow, 'name' | 'data'>): Said[] => [
  { element: 'title', text: name },
  ...(data.name_ne ? [{ element: 'title', text: textOf(data.name_ne), language: 'ne' }] : []),
  ...(Array.isArray(data.alternate_names) ? data.alternate_names : []).map((each) => ({
    element: 'title',
    text: textOf(each),
  })),
]

/** What communities say of the use of a record, in English and in Nepali. */
const rightsOf = ({ labels }: Pick<RecordRow, 'labels'>): Said[] =>
  labelsView(labels).flatMap((label) => {
    const { en, ne } = labelLines(label)
    return [
      { element: 'rights', text: en, language: 'en' },
      { element: 'rights', text: ne, language: 'ne' },
    ]
  })

/** The elements of Dublin Core, with the fields of records that go into each. */
const elements: Readonly<Record<string, readonly string[]>> = {
  description: proseFields,
  coverage: ['location_name', 'location', 'has_current_location', 'took_place_at', 'historical_period', 'period'],
  subject: [
    'structure_type',
    'monument_type',
    'festival_type',
    'ritual_type',
    'guthi_type',
    'object_type',
    'architectural_style',
    'religious_tradition',
    'dedicated_to',
    'depicts_deity',
  ],
  relation: ['same_as'],
}

const valuesIn = (it: Visible<RecordRow>, origin: string): Said[] =>
  Object.entries(kinds[it.kind].fields).flatMap(([name, field]): Said[] => {
    const value = it.data[name]
    if (value === undefined || value === null) return []
    const named = Object.keys(elements).find((each) => elements[each]?.includes(name))
    if (field.type === 'edtf_date') return [{ element: 'date', text: textOf(value) }]
    if (named === 'relation') return linksIn(value).map((text) => ({ element: named, text }))
    const words = named ? [{ element: named, text: textOf(value) }] : []
    return [...words, ...endsOf(field.relation, value, origin).map((text) => ({ element: 'relation', text }))]
  })

const linksIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : []).flatMap((text) => sameThingIri(String(text)) ?? [])

const endsOf = (to: Kind['key'] | undefined, value: unknown, origin: string): string[] =>
  to && Array.isArray(value)
    ? value.filter(isLink).flatMap(({ id }) => (id === null ? [] : [iriOf(origin, to, id)]))
    : []

function placeOf(it: Visible<RecordRow>): Said[] {
  const { point } = visibleValuesAndPoint(it, null)
  return point ? [{ element: 'coverage', text: `${point.lat}, ${point.lng}` }] : []
}
