import type { routes } from '../../../functions/oai.ts'
import { type Answers, content } from '../answer.ts'

const more = [
  'Records in unqualified Dublin Core, in sets by kind. Deleted records are `persistent`: what was public once is told of as',
  'deleted for as long as it is not. Errors of the protocol are answered with status 200, as it wants.',
].join(' ')

export const oai: Answers<typeof routes> = {
  'GET /data/oai/': { says: 'Harvest by OAI-PMH 2.0', more, gives: content('text/xml') },
  'POST /data/oai/': { says: 'Harvest by OAI-PMH 2.0, with a form', more, gives: content('text/xml') },
}
