import { fork } from 'node:child_process'
import { once } from 'node:events'
import sharp from 'sharp'
import { checkContent } from '../../lib/engines/media/formats/check.ts'
import { memorySource } from '../../lib/engines/media/formats/source.ts'
import type { Answer, App } from '../harness/app.ts'
import { newProject, send, upload } from '../harness/asset-world.ts'
import { sure } from '../harness/make.ts'
import * as make from '../harness/media-files.ts'
import { print } from './tools/table.ts'

const MB = 1024 * 1024

/** What assets cost: checks by type, memory of a large completion, calls and units of requests, seconds to read a page. */
export async function benchUploads(): Promise<void> {
  const { openApp } = await import('../harness/app.ts')
  const app = await openApp({ env: { RATE_UPLOADS: '100000/day', RATE_PROJECTS: '1000/h', RATE_OCR: '1000/day' } })
  const files = await largeFiles()
  await checks(files)
  await completions(files)
  await requests(app)
  await pages()
}

type Named = { name: string; ending: string; bytes: Buffer }

/** One file of each type, as near to 50 MB as its maker comes. */
async function largeFiles(): Promise<Named[]> {
  const noise = (side: number) => {
    const raw = Buffer.allocUnsafe(side * side * 3)
    let seed = 1
    for (let i = 0; i < raw.length; i += 1) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
      raw[i] = seed >>> 24
    }
    return sharp(raw, { raw: { width: side, height: side, channels: 3 } })
  }
  return [
    {
      name: 'JPEG',
      ending: 'jpg',
      bytes: await noise(3600).jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer(),
    },
    { name: 'PNG', ending: 'png', bytes: await noise(4000).png({ compressionLevel: 1 }).toBuffer() },
    { name: 'WebP', ending: 'webp', bytes: await noise(3800).webp({ lossless: true, effort: 0 }).toBuffer() },
    { name: 'PDF', ending: 'pdf', bytes: make.pdf({ more: Buffer.alloc(49 * MB, 0x20) }) },
    { name: 'MP3', ending: 'mp3', bytes: make.silence(Math.floor((49 * MB) / 208)) },
    { name: 'MP4', ending: 'mp4', bytes: make.mp4({ unplayed: Buffer.alloc(49 * MB) }) },
  ]
}

async function checks(files: readonly Named[]): Promise<void> {
  const small = Object.values(await make.oneOfEach())
  const rows = []
  for (const [i, { name, bytes }] of files.entries()) {
    const times = [await timed(bytes), await timed(bytes), await timed(bytes)]
    const one = small[i] ?? Buffer.alloc(0)
    for (let warm = 0; warm < 20; warm += 1) await timed(one)
    const few = await Promise.all(Array.from({ length: 20 }, () => timed(one)))
    rows.push({
      type: name,
      'large file': `${(bytes.length / MB).toFixed(1)} MB`,
      'its check': `${Math.min(...times).toFixed(0)} ms`,
      'small file': `${one.length} bytes`,
      'check of that': `${(few.reduce((sum, one) => sum + one, 0) / few.length).toFixed(2)} ms`,
    })
  }
  print('Checks of content, from memory', rows)
}

async function timed(bytes: Buffer): Promise<number> {
  const started = performance.now()
  await checkContent(memorySource(bytes))
  return performance.now() - started
}

/** Each in the same process, which does nothing else: as the function, between requests and during one. */
async function completions(files: readonly Named[]): Promise<void> {
  const child = fork(new URL('./completion.ts', import.meta.url), { execArgv: ['--expose-gc'] })
  const ask = async (message: object) => {
    child.send(message)
    return (await once(child, 'message'))[0]
  }
  await once(child, 'message')
  const rows = []
  for (const { name, ending, bytes } of files) {
    const form = await ask({ begin: { file_name: `a.${ending}`, size: bytes.length } })
    await send(form, bytes)
    const { status, idle, peak, ms } = await ask({ complete: true })
    rows.push({
      type: name,
      size: `${(bytes.length / MB).toFixed(1)} MB`,
      status,
      idle: `${Math.round(idle / MB)} MB`,
      'above idle': `${Math.round((peak - idle) / MB)} MB`,
      time: `${Math.round(ms)} ms`,
    })
  }
  child.kill()
  print('Completion of a direct upload: memory (resident) and time', rows)
}

async function requests(app: App): Promise<void> {
  const token = (await app.anon.post('/api/token/', { body: { username: 'dev', password: 'heritage-local' } })).body
    .access
  const who = app.as(token)
  const png = await sharp(make.drawing()).png().toBuffer()
  const rows: Record<string, string>[] = []
  const assets = await newProject(app)
  let filled = 0
  for (const size of [1, 50, 400]) {
    for (; filled < size; filled += 1) sure(201, await upload(who, assets, png, 'a.png'))
    const made = sure(201, await upload(who, assets, png, 'a.png'))
    const measured: [string, Answer][] = [
      ['upload a small image', await upload(who, assets, png, 'a.png')],
      ['list, page of 20', await who.get(assets)],
      ['retrieve one', await who.get(`${assets}${made.id}/`)],
      ['change its caption', await who.patch(`${assets}${made.id}/`, { body: { caption: 'x' } })],
      ['ask for its text', await who.post(`${assets}${made.id}/start-ocr/`, { body: {} })],
      ['take it away', await who.delete(`${assets}${made.id}/`)],
    ]
    const begun = await who.post(`${assets}uploads/`, { body: { file_name: 'a.png', size: png.length } })
    await send(begun.body.upload, png)
    measured.push(
      ['begin a direct upload', begun],
      ['complete it', await who.post(`${assets}uploads/${begun.body.asset_id}/complete/`, { body: {} })],
    )
    for (const [i, [request, { cost }]] of measured.entries())
      rows[i] = { ...(rows[i] ?? { request }), [`with ${size}`]: `${cost.calls} / ${cost.units}` }
    filled += 2
  }
  print('Assets: calls / units with a token, by assets in the project', rows)
}

/** A page of print as a camera or a scanner gives it, at three sizes. */
async function pages(): Promise<void> {
  const { readImageText } = await import('../../lib/engines/ocr/engine.ts')
  const rows = []
  for (const [width, lines] of [
    [800, 6],
    [1240, 40],
    [2480, 40],
  ] as const) {
    const step = (width * 1.35) / lines
    const text = Array.from(
      { length: lines },
      (_, i) =>
        `<text x="${width * 0.08}" y="${step * (i + 1)}" font-family="DejaVu Serif" font-size="${width / 40}">${i + 1}. The Nyatapola Temple stands in Taumadhi Square of Bhaktapur.</text>`,
    )
    const height = Math.round(width * 1.41)
    const page = await sharp(
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="white"/>${text.join('')}</svg>`,
      ),
    )
      .png()
      .toBuffer()
    const started = performance.now()
    const { words, confidence } = await readImageText(page, ['eng', 'nep'], 240)
    rows.push({
      page: `${width} x ${height}, ${lines} lines`,
      seconds: ((performance.now() - started) / 1000).toFixed(1),
      words: words.length,
      confidence: confidence.toFixed(2),
    })
  }
  print('Reading a page, both languages, reader started anew', rows)
}
