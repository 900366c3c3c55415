import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { decide, publish, sure } from '../../harness/make.ts'

/** Rules of review that several allowed requests in a row must not get around. */

let app: App
beforeAll(async () => {
  app = await openApp()
})

let names = 0
type Made = { id: number; cultural_entity_id: string }
const published = (more: object = {}, who: Persona = app.contributor): Promise<Made> =>
  publish(app, 'structures', { name: `Own work ${++names}`, condition: 'Good', ...more }, who)
const claimApart = (who: Persona, it: Made, asserted_property: string, asserted_value: string) =>
  who.post('/cidoc/assertions/', {
    body: { cultural_entity_id: it.cultural_entity_id, asserted_property, asserted_value, source_type: 'field_survey' },
  })
const settle = (who: Persona, claim: string, reconciliation_status: string) =>
  who.patch(`/cidoc/assertions/${claim}/`, { body: { reconciliation_status } })
const edit = async (who: Persona, it: Made, body: object) =>
  sure(200, await who.patch(`/cidoc/structures/${it.id}/`, { body }))
const shown = async (it: Made) => sure(200, await app.anon.get(`/cidoc/structures/${it.id}/`))
const claimOf = async (it: Made, property: string, value: string): Promise<string> => {
  const query = { cultural_entity_id: it.cultural_entity_id, asserted_property: property }
  const { results } = sure(200, await app.staff.get('/cidoc/assertions/', { query }))
  return results.find((one: { value: string }) => one.value === value).id
}
const flagsOn = async (it: Made) =>
  sure(200, await app.curator.get('/data/review-flags/', { query: { entity: it.cultural_entity_id } })).results

describe('nobody decides on work of their own', () => {
  test('who made a claim apart does not decide on it while an edit of another waits, too', async () => {
    const it = await published()
    sure(201, await claimApart(app.domain, it, 'condition', 'Poor'))
    const verdict = { verdict: 'accept', conflict_handling: 'supersedes' }
    expect((await decide(app.domain, it, verdict)).status).toBe(403)
    await edit(app.contributor, it, { note: 'meanwhile' })
    expect((await decide(app.domain, it, verdict)).status).toBe(403)
    expect((await shown(it)).condition).toBe('Good')
    sure(201, await decide(app.curator, it, verdict))
  })

  test('whose waiting value was superseded decides on it no more than before', async () => {
    const it = await published()
    await edit(app.staff, it, { description: 'By staff' })
    await edit(app.contributor, it, { note: 'By the contributor' })
    sure(200, await settle(app.domain, await claimOf(it, 'description', 'By staff'), 'superseded'))
    expect((await decide(app.staff, it, { verdict: 'accept' })).status).toBe(403)
    sure(201, await decide(app.curator, it, { verdict: 'accept' }))
  })

  test('a party to a contradiction settles neither its flag nor the claim of the other', async () => {
    const it = await published()
    const { id } = sure(201, await claimApart(app.domain, it, 'condition', 'Poor'))
    const [{ id: flag }] = await flagsOn(it)
    expect((await app.domain.post(`/data/review-flags/${flag}/resolve/`, { body: {} })).status).toBe(403)
    sure(200, await app.curator.post(`/data/review-flags/${flag}/resolve/`, { body: {} }))
    sure(200, await settle(app.curator, id, 'superseded'))

    const ofExpert = await published({}, app.domain)
    const { id: rival } = sure(201, await claimApart(app.other, ofExpert, 'condition', 'Poor'))
    expect((await settle(app.domain, rival, 'superseded')).status).toBe(403)
    sure(200, await settle(app.curator, rival, 'superseded'))
  })

  test('the contributor of the original decides on no fork of it, in the workspace either', async () => {
    const it = await published({}, app.community)
    const body = {
      entity_id: it.cultural_entity_id,
      tag: 'correction',
      title: 'Another view',
      data: { note: 'Forked' },
    }
    const fork = await app.other.post('/data/forks/', { body })
    expect(fork.status, fork.text).toBe(201)
    const own = { cultural_entity_id: fork.body.entity_id ?? fork.body.forked_entity_id ?? fork.body.id }
    for (const verdict of [{ verdict: 'reject', feedback: 'No.' }, { verdict: 'accept' }])
      expect((await decide(app.community, own, verdict)).status).toBe(403)
    sure(201, await decide(app.curator, own, { verdict: 'reject', feedback: 'No.' }))
  })
})

describe('what takes an expert takes one by every way', () => {
  const takesExpert = 'Settling a contradiction takes at least a domain expert.'

  test('a value that stands is contradicted, though its claim was superseded before', async () => {
    const it = await published()
    sure(200, await settle(app.community, await claimOf(it, 'condition', 'Good'), 'superseded'))
    await edit(app.staff, it, { condition: 'Ruinous' })
    expect((await flagsOn(it)).map((one: { flag_type: string }) => one.flag_type)).toEqual(['contradiction'])
    expect((await decide(app.community, it, { verdict: 'accept' })).body).toEqual({ detail: takesExpert })
    sure(201, await decide(app.domain, it, { verdict: 'accept', conflict_handling: 'supersedes' }))
    expect((await shown(it)).condition).toBe('Ruinous')
  })

  test('a reviewer’s own edits of a value that stands', async () => {
    const it = await published({ note: 'Two storeys.' })
    await edit(app.contributor, it, { description: 'Waits' })
    const verdict = (edits: object) => ({ verdict: 'accept_with_edits', edits })
    expect((await decide(app.community, it, verdict({ condition: 'Ruinous' }))).body).toEqual({ detail: takesExpert })
    expect(await shown(it)).toMatchObject({ condition: 'Good', status: 'accepted' })
    sure(201, await decide(app.community, it, verdict({ condition: 'Good', description: 'In better words' })))
    expect(await shown(it)).toMatchObject({ condition: 'Good', description: 'In better words' })
    await edit(app.contributor, it, { description: 'Waits again' })
    sure(201, await decide(app.domain, it, verdict({ condition: 'Ruinous' })))
    expect((await shown(it)).condition).toBe('Ruinous')
  })

  test('a claim that waits with its contribution is decided with it', async () => {
    const it = await published()
    await edit(app.contributor, it, { note: 'Waits' })
    const waiting = await claimOf(it, 'note', 'Waits')
    expect((await settle(app.community, waiting, 'accepted')).body).toEqual({ detail: takesExpert })
    expect((await settle(app.curator, waiting, 'accepted')).body).toEqual({
      detail: 'It waits with its contribution: that is decided first.',
    })
    for (let rank = 0; rank < 2; rank += 1)
      sure(201, await decide(app.curator, it, { verdict: 'escalate', feedback: 'For the curators.' }))
    expect((await settle(app.domain, waiting, 'superseded')).body.detail).toMatch(/^This has been escalated/)
  })
})

describe('what was refused or restricted stays so', () => {
  test('a refused revision is not the accepted one after a later verdict that changes no value', async () => {
    const it = await published()
    await edit(app.contributor, it, { note: 'Between us' })
    sure(201, await decide(app.domain, it, { verdict: 'reject', feedback: 'Private.' }))
    sure(201, await claimApart(app.other, it, 'condition', 'Poor'))
    sure(201, await decide(app.domain, it, { verdict: 'accept', conflict_handling: 'existing_stands' }))
    const query = { entity: it.cultural_entity_id }
    const { results } = sure(200, await app.anon.get('/data/revisions/', { query }))
    expect(results.map((one: { revision_number: number }) => one.revision_number)).toEqual([1])
    expect(JSON.stringify(results)).not.toContain('Between us')
    expect((await shown(it)).condition).toBe('Good')
  })

  test('a revision of a restricted time is for those who may read that tier', async () => {
    const it = await published({ access_tier: 'restricted', note: 'For members' })
    await edit(app.contributor, it, { access_tier: 'public', note: '' })
    sure(201, await decide(app.domain, it, { verdict: 'accept', conflict_handling: 'supersedes' }))
    const query = { entity: it.cultural_entity_id }
    const numbersFor = async (who: Persona) =>
      sure(200, await who.get('/data/revisions/', { query })).results.map(
        (one: { revision_number: number }) => one.revision_number,
      )
    expect(await numbersFor(app.anon)).toEqual([2])
    expect(await numbersFor(app.other)).toEqual([2, 1])
    const diff = `/data/entities/${it.cultural_entity_id}/diff/`
    const asked = { query: { from: '1', to: '2' } }
    expect(sure(200, await app.other.get(diff, asked)).revision_from.revision_number).toBe(1)
    expect((await app.anon.get(diff, asked)).text).not.toContain('For members')
  })
})
