import type { routes } from '../../../functions/imports.ts'
import { type Answers, made, nothing, ok, page } from '../answer.ts'
import {
  AnnouncedImport,
  ImportDetail,
  ImportRow,
  ImportTableRow,
  KeptImportMapping,
  KeptImportMappings,
} from '../shapes/imports.ts'
import { TooLarge } from '../shapes/project.ts'

const later = 'It goes on by itself: `progress` tells how far it has come.'

export const imports: Answers<typeof routes> = {
  'GET /data/imports/': { says: 'List the own imports, the latest first', gives: page(ImportRow) },
  'POST /data/imports/': {
    says: 'Send a table',
    more: `A form with the file (CSV, TSV, XLSX or JSON Lines) of up to 4.7 MB; larger ones are announced at \`upload_url\`. It is read, and what its columns mean is guessed. ${later}`,
    gives: { ...made(ImportDetail), 413: { shape: TooLarge } },
    refuses: [429],
  },
  'POST /data/imports/uploads/': {
    says: 'Announce a table of up to 50 MB',
    more: 'Post a form with the `fields` and then the file, as `file`, to `url` before `expires_at`; then complete the upload.',
    gives: made(AnnouncedImport),
    refuses: [429],
  },
  'POST /data/imports/uploads/{id}/complete/': {
    says: 'Complete the upload of a table',
    gives: ok(ImportDetail),
    refuses: [409],
  },
  'GET /data/imports/mappings/': { says: 'List the mappings that one keeps', gives: ok(KeptImportMappings) },
  'POST /data/imports/mappings/': {
    says: 'Keep a mapping under a name',
    more: 'Over what was kept under it. `PATCH /data/imports/{id}/` takes its name.',
    gives: made(KeptImportMapping),
    refuses: [409],
  },
  'DELETE /data/imports/mappings/{name}/': { says: 'Drop a mapping', gives: nothing },
  'GET /data/imports/{id}/': {
    says: 'Read an import',
    more: 'With its sheets, the columns of the sheet that is meant, and what these were taken for.',
    gives: ok(ImportDetail),
  },
  'PATCH /data/imports/{id}/': {
    says: 'Say what the columns mean',
    more: 'A whole mapping, or the name of one that is kept; or a kind, a sheet or the row of the header for which it is guessed anew. What the dry run has said is forgotten.',
    gives: ok(ImportDetail),
    refuses: [409],
  },
  'POST /data/imports/{id}/check/': {
    says: 'Try the rows',
    more: `Each is told as new, the same as a known record, changing one, doubtful, in conflict with another change, or refused. Nothing is written. ${later}`,
    gives: ok(ImportDetail),
    refuses: [409],
  },
  'POST /data/imports/{id}/run/': {
    says: 'Run the rows as one batch',
    more: `Each as the contribution it is. \`doubtful\` says what becomes of rows that look like something known: \`create\`, with a flag for reviewers, or \`skip\`; \`changes\` of rows that change a record: \`make\` or \`leave\`. ${later}`,
    gives: ok(ImportDetail),
    refuses: [409, 429],
  },
  'GET /data/imports/{id}/rows/': {
    says: 'List the rows with what the dry run and the run say of them',
    gives: page(ImportTableRow),
  },
  'POST /data/imports/{id}/decide/': {
    says: 'Decide on what waits of a batch',
    more: `On all, on some rows by their numbers, on those with flags or without, or on those of one outcome of the dry run. What holds a contradiction is left, unless \`conflict_handling\` says how it is settled. \`decided\` tells what was left, and why. ${later}`,
    gives: ok(ImportDetail),
    refuses: [409],
  },
  'POST /data/imports/{id}/withdraw/': {
    says: 'Withdraw what still waits of a batch',
    more: later,
    gives: ok(ImportDetail),
    refuses: [409],
  },
  'POST /data/imports/{id}/take-back/': {
    says: 'Take a whole batch back',
    more: `New records are deleted, changed ones are as they were. What somebody has changed since is left, and named in \`kept\`. ${later}`,
    gives: ok(ImportDetail),
    refuses: [409],
  },
}
