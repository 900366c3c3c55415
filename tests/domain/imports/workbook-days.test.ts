import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { checkWorkbook, readWorkbookRows } from '../../../lib/domain/imports/formats/workbook.ts'
import { xlsx } from '../../harness/imports.ts'

/** Days of workbooks, as each program counts them. The numbers are those that LibreOffice 7.4, Excel and openpyxl write. */

/** A workbook with this number in a cell whose format is a date, as a program writes it. */
async function withDay(number: number, program: string, is1904 = false): Promise<Buffer> {
  const parts = unzipSync(await xlsx([['Built'], [new Date('2024-01-01T00:00:00Z')]]))
  const edit = (name: string, change: (text: string) => string) => {
    parts[name] = strToU8(change(strFromU8(parts[name] ?? new Uint8Array())))
  }
  edit('xl/worksheets/sheet1.xml', (it) => it.replace(/<v>45292<\/v>/, `<v>${number}</v>`))
  edit('docProps/app.xml', () => `<Properties><Application>${program}</Application></Properties>`)
  if (is1904)
    edit('xl/workbook.xml', (it) =>
      it.replace(
        /<workbookPr[^>]*>|<sheets>/,
        (tag) => `<workbookPr date1904="1"/>${tag.replace(/^<workbookPr.*/, '')}`,
      ),
    )
  return Buffer.from(zipSync(parts))
}

test.each([
  ['LibreOffice/7.4.7.2$Linux_X86_64', -72_218, '1702-04-09'],
  ['LibreOffice/7.4.7.2$Linux_X86_64', -3519, '1890-05-12'],
  ['LibreOffice/7.4.7.2$Linux_X86_64', 16, '1900-01-15'],
  ['LibreOffice/7.4.7.2$Linux_X86_64', 60, '1900-02-28'],
  ['LibreOffice/7.4.7.2$Linux_X86_64', 65, '1900-03-05'],
  ['LibreOffice/7.4.7.2$Linux_X86_64', 18_421, '1950-06-07'],
  ['Microsoft Excel', -72_218, '1702-04-09'],
  ['Microsoft Excel', -0.25, '1899-12-29T18:00:00'],
  ['Microsoft Excel', 0.25, '06:00:00'],
  ['Microsoft Excel', 15, '1900-01-15'],
  ['Microsoft Excel', 61, '1900-03-01'],
  ['Microsoft Excel', 45_292.5, '2024-01-01T12:00:00'],
])('%s writes %d for %s', async (program, number, day) => {
  const bytes = await withDay(number, program)
  const [sheet] = await checkWorkbook(bytes)
  const rows = await Array.fromAsync(readWorkbookRows(bytes, 0, sheet?.days))
  expect(rows[1]).toEqual([2, [day]])
})

test('a workbook that counts from 1904 is read so', async () => {
  const bytes = await withDay(-1500, 'Microsoft Excel', true)
  const [sheet] = await checkWorkbook(bytes)
  expect(sheet?.days).toBe('from_1904')
  const rows = await Array.fromAsync(readWorkbookRows(bytes, 0, sheet?.days))
  expect(rows[1]).toEqual([2, ['1899-11-22']])
})

test('a format that shows zeros before numbers is noted', async () => {
  const parts = unzipSync(await withDay(7, 'Microsoft Excel'))
  const [sheet] = await checkWorkbook(Buffer.from(zipSync(parts)))
  expect(sheet?.pads_numbers).toBe(false)
  const styles = strFromU8(parts['xl/styles.xml'] ?? new Uint8Array())
  parts['xl/styles.xml'] = strToU8(
    styles.replace(/<fonts/, '<numFmts><numFmt numFmtId="164" formatCode="00000"/></numFmts>$&'),
  )
  const [padded] = await checkWorkbook(Buffer.from(zipSync(parts)))
  expect(padded?.pads_numbers).toBe(true)
})
