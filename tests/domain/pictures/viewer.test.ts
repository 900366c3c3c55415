import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { fileOf, form } from '../../harness/asset-world.ts'
import { serveHandlers } from '../../harness/gateway.ts'
import { publish, sure } from '../../harness/make.ts'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const reason = existsSync(CHROMIUM) ? undefined : `there is no ${CHROMIUM}; CHROMIUM names another`
if (reason) console.warn(`No viewer was tried: ${reason}.`)

const require = createRequire(import.meta.url)
const viewer = readFileSync(require.resolve('openseadragon'))
/** A page of another origin that knows the address of a manifest and nothing else. */
const page = `<!doctype html><title>viewer</title><div id="viewer" style="width:600px;height:400px"></div>
<script src="/viewer.js"></script><script>
const wanted = new URLSearchParams(location.search).get('manifest')
fetch(wanted).then((it) => it.json()).then((manifest) => {
  window.label = manifest.label
  const services = manifest.items.map((it) => it.items[0].items[0].body.service[0].id + '/info.json')
  const viewer = OpenSeadragon({ id: 'viewer', tileSources: services, sequenceMode: true, showNavigationControl: false,
    crossOriginPolicy: 'Anonymous', drawer: 'canvas', animationTime: 0, immediateRender: true })
  window.viewer = viewer
  window.opened = 0
  viewer.addHandler('open', () => { window.opened += 1; window.loaded = false
    const item = viewer.world.getItemAt(0)
    const check = () => { window.loaded = item.getFullyLoaded() }
    item.addHandler('fully-loaded-change', check); check() })
  viewer.addHandler('open-failed', (event) => { window.failed = event.message })
})
window.colourAt = (x, y) => {
  const canvas = document.querySelector('#viewer canvas')
  return [...canvas.getContext('2d').getImageData(canvas.width * x, canvas.height * y, 1, 1).data].slice(0, 3)
}
</script>`

describe.skipIf(reason !== undefined)('a viewer of another origin', { timeout: 90_000 }, () => {
  let app: App
  let service: Awaited<ReturnType<typeof serveHandlers>>
  let browser: Browser
  const pages = createServer((request, response) =>
    request.url === '/viewer.js'
      ? response.setHeader('content-type', 'text/javascript').end(viewer)
      : response.setHeader('content-type', 'text/html').end(page),
  )
  beforeAll(async () => {
    app = await openApp()
    service = await serveHandlers()
    pages.listen(0, '127.0.0.1')
    await once(pages, 'listening')
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    pages.close()
    await service?.stop()
  })

  const sent = async (background: string) => {
    const bytes = await sharp({ create: { width: 1500, height: 1000, channels: 3, background } })
      .jpeg()
      .toBuffer()
    return sure(201, await app.contributor.post('/data/pictures/', { body: form({ file: fileOf(bytes, 'a.jpg') }) }))
  }

  test('shows every picture of a record, by its manifest alone', async () => {
    const record = await publish(app, 'structures', {
      name: 'Viewed',
      images: [await sent('#c00000'), await sent('#0000c0')],
    })
    // Its type is that of a server on a pipe, too.
    const { port } = pages.address() as AddressInfo
    const tab = await browser.newPage({ viewport: { width: 800, height: 600 } })
    const complaints: string[] = []
    const asked: string[] = []
    tab.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    tab.on('pageerror', (error) => complaints.push(error.message))
    tab.on('response', (response) => {
      const { pathname } = new URL(response.url())
      if (pathname.startsWith('/data/')) asked.push(`${response.status()} ${pathname}`)
    })
    const manifest = `${service.origin}/data/manifests/records/${record.cultural_entity_id}/`
    await tab.goto(`http://127.0.0.1:${port}/?manifest=${encodeURIComponent(manifest)}`)
    await tab.waitForFunction('window.loaded === true', undefined, { timeout: 30_000 })
    expect(await tab.evaluate('window.label.none[0]')).toBe('Viewed')
    const [red] = (await tab.evaluate('window.colourAt(0.5, 0.5)')) as number[]
    expect(red).toBeGreaterThan(150)
    await tab.evaluate('window.viewer.goToPage(1)')
    await tab.waitForFunction('window.opened === 2 && window.loaded === true', undefined, { timeout: 30_000 })
    const [, , blue] = (await tab.evaluate('window.colourAt(0.5, 0.5)')) as number[]
    expect(blue).toBeGreaterThan(150)
    expect(complaints.filter((it) => !it.includes('favicon'))).toEqual([])
    expect(asked.filter((it) => !it.startsWith('200 '))).toEqual([])
    expect(asked.filter((it) => it.endsWith('/info.json'))).toHaveLength(2)
    // It has asked for tiles, which are parts of the images.
    expect(asked.some((it) => /\/\d+,\d+,\d+,\d+\/[^/]+\/0\/default\.jpg$/.test(it))).toBe(true)
  })
})
