import { describe, expect, test } from 'vitest'
import { canonicalPath, routeMatcher } from '../../../lib/platform/http/path.ts'

describe('one name for each path', () => {
  const forms = (path: string) => [path, path.replace(/\/$/, '')]
  const data = ['/data/x/1/', '/data/api/x/1/', '/api/v1/data/x/1/', '/api/v1/data/api/x/1/'].flatMap(forms)
  test.each(data)('%s is /data/x/1/', (path) => {
    expect(canonicalPath(path)).toBe('/data/x/1/')
  })

  test.each(['/cidoc/persons/', '/api/v1/cidoc/persons/'].flatMap(forms))('%s is /cidoc/persons/', (path) => {
    expect(canonicalPath(path)).toBe('/cidoc/persons/')
  })

  test.each([
    ['/', '/'],
    ['', '/'],
    ['/metrics', '/metrics/'],
    ['/api/token', '/api/token/'],
    ['/api/user/info', '/api/user/info/'],
    ['/api/v1/assistant/chat', '/assistant/chat/'],
    ['/api/v1/data', '/data/'],
    ['/cidoc/data-sources/7', '/cidoc/data_sources/7/'],
    ['/api/v1/cidoc/entity_clusters', '/cidoc/entity-clusters/'],
  ])('%s is %s', (path, name) => {
    expect(canonicalPath(path)).toBe(name)
  })

  test.each([
    '/api/v2/data/x/',
    '/api/v1/token/',
    '/api/v1/health/',
    '/database/x/',
    '/data/apix/',
    '/api/v1/datax/',
    '/xdata/',
    '//data/x/',
    '/DATA/x/',
  ])('%s is no other path', (path) => {
    expect(canonicalPath(path)).toBe(path)
  })

  test('a path that is canonical stays as it is', () => {
    for (const path of [...data, '/cidoc/data-sources/', '/', '/api/v1/cidoc/x'].map(canonicalPath))
      expect(canonicalPath(path)).toBe(path)
  })
})

describe('the matcher', () => {
  const match = routeMatcher({
    'GET /a/': 'list',
    'POST /a/': 'create',
    'GET /a/{id}/': 'one',
    'GET /a/mine/': 'mine',
    'DELETE /a/{id}/': 'delete',
    'GET /a/{id}/b/': 'sub',
    'GET /a/{x}/{y}/': 'two',
    'POST /a/mine/now/': 'now',
    'GET /{any}/only/': 'any',
  })

  test.each([
    ['GET', '/a/', 'list', {}],
    ['GET', '/a/7/', 'one', { id: '7' }],
    ['GET', '/a/mine/', 'mine', {}],
    ['GET', '/a/7/b/', 'sub', { id: '7' }],
    ['GET', '/a/7/c/', 'two', { x: '7', y: 'c' }],
    ['GET', '/z/only/', 'any', { any: 'z' }],
    ['GET', '/a/only/', 'one', { id: 'only' }],
    ['DELETE', '/a/mine/', 'delete', { id: 'mine' }],
  ])('%s %s is answered by %s', (method, path, found, params) => {
    expect(match(method, path)).toMatchObject({ found, params })
  })

  test('knows a path that is not there from a method that is not', () => {
    expect(match('GET', '/b/')).toEqual({ allow: [] })
    expect(match('GET', '/a/7/b/c/')).toEqual({ allow: [] })
    expect(match('PATCH', '/a/')).toEqual({ allow: ['GET', 'POST'] })
    expect(match('PUT', '/a/7/')).toEqual({ allow: ['DELETE', 'GET'] })
    expect(match('PUT', '/a/mine/now/')).toEqual({ allow: ['GET', 'POST'] })
  })

  test('takes no empty parameter', () => {
    expect(match('GET', '/a//')).toEqual({ allow: [] })
  })

  test('decodes a parameter once, and leaves what is no encoding', () => {
    expect(match('GET', '/a/%E0%A4%AA/')).toMatchObject({ params: { id: 'प' } })
    expect(match('GET', '/a/%252F/')).toMatchObject({ params: { id: '%2F' } })
    expect(match('GET', '/a/x%2Fy/')).toMatchObject({ found: 'one', params: { id: 'x/y' } })
    expect(match('GET', '/a/%zz/')).toMatchObject({ params: { id: '%zz' } })
  })

  test('refuses two routes that answer the same', () => {
    expect(() => routeMatcher({ 'GET /a/{x}/': 1, 'GET /a/{y}/': 2 })).toThrow('two routes answer GET /a/{}/')
  })
})
