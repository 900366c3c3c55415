import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import {
  parseLanguages,
  readImageText,
  readPdfPages,
  readPdfText,
  UnreadableFile,
} from '../../../lib/engines/ocr/index.ts'

/** A page of print as PNG. */
const printedPage = (...lines: readonly string[]) => {
  const rows = lines.map(
    (line, i) => `<text x="40" y="${70 + i * 60}" font-family="DejaVu Serif" font-size="32">${line}</text>`,
  )
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="${60 + lines.length * 60}"><rect width="100%" height="100%" fill="white"/>${rows.join('')}</svg>`
  return sharp(Buffer.from(svg)).png().toBuffer()
}

/** A PDF of one page with a line of text. */
function pdfWith(line: string): Buffer {
  const content = `BT /F1 24 Tf 72 720 Td (${line}) Tj ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let body = '%PDF-1.4\n'
  const offsets = objects.map((object, i) => {
    const offset = body.length
    body += `${i + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const table = `xref\n0 6\n0000000000 65535 f \n${rows}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`
  return Buffer.from(body + table, 'latin1')
}

describe('the text of an image', () => {
  test('is read line by line, with a confidence for each word', { timeout: 120_000 }, async () => {
    const page = await printedPage('Field notes, Bhaktapur 1991', 'The temple stands near the well.')
    const { text, confidence, words } = await readImageText(page, ['eng'], 60)
    expect(text).toMatch(/Field notes, Bhaktapur 1991\s+The temple stands near the well\./)
    expect(confidence).toBeGreaterThan(0.7)
    expect(words.map((word) => word.text)).toContain('Bhaktapur')
    for (const word of words) expect(word.confidence).toBeLessThanOrEqual(1)
  })

  test('of a file that is not an image fails with a sentence', { timeout: 120_000 }, async () => {
    const failure = readImageText(Buffer.from('no image'), ['eng'], 60)
    await expect(failure).rejects.toThrow(UnreadableFile)
    await expect(failure).rejects.toThrow('The image cannot be read.')
  })

  test.each([
    ['ne', ['nep']],
    ['Nepali', ['nep']],
    ['eng+nep', ['eng', 'nep']],
    ['english', ['eng']],
    ['', ['eng', 'nep']],
    ['Klingon', ['eng', 'nep']],
  ])('%j names the languages %j', (text, languages) => {
    expect(parseLanguages(text)).toEqual(languages)
  })
})

describe('a PDF', () => {
  test('with text gives that text, with confidence 1', { timeout: 60_000 }, async () => {
    const { text, confidence, words } = await readPdfText(pdfWith('Nyatapola in Bhaktapur'), ['eng'], 60)
    expect([text, confidence]).toEqual(['Nyatapola in Bhaktapur', 1])
    expect(words.map((word) => word.text)).toEqual(['Nyatapola', 'in', 'Bhaktapur'])
  })

  test('gives its pages as pixels, four bytes each, or one if gray', { timeout: 60_000 }, async () => {
    for (const [gray, bytes] of [
      [false, 4],
      [true, 1],
    ] as const) {
      const pages = await readPdfPages(pdfWith('A page'), { texts: 1, images: 1, side: 100, gray }, 30)
      const [image] = pages?.images ?? []
      expect([pages?.pages, pages?.texts.map((it) => it.trim())]).toEqual([1, ['A page']])
      expect([image?.width, image?.height, image?.pixels.length]).toEqual([77, 100, 77 * 100 * bytes])
    }
  })

  test('that is none fails with a sentence, and the process goes on', { timeout: 60_000 }, async () => {
    await expect(readPdfText(Buffer.from('%PDF-1.4 and nothing'), ['eng'], 60)).rejects.toThrow(
      'The PDF cannot be opened.',
    )
  })
})
