import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isStage, loadStage } from '../../deploy/stages.ts'

const folder = mkdtempSync(join(tmpdir(), 'heritage-stages-'))
const load = (text: string, stage = 'prod') => {
  writeFileSync(join(folder, `${stage}.yml`), text)
  return loadStage(stage, folder)
}

test('the files of all stages are as they should be; prod alone keeps its data', () => {
  expect(['prod', 'staging', 'dev', 'pr12', 'local'].map((stage) => loadStage(stage).removal)).toEqual([
    'RetainExceptOnCreate',
    'Delete',
    'Delete',
    'Delete',
    'Delete',
  ])
})

test('a file gives settings, and what it leaves out has its default', () => {
  expect(load('corsOrigins: [https://a.example, https://b.example]\nthrottleRate: 5')).toMatchObject({
    corsOrigins: 'https://a.example,https://b.example',
    throttleRate: 5,
    throttleBurst: 100,
    idpClientId: '',
    secrets: 'prod',
  })
})

test('one sentence names every fault: a slip of the pen, a secret, a name without a certificate', () => {
  const faulty = 'corsOrigin: x\nmetricsToken: abcdefghijklmnopqrst\ndebug: 1'
  expect(() => load(faulty)).toThrow(
    `${join(folder, 'prod.yml')}: debug must be true or false; metricsToken must be ssm:/NAME: no secret stands in a file; corsOrigin is no setting of a stage.`,
  )
  expect(() => load('domain: api.example.org')).toThrow('certificate is missing: domain is set.')
  expect(() => load('largeParts: true')).toThrow('largeParts needs domain.')
  expect(() => loadStage('nowhere', folder)).toThrow('nowhere.yml cannot be read')
})

test('stages of pull requests share one file and one set of secrets', () => {
  expect(load('logDays: 3', 'pr')).toMatchObject({ secrets: 'pr' })
  expect(loadStage('pr12', folder)).toMatchObject({ logDays: 3, secrets: 'pr', removal: 'Delete' })
  expect(['pr12', 'pr', 'pr1234567', 'prod', 'dev', 'local', 'prod2'].filter(isStage)).toEqual(['pr12', 'prod', 'dev'])
})
