import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { fileOf, form } from '../../harness/asset-world.ts'
import { followTable } from '../../harness/following.ts'
import { serveHandlers } from '../../harness/gateway.ts'
import { decide, publish, sure } from '../../harness/make.ts'

const require = createRequire(import.meta.url)
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const reason = existsSync(CHROMIUM) ? undefined : `there is no ${CHROMIUM}; CHROMIUM names another`
if (reason) console.warn(`The pages were not looked at in a browser: ${reason}.`)

type Finding = { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }

describe.skipIf(reason !== undefined)('pages in a browser', { timeout: 120_000 }, () => {
  let app: App
  let service: Awaited<ReturnType<typeof serveHandlers>>
  let browser: Browser
  let record: string
  let past: string
  let source: string
  beforeAll(async () => {
    app = await openApp({ env: { EXPORT_LICENCE: 'CC-BY-SA-4.0' } })
    const following = await followTable()
    service = await serveHandlers()
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
    const photo = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#b07040' } })
      .jpeg()
      .toBuffer()
    const body = form({ file: fileOf(photo, 'a.jpg') })
    const picture = sure(201, await app.contributor.post('/data/pictures/', { body }))
    const deity = await publish(app, 'deities', { name: 'Krishna', name_ne: 'कृष्ण' })
    const it = await publish(app, 'structures', {
      name: 'Krishna Mandir',
      name_ne: 'कृष्ण मन्दिर',
      alternate_names: ['Chyasin Dega'],
      description: 'A temple of stone.',
      note: `${'A'.repeat(300)} <script>document.title = "taken"</script>`,
      structure_type: 'Temple',
      construction_date: '1637',
      coordinates: '27.67358, 85.32512',
      dedicated_to: [deity.id],
      same_as: ['https://www.wikidata.org/wiki/Q1'],
      images: [{ ...picture, caption: 'The west front', creator: 'Somebody', licence: 'CC-BY-SA-4.0', face: true }],
      assertion: { source_citation: 'Volume 2', source_url: 'https://example.org/', confidence: 'certain' },
    })
    app.tick(86_400)
    sure(
      200,
      await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { description: 'A temple of grey stone.' } }),
    )
    sure(201, await decide(app.curator, it, { verdict: 'accept' }))
    const rival = { entity_type: 'structure', entity_id: it.id, property: 'construction_date', value: '1723' }
    const claim = sure(
      201,
      await app.other.post('/cidoc/assertions/', { body: { ...rival, confidence: 'speculative' } }),
    )
    const disputed = { body: { reconciliation_status: 'disputed' } }
    sure(200, await app.curator.patch(`/cidoc/assertions/${claim.id}/`, disputed))
    await publish(app, 'festivals', { name: 'Janmashtami', ritual_on_structure: it.id })
    await following.settled()
    record = `/resource/structure/${it.id}`
    past = `${record}/?at=2025-01-15`
    const registered = {
      name: 'Inventory of 1975',
      citation: 'Pruscha, C.',
      source_type: 'book',
      url: 'https://example.org/',
    }
    source = `/cidoc/data_sources/${sure(201, await app.contributor.post('/cidoc/data_sources/', { body: registered })).id}/`
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  const screens = [
    { width: 1280, height: 900 },
    { width: 360, height: 740 },
  ]
  const looks = screens.flatMap((screen) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ screen, colorScheme })),
  )
  const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

  const looked: [name: string, path: () => string, status?: number][] = [
    ['a record', () => record],
    ['a record in Nepali', () => `${record}?lang=ne`],
    ['a record of the past', () => past],
    ['the first page', () => '/'],
    ['the first page in Nepali', () => '/?lang=ne'],
    ['results', () => '/resource/?q=krishna'],
    ['no results', () => '/resource/?q=zzzzzz'],
    ['a source', () => source],
    ['a source in Nepali', () => `${source}?lang=ne`],
    ['nothing', () => '/resource/structure/999', 404],
    ['nothing in Nepali', () => '/resource/structure/999?lang=ne', 404],
  ]
  test.each(looked)(
    '%s: axe finds nothing, nothing is blocked, nothing is wider than the screen',
    async (_, path, status = 200) => {
      // The policy of the page would stop axe, too: it comes in by the way of the browser's tools.
      const context = await browser.newContext({ bypassCSP: true })
      const page = await context.newPage()
      const answer = await page.goto(`${service.origin}${path()}`)
      expect(answer?.status()).toBe(status)
      await page.evaluate(axe)
      // A page is opened once, and looked at in each size and colour.
      for (const { screen, colorScheme } of looks) {
        await page.setViewportSize(screen)
        await page.emulateMedia({ colorScheme })
        const found = (await page.evaluate('axe.run().then(({ violations }) => violations)')) as Finding[]
        expect(found.map(({ id, impact, nodes }) => [id, impact, nodes[0]?.html, nodes[0]?.failureSummary])).toEqual([])
        const [wide, shown] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as number[]
        expect([shown, (wide ?? 0) <= screen.width]).toEqual([screen.width, true])
      }
      await context.close()
    },
  )

  test('without scripts all of it works: search, result, record, language', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, locale: 'en' })
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    await page.goto(service.origin)
    await page.getByRole('searchbox').fill('krishna')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: 'Krishna Mandir' }).click()
    expect(await page.title()).toBe('Krishna Mandir – Heritage knowledge of Nepal')
    const image = page.getByRole('img', { name: 'The west front' })
    expect((await image.boundingBox())?.width).toBeGreaterThan(100)
    await page.getByRole('link', { name: 'नेपाली' }).click()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('कृष्ण मन्दिर')
    // What was chosen stays from link to link.
    await page.getByRole('link', { name: 'Krishna', exact: true }).first().click()
    expect(page.url()).toContain('lang=ne')
    expect(complaints.filter((it) => !it.includes('404'))).toEqual([])
    await context.close()
  })

  test('what was sent as a script does not run', async () => {
    const page = await browser.newPage()
    await page.goto(`${service.origin}${record}`)
    expect(await page.title()).not.toBe('taken')
    expect(await page.evaluate('document.scripts.length')).toBe(1)
    expect(await page.evaluate('document.scripts[0].type')).toBe('application/ld+json')
    await page.close()
  })
})
