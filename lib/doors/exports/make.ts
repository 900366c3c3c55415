import { now } from '../../base/clock.ts'
import { config } from '../../base/config.ts'
import { type KindKey, kindKeys, kinds } from '../../domain/kinds/index.ts'
import { walkPublished } from '../../domain/records/published.ts'
import { showRecords } from '../../domain/records/shown.ts'
import { loadLicences } from '../../domain/sources/sources.ts'
import { startUpload, type Upload } from '../../engines/bucket/index.ts'
import { csvLine } from '../../platform/cells/csv.ts'
import { currentListing, type File, type Listing, newFolder, publishListing, removeOldFolders } from './listing.ts'
import {
  type Exported,
  exportOf,
  provenanceCells,
  provenanceColumns,
  recordCells,
  recordColumns,
  sourcesOf,
} from './rows.ts'

/**
 * Writes files of the public records of each kind, then makes them current in one step. If it fails, the earlier files stay current. Equal
 * records give equal bytes. Holds one batch of records in memory.
 */
export async function makeExports(): Promise<Listing> {
  const before = await currentListing()
  const folder = newFolder()
  const made_at = now()
  const files: File[] = []
  for (const key of kindKeys) files.push(...(await writeKind(key, folder)))
  const licence = config.EXPORT_LICENCE || null
  const listing = { made_at, licence, files, previous: before?.files.map((file) => file.key) ?? [] }
  await publishListing(listing)
  await removeOldFolders(listing)
  return listing
}

type Sheet = {
  name: string
  format: File['format']
  holds: File['holds']
  head: string
  lines: (it: Exported) => string[]
}

/** Writes the files of a kind; none if it has no published records. */
async function writeKind(key: KindKey, folder: string): Promise<File[]> {
  const sheets = sheetsOf(key)
  // `unsent` is text that waits for the next lines: at first, the head.
  const open: { sheet: Sheet; upload: Upload; rows: number; unsent: string }[] = []
  for await (const published of walkPublished(key)) {
    const batch = await showRecords(null, published)
    if (open.length === 0)
      for (const sheet of sheets) {
        const upload = startUpload(`${folder}/${sheet.name}`, types[sheet.format])
        open.push({ sheet, upload, rows: 0, unsent: sheet.head })
      }
    const licences = await loadLicences(batch.flatMap((it) => it.assertions.flatMap(sourcesOf)))
    const records = batch.map((it) => exportOf(it, licences))
    for (const each of open) {
      const lines = records.flatMap(each.sheet.lines)
      each.rows += lines.length
      const text = each.unsent + lines.join('')
      each.unsent = ''
      await each.upload.write(text)
    }
  }
  return Promise.all(
    open.map(async ({ sheet: { name, format, holds }, upload, rows }) => ({
      name,
      kind: key,
      format,
      holds,
      rows,
      ...(await upload.end()),
      key: `${folder}/${name}`,
    })),
  )
}

const types = { jsonl: 'application/jsonl', csv: 'text/csv; charset=utf-8' } as const

function sheetsOf(key: KindKey): Sheet[] {
  const columns = csvLine(recordColumns(kinds[key]))
  return [
    { name: `${key}.jsonl`, format: 'jsonl', holds: 'records', head: '', lines: (it) => [`${JSON.stringify(it)}\n`] },
    { name: `${key}.csv`, format: 'csv', holds: 'records', head: columns, lines: (it) => [csvLine(recordCells(it))] },
    {
      name: `${key}-provenance.csv`,
      format: 'csv',
      holds: 'provenance',
      head: csvLine(provenanceColumns),
      lines: (it) => provenanceCells(it).map(csvLine),
    },
  ]
}
