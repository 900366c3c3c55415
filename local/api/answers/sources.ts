import type { routes } from '../../../functions/sources.ts'
import { LINKED } from '../../../lib/http/media.ts'
import { type Answers, content, made, nothing, ok, page, represented } from '../answer.ts'
import { DataSource } from '../shapes/cluster.ts'
import { LinkedList, LinkedSource } from '../shapes/linked.ts'
import { linkedToo } from './assertions.ts'

export const sources: Answers<typeof routes> = {
  'GET /cidoc/data_sources/': {
    says: 'List the data sources',
    more: linkedToo,
    gives: represented(page(DataSource), { [LINKED]: LinkedList }),
  },
  'POST /cidoc/data_sources/': {
    says: 'Register a data source',
    more: 'As JSON, or as a form with a file of up to 4.5 MB: PDF, JPEG, PNG, WebP or plain text.',
    gives: made(DataSource),
    refuses: [409],
  },
  'GET /cidoc/data_sources/{id}/': {
    says: 'Read a data source',
    more: linkedToo,
    gives: represented(ok(DataSource), { [LINKED]: LinkedSource }),
  },
  'GET /cidoc/data_sources/{id}/file/': {
    says: 'Read the file of a data source',
    gives: content('application/pdf', 'image/jpeg', 'image/png', 'image/webp', 'text/plain'),
    headers: ['Content-Disposition'],
  },
  'PUT /cidoc/data_sources/{id}/': { says: 'Replace a data source', gives: ok(DataSource) },
  'PATCH /cidoc/data_sources/{id}/': { says: 'Change a data source', gives: ok(DataSource) },
  'POST /cidoc/data_sources/{id}/restore/': { says: 'Restore a data source', gives: ok(DataSource) },
  'DELETE /cidoc/data_sources/{id}/': { says: 'Delete a data source', gives: nothing },
}
