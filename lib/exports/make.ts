import { now } from '../clock.ts'
import { config } from '../config.ts'
import { startUpload, type Upload } from '../files/blobs.ts'
import { type KindKey, kindKeys, kinds } from '../kinds/index.ts'
import { publishedOf } from '../records/published.ts'
import { shownTo } from '../records/shown.ts'
import { licencesOf } from '../sources/sources.ts'
import { csvLine } from './csv.ts'
import { clearAway, currentListing, type File, type Listing, newFolder, publishListing } from './listing.ts'
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
 * Writes what everyone may read of each kind to files of its own, and then names them the current ones in one step; until
 * then, and when it fails, the earlier ones are. Equal records give equal bytes. Holds one batch of records at a time.
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
  await clearAway(listing)
  return listing
}

type Sheet = {
  name: string
  format: File['format']
  holds: File['holds']
  head: string
  lines: (it: Exported) => string[]
}

/** The files of a kind; none while it has no records. */
async function writeKind(key: KindKey, folder: string): Promise<File[]> {
  const sheets = sheetsOf(key)
  // `unsent`: what stands before the first lines.
  const open: { sheet: Sheet; upload: Upload; rows: number; unsent: string }[] = []
  for await (const published of publishedOf(key)) {
    const batch = await shownTo(null, published)
    if (open.length === 0)
      for (const sheet of sheets) {
        const upload = startUpload(`${folder}/${sheet.name}`, types[sheet.format])
        open.push({ sheet, upload, rows: 0, unsent: sheet.head })
      }
    const licences = await licencesOf(batch.flatMap((it) => it.assertions.flatMap(sourcesOf)))
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
