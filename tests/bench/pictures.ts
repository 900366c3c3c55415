import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import type { App } from '../harness/app.ts'
import { fileOf, form } from '../harness/asset-world.ts'
import { publish, sure } from '../harness/make.ts'
import { print } from './tools/table.ts'

const MB = 1024 * 1024

/** What pictures cost: drawing from a large original, and calls and units by records in the table. */
export async function benchPictures(sizes: readonly number[]): Promise<void> {
  await drawings()
  const { openApp } = await import('../harness/app.ts')
  const app = await openApp({ env: { LOG_LEVEL: 'info', RATE_UPLOADS: '1000/day' } })
  await costs(app, sizes)
}

/** Photographs are smooth with some noise: this one takes about 30 MB. */
async function photograph(file: string): Promise<{ width: number; height: number; size: number }> {
  const [width, height] = [10_000, 7_500]
  const noise = await sharp({
    create: {
      width: 2500,
      height: 1875,
      channels: 3,
      background: '#777',
      noise: { type: 'gaussian', mean: 128, sigma: 70 },
    },
  })
    .png()
    .toBuffer()
  const { size } = await sharp(noise).resize(width, height, { kernel: 'nearest' }).jpeg({ quality: 88 }).toFile(file)
  return { width, height, size }
}

async function drawings(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pictures-'))
  try {
    const path = join(folder, 'original.jpg')
    const { width, height, size } = await photograph(path)
    const rows = []
    for (const request of [
      'full/1200,/0/default.jpg',
      'full/!400,400/0/default.jpg',
      '4000,3000,512,512/max/0/default.jpg',
    ]) {
      const child = fork(new URL('./picture-drawing.ts', import.meta.url), [path, `${width}`, `${height}`, request])
      const [told] = await once(child, 'message')
      rows.push({
        request,
        original: `${(size / MB).toFixed(1)} MB, ${width} x ${height}`,
        time: `${(told.ms / 1000).toFixed(2)} s`,
        'processor time': `${(told.cpu / 1000).toFixed(2)} s`,
        'memory at most': `${Math.round(told.peak / MB)} MB`,
        'of it idle': `${Math.round(told.idle / MB)} MB`,
        answer: `${Math.round(told.bytes / 1024)} KB`,
      })
    }
    print('Drawing a part of a large original, without the bucket', rows)
  } finally {
    await rm(folder, { recursive: true })
  }
}

type Cost = { what: string; calls: number; units: number }

async function costs(app: App, sizes: readonly number[]): Promise<void> {
  const { fill } = await import('./tools/fill.ts')
  const { key } = await import('../../lib/platform/table/keys.ts')
  const { addToNumber } = await import('../../lib/engines/table/write.ts')
  // Numbers that the service gives out lie beyond those that are filled in.
  await addToNumber(key.sequence('structure'), 10_000_000)
  const results: Cost[][] = []
  let filled = 1
  for (const size of sizes) {
    await fill(filled, size + 1)
    filled = size + 1
    results.push(await measured(app, size))
  }
  print(
    'DynamoDB calls and capacity units per request, by records in the table',
    (results[0] ?? []).map(({ what }, i) => ({
      what,
      ...Object.fromEntries(
        sizes.map((size, s) => [`at ${size}`, `${results[s]?.[i]?.calls} / ${results[s]?.[i]?.units}`]),
      ),
    })),
  )
}

async function measured(app: App, size: number): Promise<Cost[]> {
  const bytes = await sharp({ create: { width: 1500, height: 1000, channels: 3, background: '#a52' } })
    .jpeg()
    .toBuffer()
  const upload = () => app.contributor.post('/data/pictures/', { body: form({ file: fileOf(bytes, 'a.jpg') }) })
  const sent = await upload()
  const record = await publish(app, 'structures', { name: `Pictured ${size}`, images: [{ id: sure(201, sent).id }] })
  const image = record.images[0].iiif
  const asked = async (what: string, path: string): Promise<Cost> => {
    const answer = await app.anon.get(path)
    sure(200, answer)
    return { what, ...answer.cost }
  }
  return [
    { what: 'send the file of a picture', ...sent.cost },
    await asked('manifest of a record', `/data/manifests/records/${record.cultural_entity_id}/`),
    await asked('info.json', `${image}/info.json`),
    await asked('an image for the first time', `${image}/full/600,/0/default.jpg`),
    await asked('an image from the cache', `${image}/full/600,/0/default.jpg`),
  ]
}
