import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { commandsOf, publish, sure } from '../../harness/make.ts'

/** What is known of sources, where reviewers work: in the advice, the workspace and the queue. */

let app: App
beforeAll(async () => {
  app = await openApp()
})

type Made = { id: number; cultural_entity_id: string }
const workspace = async ({ cultural_entity_id }: Made, who: Persona = app.domain) =>
  sure(200, await who.get(`/data/review-workspace/${cultural_entity_id}/`))
const register = async (name: string, more: object = {}) =>
  sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name, source_type: 'book', ...more } }))
const question = async ({ id }: { id: string }, standing: string, who: Persona = app.domain) =>
  sure(200, await who.post(`/cidoc/data_sources/${id}/question/`, { body: { standing, reason: 'It copied.' } }))
const cited = (source_citation: string, source_type = 'book') => ({ assertion: { source_type, source_citation } })

/** A structure with a condition and a rival of it, which waits. Returns what the workspace advises. */
let made = 0
async function advice(standing: object, rival: object) {
  const it = await publish(app, 'structures', { name: `Weighed ${++made}`, condition: 'Good', ...standing })
  app.tick(1)
  sure(200, await app.staff.patch(`/cidoc/structures/${it.id}/`, { body: { condition: 'Fair', ...rival } }))
  const { conflicts } = await workspace(it)
  const conflict = conflicts.find(({ property }: { property: string }) => property === 'condition')
  return [conflict.proposed_handling, conflict.why]
}

describe('the advice on a conflict', () => {
  test('knows whether the source of a claim is in question, by whatever the claim names it', async () => {
    const [fallen, doubted] = [await register('Fallen book'), await register('Doubted book')]
    await question(fallen, 'withdrawn')
    await question(doubted, 'questioned')
    expect(await advice(cited('Fallen book'), cited('A page', 'web'))).toEqual([
      'supersedes',
      'The values exclude each other, and the source of the existing one is withdrawn.',
    ])
    expect(await advice(cited('A stone', 'inscription'), cited('fallen BOOK'))).toEqual([
      'existing_stands',
      'The values exclude each other, and the source of the new one is withdrawn.',
    ])
    expect(await advice(cited('Doubted book'), cited('Land register', 'archival'))).toEqual([
      'supersedes',
      'The values exclude each other, and the source of the existing one is in question.',
    ])
    expect(await advice(cited('Another book'), cited('Land register', 'archival'))).toEqual([
      'disputed',
      'The values exclude each other, and neither is clearly better founded.',
    ])
  })

  test('knows what reviewers have kept of a source: of two that are close, the one of which they kept more wins', async () => {
    const { doubtSource } = await import('../../../lib/domain/doubt/items.ts')
    const { citationReference } = await import('../../../lib/domain/records/source-references.ts')
    const { commitWrites } = await import('../../../lib/engines/table/immediate.ts')
    const { putAlways } = await import('../../../lib/engines/table/index.ts')
    const [reference = ''] = citationReference('Careful book')
    await commitWrites([putAlways(doubtSource, { reference, kept: 19, decided: 20, version: 1 })])
    expect(await advice(cited('Some book'), cited('Careful book'))).toEqual([
      'supersedes',
      'The values exclude each other; their sources are close, and reviewers have kept more of what the new source says.',
    ])
    expect(await advice(cited('Careful book'), cited('Some book'))).toEqual([
      'existing_stands',
      'The values exclude each other; their sources are close, and reviewers have kept more of what the existing source says.',
    ])
  })

  test('knows from a registered source when it saw the thing', async () => {
    const survey = async (year: string) => {
      const { id } = await register(`Survey ${year} of conditions`, {
        source_type: 'field_survey',
        publication_year: year,
      })
      return { assertion: { source_type: 'field_survey', source_citation: '' }, source: id }
    }
    const [early, late] = [await survey('1979'), await survey('2016')]
    expect(await advice(early, late)).toEqual(['supersedes', 'The new source saw the thing later.'])
  })
})

describe('a source in question', () => {
  test('is a line of the queue, and its values stand in the workspace with the plan as advice', async () => {
    const book = await register('Book of the walk')
    const it = await publish(app, 'structures', {
      name: 'Told by a book',
      condition: 'Good',
      ...cited('Book of the walk'),
    })
    const about = { entity_type: 'structure', entity_id: it.id, asserted_property: 'condition' }
    const body = { ...about, asserted_value: 'Ruinous', source_type: 'field_survey', source_citation: 'Survey' }
    sure(201, await app.other.post('/cidoc/assertions/', { body }))
    const verdict = { verdict: 'accept', conflict_handling: 'existing_stands' }
    sure(201, await app.domain.post(`/data/review-workspace/${it.cultural_entity_id}/decide/`, { body: verdict }))
    const { followTable } = await import('../../harness/following.ts')
    await (await followTable()).settled()

    const lines = async (who: Persona) => {
      const { source_batches } = sure(200, await who.get('/data/review-queue/'))
      return source_batches.filter(({ id }: { id: string }) => id === book.id)
    }
    expect([await lines(app.community), (await workspace(it)).falls]).toEqual([[], []])
    await question(book, 'withdrawn')
    const line = {
      id: book.id,
      name: 'Book of the walk',
      source_type: 'book',
      standing: 'withdrawn',
      reason: 'It copied.',
    }
    const at = expect.any(String)
    // Its name and its condition.
    expect(await lines(app.community)).toEqual([{ ...line, at, resting: 2, decided: 0 }])
    const fall = {
      property: 'condition',
      label: 'Condition',
      value: 'Good',
      claim: expect.any(String),
      source: { id: book.id, name: 'Book of the walk', standing: 'withdrawn', reason: 'It copied.' },
      // The survey lost against the book, so without the book it would stand.
      instead: { claim: expect.any(String), value: 'Ruinous' },
      decided: null,
    }
    expect((await workspace(it, app.community)).falls).toEqual([fall])
    const decide = { entity_ids: [it.cultural_entity_id], verdict: 'reject', note: 'Others say so, too.' }
    sure(200, await app.staff.post(`/cidoc/data_sources/${book.id}/question/decide/`, { body: decide }))
    expect(await lines(app.domain)).toEqual([{ ...line, at, resting: 2, decided: 1 }])
    expect((await workspace(it)).falls).toEqual([{ ...fall, decided: 'reject' }])
    await question(book, 'trusted')
    expect([await lines(app.domain), (await workspace(it)).falls]).toEqual([[], []])
    sure(403, await app.contributor.get('/data/review-queue/'))
  })

  test('costs the workspace a call for what its claims name, and another where one is in question', async () => {
    const plain = await publish(app, 'structures', { name: 'Of no source' })
    const named = await publish(app, 'structures', { name: 'Of a good source', ...cited('Nobody doubts it') })
    await question(await register('Fallen again'), 'withdrawn')
    const fallen = await publish(app, 'structures', { name: 'Of a fallen source', ...cited('Fallen again') })
    const calls: number[] = []
    await workspace(plain)
    for (const it of [plain, named, fallen]) calls.push((await commandsOf(() => workspace(it))).length)
    const [least = 0] = calls
    expect(calls).toEqual([least, least + 1, least + 2])
  })
})
