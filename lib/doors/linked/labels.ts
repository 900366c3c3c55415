import { type Label, labelsView, type ShownLabel } from '../../domain/labels/labels.ts'
import type { Node } from './context.ts'

/** The labels of a thing as linked data: what its use depends on. Absent if there are none. */
export const accessRights = (labels: readonly Label[]): Node =>
  labels.length === 0 ? {} : { 'dcterms:accessRights': labelsView(labels).map(statementOf) }

const statementOf = ({ code, on, community, name, name_ne, text, text_ne, url }: ShownLabel): Node => ({
  type: 'dcterms:RightsStatement',
  label: [
    { '@value': name, '@language': 'en' },
    { '@value': name_ne, '@language': 'ne' },
  ],
  'dcterms:identifier': code,
  'dcterms:description': [
    { '@value': text, '@language': 'en' },
    { '@value': text_ne, '@language': 'ne' },
  ],
  ...(url !== '' && { 'dcterms:source': { id: url } }),
  ...(community !== '' && { 'dcterms:rightsHolder': community }),
  ...(on !== null && { 'dcterms:subject': on }),
})
