import { expect, test } from 'vitest'
import { parseCoordinates, parseDegrees } from '../../../lib/domain/imports/cells.ts'
import { boundsOfDate, rewriteDate, surelyFirst } from '../../../lib/domain/imports/dates.ts'
import { doubtOfName } from '../../../lib/domain/imports/doubts.ts'
import { groupSpellings } from '../../../lib/domain/imports/spellings.ts'

test.each([
  ['27.6722', 27.6722],
  ['27,6722', 27.6722],
  ['२७,६७', 27.67],
  ['27°40\'20"N', 27 + 40 / 60 + 20 / 3600],
  ['N27 40.404', 27 + 40.404 / 60],
  ['E085 19.518', 85 + 19.518 / 60],
  ['27 40 24 N', 27 + 40 / 60 + 24 / 3600],
  ['S27 40,5', -(27 + 40.5 / 60)],
  ['27 40', undefined],
  ['27 61 N', undefined],
  ['N27 40 S', undefined],
  ['27,40,24', undefined],
])('the angle %s', (text, angle) => {
  if (angle === undefined) expect(parseDegrees(text)).toBeUndefined()
  else expect(parseDegrees(text)).toBeCloseTo(angle, 9)
})

test.each([
  ['N27 40.404 E085 19.518', '27.6734, 85.3253'],
  ['27 40.404 N 85 19.518 E', '27.6734, 85.3253'],
  ['27 40 24 N, 85 19 31 E', '27.67333333, 85.32527778'],
  ['27,6734; 85,3253', '27.6734, 85.3253'],
  ['27,6734, 85,3253', '27.6734, 85.3253'],
  ['27,6734 85,3253', '27.6734, 85.3253'],
  ['27.6734,85.3253', '27.6734, 85.3253'],
  ['27.6734', undefined],
  ['Patan, Nepal', undefined],
])('the point %s', (text, point) => {
  expect(parseCoordinates(text)).toBe(point)
})

test.each([
  ['44000', undefined, '2020-06-18'],
  ['१२३४५', undefined, '1933-10-18'],
  ['25/12/1890', undefined, '1890-12-25'],
  ['12/25/1890', undefined, '1890-12-25'],
  ['5.5.1890', undefined, '1890-05-05'],
  ['1890/05/12', undefined, '1890-05-12'],
  ['12/05/1890', 'day_first', '1890-05-12'],
  ['12/05/1890', 'month_first', '1890-12-05'],
  ['12/05/1890', undefined, '12/05/1890'],
  ['25/25/1890', undefined, '25/25/1890'],
  ['1702', undefined, '1702'],
  ['Jan 2015', undefined, 'Jan 2015'],
  ['1690-1692', undefined, '1690-1692'],
] as const)('the date %s, %s, is %s', (text, order, date) => {
  expect(rewriteDate(text, order).text).toBe(date)
})

test('a date that may be two is doubted with both, and a day number with its day', () => {
  expect(rewriteDate('12/05/1890').doubt).toMatch(/^12\/05\/1890 may be 1890-05-12 or 1890-12-05\./)
  expect(rewriteDate('12/05/1890', 'day_first').doubt).toBeUndefined()
  expect(rewriteDate('44000').doubt).toBe('44000 was read as 2020-06-18, since spreadsheets count days.')
  expect(['25/12/1890', '12/25/1890', '12/05/1890', '32/12/1890', '1890'].map(surelyFirst)).toEqual([
    'day_first',
    'month_first',
    undefined,
    undefined,
    undefined,
  ])
  expect(boundsOfDate('Jan 2015', undefined)).toEqual({ from: '2015-01-01', to: '2015-01-31', approximate: false })
})

test('likely spellings of one value stand together, and different values do not', () => {
  const spelling = (value: string, rows: number, row: number, sure?: string) => ({ value, rows, row, sure })
  const groups = groupSpellings([
    spelling('Pagado', 1, 4),
    spelling('Pagoda', 9, 2, 'PagodaStyle'),
    spelling('pagoda', 3, 3, 'PagodaStyle'),
    spelling('Pagodas', 1, 9),
    spelling('Shikhara', 2, 5, 'ShikharaStyle'),
    spelling('Shikara', 2, 6),
    spelling('1702', 1, 7),
    spelling('1703', 1, 8),
    spelling('Good', 1, 10),
    spelling('Food', 1, 11),
    spelling('Pagode', 1, 12, 'Other'),
  ])
  expect(groups.map((group) => group.map(({ value }) => value))).toEqual([
    ['Pagoda', 'pagoda', 'Pagado', 'Pagodas'],
    ['Shikhara', 'Shikara'],
    ['1702'],
    ['1703'],
    ['Good'],
    ['Food'],
    ['Pagode'],
  ])
})

test.each([
  ...['Total', 'TOTAL: 25', 'Grand total', 'Sub-total 12', 'जम्मा', 'कुल जम्मा ४५', 'Sum ='].map(
    (name) => [name, /sum of the table/] as const,
  ),
  ...['Source: field survey, 2079', '* leaking', 'Note - see page 3', 'स्रोत: पुरातत्त्व विभाग'].map(
    (name) => [name, /remark on the table/] as const,
  ),
  ['25', /no letter/] as const,
])('the name %s is doubtful', (name, message) => {
  expect(doubtOfName(name)).toMatch(message)
})

test.each(['Total Vihara', 'Summit Devi', 'कुल देवता', 'Source of the Bagmati', 'Notebook shrine', 'Shrine 25', ''])(
  'the name %s is not',
  (name) => expect(doubtOfName(name)).toBeUndefined(),
)

test('the headers of a table are no name when they come again', () => {
  expect(doubtOfName('NAME of Temple', 'Name of temple')).toMatch(/headers of the table again/)
  expect(doubtOfName('Name of temple', 'Name')).toBeUndefined()
})
