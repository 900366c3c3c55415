import { existsSync } from 'node:fs'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { personas } from '../../deploy/stand-ins/people.ts'
import { loadShippedFile, unpackFile } from '../../lib/base/telemetry/shipped-files.ts'
import { type App, openApp } from '../harness/app.ts'
import { serveHandlers } from '../harness/gateway.ts'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const reason = existsSync(CHROMIUM) ? undefined : `there is no ${CHROMIUM}; CHROMIUM names another`
if (reason) console.warn(`The page is not looked at: ${reason}.`)

describe.skipIf(reason !== undefined)('the page of the API document', { timeout: 60_000 }, () => {
  let app: App
  let service: Awaited<ReturnType<typeof serveHandlers>>
  let browser: Browser
  let page: Page
  const requests: string[] = []
  /** What was sent to try an operation, as the browser sent it. */
  const tried: Record<string, string>[] = []
  const complaints: string[] = []
  beforeAll(async () => {
    app = await openApp()
    service = await serveHandlers()
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    page.on('request', (request) => {
      requests.push(request.url())
      if (request.url().includes('/api/v1/')) tried.push(request.headers())
    })
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(`${service.origin}/docs`)
    await page.locator('.opblock').first().waitFor({ timeout: 30_000 })
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  /** An operation, found by its path and unfolded. */
  async function open(path: string, id: string) {
    await page.evaluate('scrollTo(0, 0)')
    await page.getByPlaceholder('Filter by tag or path').fill(path)
    // Until the list is the short one, what is clicked on may be gone in a moment.
    while ((await page.locator('.opblock').count()) > 8) await page.waitForTimeout(50)
    const operation = page.locator(`[id$="-${id}"]`)
    await operation.locator('.opblock-summary-control').click()
    await operation.locator('.execute').waitFor()
    return operation
  }

  const answerIn = async (operation: Locator, status: string) => {
    const answer = operation.locator('.live-responses-table tbody', { hasText: status })
    await answer.waitFor()
    return JSON.parse((await answer.locator('.highlight-code code').textContent()) ?? '')
  }

  test('shows every operation', async () => {
    const { paths } = JSON.parse((await app.anon.get('/schema/')).bytes.toString())
    const ids = Object.values<Record<string, { tags: string[]; operationId: string }>>(paths)
      .flatMap((methods) => Object.values(methods))
      .map(({ tags: [tag], operationId }) => `operations-${tag}-${operationId}`)
    // The list draws what is in sight only.
    const seen = new Set<string>()
    for (let bottom = false; !bottom; ) {
      for (const id of await page.locator('.opblock').evaluateAll((all) => all.map((one) => one.id))) seen.add(id)
      bottom = await page.evaluate('scrollY + innerHeight >= document.documentElement.scrollHeight - 1')
      await page.mouse.wheel(0, 700)
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    }
    expect([...seen].sort()).toEqual(ids.sort())
  })

  test('finds words of descriptions, and opens what was found', async () => {
    const search = page.getByLabel('Search paths and descriptions')
    for (const [words, path] of [
      ['provenance', '/api/v1/data/exports/'],
      ['Review Queue', '/api/v1/data/review-queue/'],
    ] as const) {
      await search.fill(words)
      expect(await page.locator('#hits').textContent()).toMatch(/^[1-9]\d* operations$/)
      await page.locator('#results a', { hasText: path }).first().waitFor()
    }
    await search.fill('no such words anywhere')
    expect(await page.locator('#hits').textContent()).toBe('0 operations')
    await search.fill('review queue')
    await page.locator('#results a', { hasText: /^GET \/api\/v1\/data\/review-queue\/$/ }).click()
    await page.locator('[id$="-getDataReviewQueue"] .execute, .opblock.is-open .execute').first().waitFor()
    expect(await page.locator('.opblock.is-open .opblock-summary-path').first().textContent()).toContain('review')
    await search.fill('')
  })

  test('has a table of contents by tag', async () => {
    const { tags } = JSON.parse((await app.anon.get('/schema/')).bytes.toString())
    await page.locator('#contents summary').click()
    const links = page.locator('#contents a')
    expect(await links.count()).toBe(tags.length + 1)
    await links.nth(1).click()
    await expect.poll(() => page.locator('.opblock-tag').count()).toBeLessThan(tags.length)
    await links.first().click()
    await page.locator('#contents summary').click()
  })

  test('lets nobody try what needs a caller without one, and with a dev token shows who they are', async () => {
    const operation = await open('/api/user/info/', 'getApiUserInfo')
    await operation.locator('.execute').click()
    expect(await answerIn(operation, '401')).toEqual({
      detail: 'Authentication credentials were not provided.',
    })
    await page.getByLabel('Sign in as a seeded user').fill('reviewer@heritage.test')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Signed in as reviewer@heritage.test.').waitFor()
    await operation.locator('.execute').click()
    expect(await answerIn(operation, '200')).toMatchObject({
      username: 'reviewer',
      reviewer_role: { role: 'community_reviewer' },
    })
  })

  test('asks for the representation that is chosen', async () => {
    const made = await app.contributor.post('/cidoc/monuments/', { body: { name: 'Chosen stupa' } })
    await page.getByLabel('Sign in as a seeded user').fill('dev@heritage.test')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Signed in as dev@heritage.test.').waitFor()
    const operation = await open('/api/v1/cidoc/monuments/{id}/', 'getMonumentsById')
    await operation.getByPlaceholder('id').fill(String(made.body.id))
    const chosen = operation.locator('.response', { hasText: 'Controls Accept header' }).locator('select').first()
    for (const type of ['application/ld+json', 'application/geo+json']) {
      await chosen.selectOption(type)
      await operation.locator('.execute').click()
      await operation.locator('.live-responses-table', { hasText: `content-type: ${type}` }).waitFor()
    }
    expect(await answerIn(operation, '200')).toMatchObject({ type: 'Feature', properties: { name: 'Chosen stupa' } })
  })

  test('sends the example of a body as it stands', async () => {
    await page.getByLabel('Sign in as a seeded user').fill('reviewer@heritage.test')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Signed in as reviewer@heritage.test.').waitFor()
    const operation = await open('/api/v1/cidoc/monuments/', 'postMonuments')
    await operation.locator('.execute').click()
    const made = await answerIn(operation, '201')
    const { body } = await app.staff.get(`/cidoc/monuments/${made.id}/`)
    expect(body).toMatchObject({ contributor: 'reviewer', name: made.name })
  })

  test('has what the service does not know refused', async () => {
    expect(tried.length).toBeGreaterThan(2)
    expect(tried.map((headers) => headers.prefer)).toEqual(tried.map(() => 'handling=strict'))
  })

  test('tells why somebody unknown is not signed in', async () => {
    await page.getByLabel('Sign in as a seeded user').fill('nobody@heritage.test')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Only seeded users sign in here.').waitFor()
  })

  test('asks no other host for anything, and nothing that its own policy forbids', () => {
    expect(requests.length).toBeGreaterThan(5)
    expect(requests.filter((url) => !url.startsWith(`${service.origin}/`) && !url.startsWith('data:'))).toEqual([])
    // The refusals that the tests above provoke are all that is complained of.
    expect(complaints.filter((text) => !/status of (401|403)/.test(text))).toEqual([])
  })
})

describe('the files of the page', () => {
  const load = async (name: string) => Buffer.from(unpackFile(await loadShippedFile(name))).toString()

  test('offer every seeded user in dev mode', async () => {
    const offered = [...(await load('page-dev.html')).matchAll(/<option value="([^"]*)"/g)].map(([, email]) => email)
    expect(offered).toEqual(personas.map(({ email }) => email))
  })

  test('have no way in for seeded users outside of dev mode', async () => {
    expect(await load('page-dev.html')).toContain('sign-in')
    const plain = await load('page.html')
    expect(plain).not.toContain('sign-in')
    expect(plain).toContain('/docs/page.js')
  })
})
