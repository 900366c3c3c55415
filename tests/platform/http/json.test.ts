import { beforeAll, describe, expect, test } from 'vitest'
import { findJsonFault } from '../../../lib/platform/http/json.ts'
import type { App } from '../../harness/app.ts'
import { sure } from '../../harness/make.ts'
import { newProject, openProjects } from '../../harness/projects.ts'

describe('the place of a fault', () => {
  const isJson = (text: string) => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }
  const whole = '{"a": [1, -2.5e3, "x\\u0915\\n", {}, []], "b": {"c": null, "d": true}}'

  test('is told for every text that the runtime refuses, and for no other', () => {
    const letters = ['', '{', '}', '[', ']', ',', ':', '"', '0', 'e', '\n', 'क']
    const texts = [...whole].flatMap((_, at) =>
      letters.flatMap((letter) => [
        whole.slice(0, at) + letter + whole.slice(at + 1),
        whole.slice(0, at) + letter + whole.slice(at),
        whole.slice(0, at) + letter,
      ]),
    )
    const disagreed = texts.filter((text) => isJson(text) !== (findJsonFault(text) === undefined))
    expect(disagreed).toEqual([])
    expect(texts.some(isJson)).toBe(true)
  })

  test('of a text that is cut off is its end', () => {
    for (let end = 1; end < whole.length; end += 1) {
      const { column = 0 } = findJsonFault(whole.slice(0, end)) ?? {}
      // Inside of a word or an escape it is where that begins.
      expect(end + 1 - column).toBeLessThanOrEqual(7)
    }
  })
})

describe('values that cannot be kept', () => {
  let app: App
  let path: string
  beforeAll(async () => {
    app = await openProjects()
    path = `/data/projects/${await newProject(app.contributor)}/`
  })
  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  const TOO_LARGE = 'A number is too large to be kept exactly: send those beyond 9007199254740991 as text.'
  const TOO_DEEP = 'This is nested more than 24 levels deep.'

  test.each([
    ['a number beyond 2^53', '{"x": 9007199254740993}', TOO_LARGE],
    ['its opposite', '{"x": -9007199254740993}', TOO_LARGE],
    ['a number beyond all numbers', '{"x": [1e400]}', TOO_LARGE],
    ['a number that is all but nothing', '{"x": 1e-200}', 'A number is too small to be kept.'],
    ['25 levels', deep(25), TOO_DEEP],
    ['1,000 levels', deep(1000), TOO_DEEP],
    ['a member without a name', '{"": 1}', 'Names of members have 1 to 255 characters.'],
  ])('of a canvas are refused: %s', async (_, canvas, message) => {
    const refused = await app.contributor.patch(path, { body: `{"canvas_state": ${canvas}}` })
    expect([refused.status, refused.body]).toEqual([400, { canvas_state: [message] }])
  })

  test.each([
    ['24 levels', deep(24)],
    ['the largest exact number', '{"x": 9007199254740991, "y": -0.25}'],
  ])('but not %s', async (_, canvas) => {
    const kept = sure(200, await app.contributor.patch(path, { body: `{"canvas_state": ${canvas}}` }))
    expect(kept.canvas_state).toEqual(JSON.parse(canvas))
  })

  test.each([
    ['a number beyond 2^53', '{"x": 1e400}', TOO_LARGE],
    ['1,000 levels', deep(1000), TOO_DEEP],
  ])('of a suggestion are refused: %s', async (_, data, message) => {
    const body = `{"submission": "1", "title": "T", "description": "D", "contribution_data": ${data}}`
    const refused = await app.contributor.post('/data/submission-suggestions/', { body })
    expect([refused.status, refused.body]).toEqual([400, { contribution_data: [message] }])
  })

  test('a body of half a million brackets is refused', async () => {
    const body = `{"canvas_state": ${'['.repeat(500_000)}${']'.repeat(500_000)}}`
    expect((await app.contributor.patch(path, { body })).status).toBe(400)
  })
})
