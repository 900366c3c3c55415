import type { headView } from './view.ts'

type Head = Awaited<ReturnType<typeof headView>>

const PUBLISHER = 'Heritage knowledge service'

/** A citation as CSL-JSON, for programs that keep references. */
export const cslView = (it: Head) => ({
  id: it.url,
  type: 'dataset',
  title: it.title,
  author: it.contributors.map(({ name }) => ({ literal: name })),
  publisher: PUBLISHER,
  issued: { 'date-parts': [it.at.slice(0, 10).split('-').map(Number)] },
  version: `sha256:${it.digest}`,
  license: it.licences.join('; '),
  note: `${it.count} records as of ${it.at}`,
  URL: it.url,
})

/** A citation as the JSON of DataCite's kernel 4. It has no DOI: its address identifies it. */
export const dataCiteView = (it: Head) => ({
  schemaVersion: 'http://datacite.org/schema/kernel-4',
  identifiers: [{ identifier: it.url, identifierType: 'URL' }],
  creators: it.contributors.map(({ name }) => ({ name, nameType: 'Personal' })),
  titles: [{ title: it.title, lang: 'en' }],
  publisher: { name: PUBLISHER },
  publicationYear: Number(it.at.slice(0, 4)),
  types: { resourceTypeGeneral: 'Dataset', resourceType: 'Query result' },
  dates: [{ date: it.at, dateType: 'Created' }],
  sizes: [`${it.count} records`],
  version: `sha256:${it.digest}`,
  rightsList: it.licences.map((rights) => ({ rights })),
  relatedIdentifiers: [{ relatedIdentifier: it.of, relatedIdentifierType: 'URL', relationType: 'IsDerivedFrom' }],
})
